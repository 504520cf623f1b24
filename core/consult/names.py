"""The list of diagnoses as the clinician ruled on its names, and where votes and claims for the panel's list then belong.

What the panel was asked and what it answered never changes: rulings act on the ranking only. A part is a row of the panel's
list without the wordings that were split off it, or one such wording; parts that are joined are one row. Everything follows
from two facts, which wordings are split off and which parts are joined, so a ruling that was undone leaves no trace.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from core.domain.case import NameRuling
from core.domain.debate import all_challenges, listed_diagnoses, listing_of
from core.domain.differential import RulingEffect
from core.domain.panel import SpecialistId
from core.domain.statement import DiagnosisId, DifferentialStatement, ListedDiagnosis, Statement
from core.errors import BadInput

_Written = tuple[tuple[SpecialistId, str], ...]
_Join = tuple[DiagnosisId, DiagnosisId]


class RuledRow(Struct, frozen=True, kw_only=True):
    """A row of the list as the clinician ruled."""

    diagnosis_id: DiagnosisId
    """As in the panel's list; with a letter, for instance D3b, for a wording that was split off D3."""
    name: str
    """As in the panel's list, or the wording that was split off."""
    icd10: str | None
    """Of the first joined row that has a code. A wording that was split off has none: the code is that of its old row."""
    names: tuple[str, ...]
    """All wordings, beginning with those of the row that gave the name."""
    proposers: tuple[SpecialistId, ...]
    listed: tuple[DiagnosisId, ...]
    """Rows of the panel's list that it stands for, or out of which it was split."""
    possibly_same: tuple[str, ...]
    """Names of other rows that look alike: the suggestions of round 4."""


class RuledList(Struct, frozen=True, kw_only=True):
    """The list as the clinician ruled, with where everything that was said about the panel's list belongs."""

    rows: tuple[RuledRow, ...]
    """In the order of the panel's list; a wording that was split off stands behind its old row."""
    effects: tuple[RulingEffect, ...]
    """One a ruling, in order."""
    divided: frozenset[DiagnosisId]
    """Rows of the panel's list whose wordings stand in more than one row now."""
    holders: Mapping[str, DiagnosisId]
    """The part that holds each wording. The part of a row that kept the name has the id of that row."""
    own: Mapping[tuple[SpecialistId, DiagnosisId], DiagnosisId]
    """The part that holds what a specialist wrote itself for a row of the panel's list; missing where it wrote nothing."""
    places: Mapping[DiagnosisId, DiagnosisId]
    """The row in which each part stands."""

    def place_of_wording(self, wording: str) -> DiagnosisId:
        """The row of a name that a specialist wrote."""
        return self.places[self.holders[wording]]

    def place_of_choice(self, listed: DiagnosisId, speaker: SpecialistId) -> DiagnosisId:
        """The row of what a specialist picked from the panel's list: a vote, a position, a claim of round 5c.

        Of a row that was split it is the wording that the specialist wrote itself in round 3 or 5b, its last one if there
        are several; else the part that kept the name, which is what the specialist saw.
        """
        return self.places[self.own.get((speaker, listed), listed)]

    def ballot(self, speaker: SpecialistId, choices: Iterable[DiagnosisId]) -> tuple[DiagnosisId | None, ...]:
        """A ballot on the panel's list as one on this list, best first.

        Two choices that are one row now count once, at the better place. The other place stays empty (None): what the
        specialist put below it does not move up, because only the specialist gives places.
        """
        places: list[DiagnosisId | None] = []
        for choice in choices:
            place = self.place_of_choice(choice, speaker)
            places.append(None if place in places else place)
        return tuple(places)


def as_ruled(statements: tuple[Statement, ...], rulings: tuple[NameRuling, ...]) -> RuledList:
    """The panel's list after all rulings; without any, row by row the panel's list."""
    listed, written = listed_diagnoses(statements), tuple(_written(statements))
    state, effects = _after(listed, rulings)
    parts = _parts(listed, state)
    groups = _groups(parts, state)
    places = {part_id: group[0] for part_id, group in groups.items()}
    holders = {wording: part.part_id for part in parts.values() for wording in part.wordings}
    standing = {row.diagnosis_id: {places[holders[wording]] for wording in row.names} for row in listed}
    own: dict[tuple[SpecialistId, DiagnosisId], DiagnosisId] = {}
    for speaker, wording in written:
        if (row_id := listing_of(wording, listed)) is not None:
            own[speaker, row_id] = holders[wording]
    return RuledList(
        rows=tuple(
            _row([parts[member] for member in groups[head]], written) for head in parts if groups[head][0] == head
        ),
        effects=effects,
        divided=frozenset(row_id for row_id, rows in standing.items() if len(rows) > 1),
        holders=holders,
        own=own,
        places=places,
    )


def spelled(
    statements: tuple[Statement, ...],
    rulings: tuple[NameRuling, ...],
    kind: Literal["split", "join"],
    names: Sequence[str],
) -> tuple[str, ...]:
    """Names as the list spells them, for a ruling that is to follow `rulings`. Letter case and spaces do not count.

    To join, any wording stands for its row. Raises `BadInput` for a name that is not in the list or fits several, and
    for names that cannot be joined or split.
    """
    listed = listed_diagnoses(statements)
    state, _ = _after(listed, rulings)
    parts = _parts(listed, state)
    groups, labels = _groups(parts, state), _labels(parts)
    found = tuple(_found(name, labels) for name in names)
    if kind == "join":
        found = tuple(parts[groups[labels[name]][0]].name for name in found)
    _ruled(listed, state, kind, found)
    return found


def _found(name: str, labels: Iterable[str]) -> str:
    # Sentences quote no name: what is typed here may be anything.
    if name in labels:
        return name
    alike = [label for label in labels if _plain(label) == _plain(name)]
    if not alike:
        raise BadInput("The list of this case has no such name; write both, or the one, as they stand in the list.")
    if len(alike) > 1:
        raise BadInput("Several names of the list differ from this one only in letter case; write it exactly so.")
    return alike[0]


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


class _State(Struct, frozen=True, kw_only=True):
    split: tuple[DiagnosisId, ...] = ()
    """Wordings that are parts of their own."""
    joins: tuple[_Join, ...] = ()
    """In force, in order; each names the first part of two rows as they then were."""


class _Part(Struct, frozen=True, kw_only=True):
    part_id: DiagnosisId
    row: ListedDiagnosis
    """The row of the panel's list out of which it comes."""
    name: str
    wordings: tuple[str, ...]
    icd10: str | None


_Did = Literal["joined", "split", "join undone", "split undone"]


def _after(
    listed: tuple[ListedDiagnosis, ...], rulings: tuple[NameRuling, ...]
) -> tuple[_State, tuple[RulingEffect, ...]]:
    state, effects = _State(), []
    for ruling in rulings:
        try:
            state, did, ids = _ruled(listed, state, ruling.kind, ruling.names)
        except BadInput:  # the log only grows: a case must stay readable whatever was ruled
            effects.append(RulingEffect(ruling=ruling, did="nothing"))
        else:
            effects.append(RulingEffect(ruling=ruling, did=did, ids=ids))
    return state, tuple(effects)


def _ruled(
    listed: tuple[ListedDiagnosis, ...], state: _State, kind: Literal["split", "join"], names: tuple[str, ...]
) -> tuple[_State, _Did, _Join]:
    """The state after one more ruling, what it did, and to which parts. Raises `BadInput` where it would do nothing."""
    parts = _parts(listed, state)
    labels = _labels(parts)
    if len(names) != (2 if kind == "join" else 1) or not set(names) <= set(labels):
        raise BadInput("Give two names of the list to join, or one to split off.")
    named = [parts[labels[name]] for name in names]
    return _joined(state, parts, named) if kind == "join" else _split(state, parts, named[0], names[0])


def _joined(state: _State, parts: Mapping[DiagnosisId, _Part], named: Sequence[_Part]) -> tuple[_State, _Did, _Join]:
    groups = _groups(parts, state)
    rows = [groups[part.part_id] for part in named]
    first, second = (row[0] for row in rows)
    if first == second:
        raise BadInput("These two names are one row of the list already; name two rows.")
    for head, others in ((first, rows[1]), (second, rows[0])):
        old = parts[head].row.diagnosis_id
        if head in state.split and old in others:
            left = tuple(part_id for part_id in state.split if part_id != head)
            return replace(state, split=left), "split undone", (old, head)
    return replace(state, joins=(*state.joins, (first, second))), "joined", (first, second)


def _split(state: _State, parts: Mapping[DiagnosisId, _Part], part: _Part, name: str) -> tuple[_State, _Did, _Join]:
    merged = len(part.wordings) > 1 and name in part.wordings and _plain(name) != _plain(part.name)
    if merged:
        apart = _wording_id(part.row, name)
        return replace(state, split=(*state.split, apart)), "split", (part.part_id, apart)
    joins = [join for join in state.joins if part.part_id in _standing(join, parts)]
    if joins:
        left = tuple(join for join in state.joins if join != joins[-1])
        return replace(state, joins=left), "join undone", _standing(joins[-1], parts)
    if len(part.wordings) > 1:
        raise BadInput("This is the name of its row; name the wording that shall stand apart from it.")
    raise BadInput("This name stands apart already; only what was merged or joined can be split.")


def _parts(listed: tuple[ListedDiagnosis, ...], state: _State) -> dict[DiagnosisId, _Part]:
    """In the order of the panel's list; each row, then what was split off it."""
    parts: dict[DiagnosisId, _Part] = {}
    for row in listed:
        apart = {part_id: name for name in row.names if (part_id := _wording_id(row, name)) in state.split}
        kept = tuple(name for name in row.names if name not in apart.values())
        parts[row.diagnosis_id] = _Part(
            part_id=row.diagnosis_id, row=row, name=row.name, wordings=kept, icd10=row.icd10
        )
        for part_id, name in apart.items():
            parts[part_id] = _Part(part_id=part_id, row=row, name=name, wordings=(name,), icd10=None)
    return parts


def _wording_id(row: ListedDiagnosis, wording: str) -> DiagnosisId:
    """D3a for the first wording of D3 in the alphabet, whoever spoke first; D3aa follows D3z."""
    place = sorted(row.names).index(wording)
    letter = ascii_lowercase[place % len(ascii_lowercase)]
    return DiagnosisId(row.diagnosis_id + letter * (1 + place // len(ascii_lowercase)))


def _labels(parts: Mapping[DiagnosisId, _Part]) -> dict[str, DiagnosisId]:
    """Everything by which a part can be named."""
    return {label: part.part_id for part in parts.values() for label in (part.name, *part.wordings)}


def _standing(join: _Join, parts: Mapping[DiagnosisId, _Part]) -> _Join:
    """The parts that a join is about now: a wording that was split off when it was joined may be back in its row."""
    first, second = (part_id if part_id in parts else DiagnosisId(part_id.rstrip(ascii_lowercase)) for part_id in join)
    return first, second


def _groups(parts: Mapping[DiagnosisId, _Part], state: _State) -> dict[DiagnosisId, tuple[DiagnosisId, ...]]:
    """The joined parts among which each part is, the one that gives id and name first."""
    groups: dict[DiagnosisId, tuple[DiagnosisId, ...]] = {part_id: (part_id,) for part_id in parts}
    for join in state.joins:
        first, second = (groups[part_id] for part_id in _standing(join, parts))
        if first != second:
            groups |= dict.fromkeys((*first, *second), (*first, *second))
    return groups


def _row(members: Sequence[_Part], written: _Written) -> RuledRow:
    names = tuple(name for part in members for name in part.wordings)
    alike = dict.fromkeys(name for part in members for name in part.row.possibly_same)
    return RuledRow(
        diagnosis_id=members[0].part_id,
        name=members[0].name,
        icd10=next((part.icd10 for part in members if part.icd10 is not None), None),
        names=names,
        proposers=tuple(dict.fromkeys(who for part in members for who in _proposers(part, written))),
        listed=tuple(dict.fromkeys(part.row.diagnosis_id for part in members)),
        possibly_same=tuple(name for name in alike if name not in names),
    )


def _proposers(part: _Part, written: _Written) -> Iterator[SpecialistId]:
    """Those proposers of the old row who wrote a wording of this part."""
    for speaker in part.row.proposers:
        theirs = {wording for who, wording in written if who == speaker and wording in part.row.names}
        # Nothing in writing: a withheld report does not tell what the catfish said. It then stays with the row.
        if theirs & set(part.wordings) or (not theirs and part.part_id == part.row.diagnosis_id):
            yield speaker


def _written(statements: tuple[Statement, ...]) -> Iterator[tuple[SpecialistId, str]]:
    """Names that specialists wrote themselves. In round 5c they pick from the list: that tells nothing of wordings."""
    for statement in statements:
        if isinstance(statement, DifferentialStatement):
            yield from ((statement.speaker, claim.diagnosis) for claim in statement.claims)
    yield from ((made.speaker, made.proposal) for made in all_challenges(statements) if made.proposal)

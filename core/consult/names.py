"""The list of diagnoses as the clinician ruled on its names, and where votes and claims for the panel's list then belong.

What the panel was asked and what it answered never changes: rulings act on the ranking only. A part is a row of the panel's
list without the wordings that were split off it, or one such wording; parts that are joined are one row. Everything follows
from two facts, which wordings are split off and which parts are joined, so a ruling that was undone leaves no trace.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Literal

from msgspec import Struct

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


def _after(listed: tuple[ListedDiagnosis, ...], rulings: tuple[NameRuling, ...]) -> tuple[_State, tuple[RulingEffect, ...]]:
    state, effects = _State(), []
    for ruling in rulings:
        effect = RulingEffect(ruling=ruling, did="nothing")
        try:
            state, did, ids = _ruled(listed, state, ruling.kind, ruling.names)
            effect = RulingEffect(ruling=ruling, did=did, ids=ids)
        except BadInput:
            pass  # the log only grows: with a ruling that says nothing the case must stay readable
        effects.append(effect)
    return state, tuple(effects)

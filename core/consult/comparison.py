"""Two released reports side by side. Pure: nothing is asked, nothing is ranked anew."""

from collections.abc import Callable, Hashable, Iterator, Sequence

import msgspec

from core.consult.names import RuledRow, as_ruled
from core.domain.case import Case, Finding, considered
from core.domain.comparison import (
    ComparedDiagnosis,
    ComparedLeading,
    ComparedSpecialist,
    Comparison,
    Difference,
    Side,
    Standing,
)
from core.domain.debate import listed_diagnoses, own_differential
from core.domain.differential import RankedDiagnosis
from core.domain.panel import Panel, SpecialistId
from core.domain.report import Report
from core.domain.statement import BallotStatement
from core.errors import BadInput
from core.ports import ModelIdentity

_Key = tuple[str, ...]
"""By what a row of one list is found in the other: its canonical name, and the wording where it was split off a row."""


def compare(a: Report, b: Report) -> Comparison:
    """Raises `BadInput` where one is withheld, where both are one case, or where they have no finding in common."""
    for report in (a, b):
        if report.status == "withheld":
            raise BadInput(
                f"The differential of case {report.case.case_id} is withheld; settle its can't-miss flags, then compare."
            )
    if a.case.case_id == b.case.case_id:
        raise BadInput(f"Both are case {a.case.case_id}; name another case to compare it with.")
    if not share_a_finding(a.case, b.case):
        raise BadInput(
            f"Cases {a.case.case_id} and {b.case.case_id} have no finding in common; compare cases of one patient."
        )
    same_vignette = a.case.vignette.findings == b.case.vignette.findings
    key = _id if same_vignette else _content
    return Comparison(
        a=_side(a, b, key),
        b=_side(b, a, key),
        linked=_continues(a.case, b.case) or _continues(b.case, a.case),
        same_vignette=same_vignette,
        differences=tuple(_differences(a, b)),
        viability_notes=tuple(dict.fromkeys(note for note in (a.viability_note, b.viability_note) if note)),
        rows=_rows(_Reading(a), _Reading(b)),
        specialists=_specialists(_Reading(a), _Reading(b)),
    )


def share_a_finding(a: Case, b: Case) -> bool:
    """Whether any sentence stands in both vignettes: without one, they are not compared."""
    return bool({*map(_content, a.vignette.findings)} & {*map(_content, b.vignette.findings)})


def _id(finding: Finding) -> Hashable:
    return finding.finding_id


def _content(finding: Finding) -> Hashable:
    return finding.text, finding.present


def _continues(later: Case, earlier: Case) -> bool:
    return bool(later.excluded) and later.continues == earlier.case_id


def _side(report: Report, other: Report, key: Callable[[Finding], Hashable]) -> Side:
    there = set(map(key, considered(other.case)))
    return Side(
        case_id=report.case.case_id,
        title=report.case.title,
        opened_at=report.case.opened_at,
        continues=report.case.continues,
        only_here=tuple(finding for finding in considered(report.case) if key(finding) not in there),
        has_differential=report.differential is not None,
    )


def _differences(a: Report, b: Report) -> Iterator[Difference]:
    """What beside the findings could be the reason for another differential."""
    pairs = {
        "model chosen": (a.case.model_id, b.case.model_id),
        "models that answered": (_models(a.models), _models(b.models)),
        "protocol version": (str(a.case.protocol_version), str(b.case.protocol_version)),
        "seed": (str(a.case.seed), str(b.case.seed)),
        "panel": (_panel(a.case.panel), _panel(b.case.panel)),
        "names joined or split": (_rulings(a.case), _rulings(b.case)),
    }
    settings = [msgspec.structs.asdict(report.case.settings) for report in (a, b)]
    pairs |= {name.replace("_", " "): (_value(settings[0][name]), _value(settings[1][name])) for name in settings[0]}
    for what, (in_a, in_b) in pairs.items():
        if in_a != in_b:
            yield Difference(what=what, a=in_a, b=in_b)


def _models(models: Sequence[ModelIdentity]) -> str:
    """Each by its id, file and engine; the device is told too, for the same weights may round otherwise there."""
    return "; ".join(
        sorted(
            f"{m.model_id} ({m.quantization}, file {m.file_sha256[:12]}, {m.engine}, {m.device})" for m in set(models)
        )
    )


def _panel(panel: Panel) -> str:
    return "; ".join(
        f"{seat.specialty} ({seat.role or 'no role'}, {seat.temperature:g}): {seat.persona}"
        for seat in panel.specialists
    )


def _rulings(case: Case) -> str:
    return "; ".join(f"{ruling.kind} {' and '.join(ruling.names)}" for ruling in case.rulings) or "none"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "none"


class _Reading:
    """A report of which every diagnosis is told as the clinician ruled on its names."""

    def __init__(self, report: Report) -> None:
        self.panel = report.case.panel.specialists
        self._report = report
        self._ruled = as_ruled(report.statements, report.case.rulings)
        self._rows = {row.diagnosis_id: row for row in self._ruled.rows}
        self._canonical = {row.diagnosis_id: row.canonical for row in listed_diagnoses(report.statements)}

    def key(self, row: RuledRow | RankedDiagnosis) -> _Key:
        if row.diagnosis_id in self._canonical:
            return (self._canonical[row.diagnosis_id],)
        return self._canonical[row.listed[0]], row.name

    def ranked(self) -> dict[_Key, RankedDiagnosis]:
        """In the order of rank."""
        found = self._report.differential
        rows = sorted(found.ranking.rows, key=lambda row: row.weighted_rank) if found else ()
        return {self.key(row): row for row in rows}

    def independent(self, speaker: SpecialistId) -> RuledRow | None:
        own = own_differential(self._report.statements, speaker)
        return self._rows[self._ruled.place_of_wording(own.claims[0].diagnosis)] if own and own.claims else None

    def first_choice(self, speaker: SpecialistId) -> RuledRow | None:
        for statement in self._report.statements:
            if isinstance(statement, BallotStatement) and statement.speaker == speaker and statement.choices:
                return self._rows[self._ruled.place_of_choice(statement.choices[0], speaker)]
        return None


def _rows(a: _Reading, b: _Reading) -> tuple[ComparedDiagnosis, ...]:
    in_a, in_b = a.ranked(), b.ranked()
    return tuple(_row(key, in_a.get(key), in_b.get(key)) for key in (in_a | in_b))


def _row(key: _Key, a: RankedDiagnosis | None, b: RankedDiagnosis | None) -> ComparedDiagnosis:
    named = a or b
    assert named is not None
    return ComparedDiagnosis(
        canonical=key[0],
        name=named.name,
        icd10=named.icd10,
        a=_standing(a),
        b=_standing(b),
        change=a.weighted_rank - b.weighted_rank if a and b else None,
    )


def _standing(row: RankedDiagnosis | None) -> Standing | None:
    if row is None:
        return None
    return Standing(
        weighted_rank=row.weighted_rank,
        weighted_points=row.weighted_points,
        plain_rank=row.plain_rank,
        plain_points=row.plain_points,
    )


def _specialists(a: _Reading, b: _Reading) -> tuple[ComparedSpecialist, ...]:
    seats = {seat.specialist_id: seat.specialty for seat in (*a.panel, *b.panel)}

    def compared(in_a: RuledRow | None, in_b: RuledRow | None) -> ComparedLeading:
        return ComparedLeading(
            a=in_a.name if in_a else None,
            b=in_b.name if in_b else None,
            changed=a.key(in_a) != b.key(in_b) if in_a and in_b else None,
        )

    return tuple(
        ComparedSpecialist(
            speaker=speaker,
            specialty=specialty,
            independent=compared(a.independent(speaker), b.independent(speaker)),
            ballot=compared(a.first_choice(speaker), b.first_choice(speaker)),
        )
        for speaker, specialty in seats.items()
    )

"""Two released reports side by side. Pure: nothing is asked, nothing is ranked anew."""

from collections.abc import Callable, Hashable, Iterator, Sequence

import msgspec

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
from core.domain.debate import listed_diagnoses, listing_of, own_differential
from core.domain.differential import RankedDiagnosis
from core.domain.panel import Panel, SpecialistId
from core.domain.report import Report
from core.domain.statement import BallotStatement, DiagnosisId, ListedDiagnosis
from core.errors import BadInput
from core.ports import ModelIdentity


def compare(a: Report, b: Report) -> Comparison:
    """Raises `BadInput` where one is withheld, where both are one case, or where they have no finding in common."""
    for report in (a, b):
        if report.status == "withheld":
            raise BadInput(
                f"The differential of case {report.case.case_id} is withheld; settle its can't-miss flags, then compare."
            )
    if a.case.case_id == b.case.case_id:
        raise BadInput(f"Both are case {a.case.case_id}; name another case to compare it with.")
    if not {*map(_content, a.case.vignette.findings)} & {*map(_content, b.case.vignette.findings)}:
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
        rows=_rows(a, b),
        specialists=_specialists(a, b),
    )


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


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "none"


def _rows(a: Report, b: Report) -> tuple[ComparedDiagnosis, ...]:
    in_a, in_b = _ranked(a), _ranked(b)
    return tuple(_row(term, in_a.get(term), in_b.get(term)) for term in (in_a | in_b))


def _ranked(report: Report) -> dict[str, RankedDiagnosis]:
    """By canonical name, in the order of rank."""
    terms = {row.diagnosis_id: row.canonical for row in listed_diagnoses(report.statements)}
    ranked = report.differential.ranking.rows if report.differential else ()
    return {terms[row.diagnosis_id]: row for row in sorted(ranked, key=lambda row: row.weighted_rank)}


def _row(term: str, a: RankedDiagnosis | None, b: RankedDiagnosis | None) -> ComparedDiagnosis:
    named = a or b
    assert named is not None
    return ComparedDiagnosis(
        canonical=term,
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


def _specialists(a: Report, b: Report) -> tuple[ComparedSpecialist, ...]:
    specialties = {seat.specialist_id: seat.specialty for report in (b, a) for seat in report.case.panel.specialists}
    order = dict.fromkeys(seat.specialist_id for report in (a, b) for seat in report.case.panel.specialists)
    return tuple(
        ComparedSpecialist(
            speaker=speaker,
            specialty=specialties[speaker],
            independent=_leading(_independent(a, speaker), _independent(b, speaker)),
            ballot=_leading(_first_choice(a, speaker), _first_choice(b, speaker)),
        )
        for speaker in order
    )


def _leading(in_a: ListedDiagnosis | None, in_b: ListedDiagnosis | None) -> ComparedLeading:
    return ComparedLeading(
        a=in_a.name if in_a else None,
        b=in_b.name if in_b else None,
        changed=in_a.canonical != in_b.canonical if in_a and in_b else None,
    )


def _independent(report: Report, speaker: SpecialistId) -> ListedDiagnosis | None:
    own = own_differential(report.statements, speaker)
    if own is None or not own.claims:
        return None
    return _listed(report, listing_of(own.claims[0].diagnosis, listed_diagnoses(report.statements)))


def _first_choice(report: Report, speaker: SpecialistId) -> ListedDiagnosis | None:
    for statement in report.statements:
        if isinstance(statement, BallotStatement) and statement.speaker == speaker and statement.choices:
            return _listed(report, statement.choices[0])
    return None


def _listed(report: Report, diagnosis_id: DiagnosisId | None) -> ListedDiagnosis | None:
    return next((row for row in listed_diagnoses(report.statements) if row.diagnosis_id == diagnosis_id), None)

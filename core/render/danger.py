"""Can't-miss diagnoses: who or what raised each, how to find it, and how the clinician settled it."""

from core.domain.appraisal import CantMissFlag, FlagSource
from core.domain.case import FlagId, Settlement
from core.domain.panel import SpecialistId
from core.domain.report import Report
from core.render.contents import Block, Fact, Facts, Items, Paragraph, Section, fact, table
from core.render.references import References, ids

DECISIONS = {"excluded": "Already excluded", "needs_test": "Needs a test", "taken_in": "Taken into the differential"}
INTRODUCTION = (
    "Named by specialists in round 7 or raised by the rule list, likely or not, in the order of the alphabet. "
    "None is dropped."
)


def cant_miss(report: Report, names: References) -> Section:
    review = report.cant_miss
    flags = sorted(review.flags, key=lambda flag: (flag.diagnosis.casefold(), flag.canonical))
    shown = {*(flag.flag_id for flag in flags), review.checklist_id}
    others = dict.fromkeys(s.flag_id for s in report.case.settlements if s.flag_id not in shown)
    stray = tuple(
        _settled(report, flag_id, f"Settlement of {flag_id}, a flag this report no longer has") for flag_id in others
    )
    return Section(
        title="Can't-miss diagnoses",
        blocks=(
            Paragraph(text=INTRODUCTION if flags else "No specialist and no rule raised a can't-miss diagnosis."),
            Paragraph(text=f"Presenting complaints in the rule list: {ids(review.complaints)}."),
            *((Items(lines=report.withheld_because),) if report.withheld_because else ()),
            *(_flag(report, flag, names) for flag in flags),
            _checklist(report),
            *((Facts(rows=stray),) if stray else ()),
        ),
    )


def _flag(report: Report, flag: CantMissFlag, names: References) -> Section:
    rows = (
        fact("Urgency", flag.urgency),
        fact("ICD-10-CM", flag.icd10 or "no code in the terminology"),
        fact("Raised by", *(_source(source, names) for source in flag.sources)),
        fact("Key tests", *flag.key_tests),
        fact("Time windows", *flag.windows),
        _settled(report, flag.flag_id, "Settled"),
    )
    return Section(title=flag.diagnosis, blocks=(Facts(rows=rows),))


def _source(source: FlagSource, names: References) -> str:
    if source.kind == "rule":
        return f"Rule list ({source.who}), triggered by the words: {source.detail}"
    return f"{names.specialty(SpecialistId(source.who))}: {source.detail}"


def _settled(report: Report, flag_id: FlagId, label: str) -> Fact:
    """The latest settlement counts; earlier ones stay readable."""
    made = [settlement for settlement in report.case.settlements if settlement.flag_id == flag_id]
    if not made:
        return fact(label, "Not settled yet")
    return fact(
        label, _settlement(made[-1]), *(f"Revised, no longer counts: {_settlement(s)}" for s in reversed(made[:-1]))
    )


def _settlement(settlement: Settlement) -> str:
    return f"{DECISIONS[settlement.decision]}: {settlement.reason} ({settlement.by}, {settlement.at})"


def _checklist(report: Report) -> Section:
    review = report.cant_miss
    ordered = sorted(review.checklist, key=lambda row: (row.diagnosis.casefold(), row.complaint))
    rows: list[tuple[str, ...]] = [(row.diagnosis, row.complaint, row.key_test, row.window) for row in ordered]
    blocks: tuple[Block, ...] = (
        Paragraph(
            text="Other dangerous diagnoses of the presenting complaint, which no words of the vignette support. "
            "They are settled together."
        ),
        table(
            "Checklist of the presenting complaint", ("Diagnosis", "Complaint", "Key test", "Time window"), rows,
            "The rule list has no further diagnoses for this case.",
        ),
    )  # fmt: skip
    has_settlement = any(settlement.flag_id == review.checklist_id for settlement in report.case.settlements)
    if rows or has_settlement:
        blocks += (Facts(rows=(_settled(report, review.checklist_id, "Settled"),)),)
    return Section(title="Checklist", blocks=blocks)

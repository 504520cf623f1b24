"""The whole document in the order in which a clinician reads it."""

from core.domain.report import Report
from core.render.alignment import alignment
from core.render.contents import Document, Issued, Section
from core.render.danger import cant_miss
from core.render.debate import debate
from core.render.dissent import dissent, evidence
from core.render.opening import DISCLAIMER, about_case, immediate_actions
from core.render.provenance import limits, making, notes, panel, vignette
from core.render.ranking import differential
from core.render.refereeing import referee
from core.render.references import References


def document(report: Report, issued: Issued) -> Document:
    """The tree that every writer shows. A withheld report gives nothing that ranks or counts diagnoses."""
    names = References(report)
    return Document(
        title=f"Ground Rounds: {report.case.title}",
        language="en-US",
        sections=(
            about_case(report, issued),
            immediate_actions(report, names),
            cant_miss(report, names),
            *_released(report, names),
            vignette(report.case),
            panel(report.case),
            *notes(report.case),
            debate(report, names),
            making(report, names),
            limits(),
        ),
        footer=DISCLAIMER,
    )


def _released(report: Report, names: References) -> tuple[Section, ...]:
    if report.status == "withheld":
        return ()
    return (
        differential(report, names),
        dissent(report, names),
        referee(report.refereeing, names),
        alignment(report.cara, names),
        evidence(report, names),
    )

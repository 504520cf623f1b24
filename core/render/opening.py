"""The first page: which case, what it may be used for, what is withheld, what cannot wait."""

from core.domain.case import Case
from core.domain.report import Report
from core.render.contents import Block, Fact, Facts, Issued, Paragraph, Section, fact, table
from core.render.references import LEFT_OUT, References, finding_text

DISCLAIMER = "Research and education, not a medical device; the clinician decides."


def about_case(report: Report, issued: Issued) -> Section:
    case = report.case
    rows = (
        fact("Title", case.title),
        fact("Case", case.case_id),
        fact("Opened", case.opened_at),
        *_continued(case),
        fact("Report made", issued.issued_at),
        fact("Product", f"Ground Rounds {issued.product_version}, protocol version {case.protocol_version}"),
        fact("Head of the event chain", issued.chain_head or "not given: this report was made outside a library"),
        *((fact("Library", issued.library_note),) if issued.library_note else ()),
    )
    note = (Paragraph(text=f"Warning: {report.viability_note}", tone="warning"),) if report.viability_note else ()
    return Section(
        title="The case",
        blocks=(
            Facts(rows=rows), *_carried_over(case), *_status(report), *note, Paragraph(text=DISCLAIMER, tone="notice"),
        ),
    )  # fmt: skip


def _continued(case: Case) -> tuple[Fact, ...]:
    continues = (fact("Continues", f"case {case.continues}"),) if case.continues else ()
    left_out = [finding for finding in case.vignette.findings if finding.finding_id in case.excluded]
    return (*continues, *((fact("Left out by the clinician", *map(finding_text, left_out)),) if left_out else ()))


def _carried_over(case: Case) -> tuple[Paragraph, ...]:
    if not case.excluded:
        return ()
    text = (
        f"The panel and rounds 1 and 2 were carried over from case {case.continues}. They were made with all findings in sight, "
        "so personas and immediate actions may rest on what was left out. From round 3 on the panel saw none of the findings "
        f"marked {LEFT_OUT}, and nothing of rounds 1 and 2. The rule list of can't-miss diagnoses still reads all findings."
    )
    return (Paragraph(text=text, tone="notice"),)


def _status(report: Report) -> tuple[Block, ...]:
    if report.status == "released":
        text = "Status: released. Every can't-miss flag has been settled by the clinician."
        return (Paragraph(text=text, tone="notice"),)
    text = (
        "Status: withheld. The differential and the ballots are not part of this report until the "
        "clinician has settled every can't-miss flag; the open ones are listed below. Lists of diagnoses "
        "stand in the order of the alphabet."
    )
    return (Paragraph(text=text, tone="warning"),)


def immediate_actions(report: Report, names: References) -> Section:
    rows: list[tuple[str, ...]] = [
        (
            row.action.action,
            names.specialty(row.speaker),
            "\n".join(map(names.finding, row.action.findings)) or "none",
        )
        for row in report.immediate
    ]
    return Section(
        title="Immediate actions",
        blocks=(
            Paragraph(text="What specialists called immediate in round 2. Suggested by a model, not an order."),
            table(
                "Actions called immediate", ("Action", "Suggested by", "Findings"), rows,
                "No specialist called an action immediate. This does not mean that nothing is urgent.",
            ),
        ),
    )  # fmt: skip

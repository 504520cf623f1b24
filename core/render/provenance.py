"""What the case was, who sat on the panel, which models answered, at what cost, and where the limits lie."""

import msgspec

from core.domain.case import Case, Finding
from core.domain.panel import SpecialistId
from core.domain.report import Report
from core.ports import ModelIdentity
from core.render.contents import Facts, Items, Paragraph, Section, fact, table
from core.render.references import LEFT_OUT, References, stage_of, stage_title

LIMITS = (
    "The specialists are language models. They may state things that are false, and sound certain while they do.",
    "Nothing that a specialist says was looked up. A guideline that is named may not exist or may say something else.",
    "The terminology, the list of synonyms and the can't-miss rules were not reviewed by a clinician.",
    "The rule list covers some presenting complaints only. That nothing was raised does not mean that "
    "nothing is dangerous.",
    "All specialists may share one model, and with it the same gaps: their agreement is no independent confirmation.",
    "The vignette is all that the panel knew. What it leaves out was not considered.",
    "Neither confidence, nor agreement, nor alignment in this report is a probability of disease.",
    "No result of this program has been validated for clinical use.",
)


def vignette(case: Case) -> Section:
    rows: list[tuple[str, ...]] = [
        (finding.finding_id, finding.text, _state(finding, case)) for finding in case.vignette.findings
    ]
    missing = case.vignette.missing
    return Section(
        title="Vignette",
        blocks=(
            Section(title="As given", blocks=(Paragraph(text=case.vignette.text),)),
            Section(
                title="Numbered findings",
                blocks=(
                    table("Findings", ("Id", "Finding", "Present or absent"), rows, "The vignette holds no finding."),
                ),
            ),
            Section(
                title="Missing in the vignette",
                blocks=(
                    Items(lines=missing)
                    if missing
                    else Paragraph(text="The completeness check found nothing missing."),
                ),
            ),
        ),
    )


def _state(finding: Finding, case: Case) -> str:
    state = "present" if finding.present else "[absent]"
    return f"{state} {LEFT_OUT}" if finding.finding_id in case.excluded else state


def panel(case: Case) -> Section:
    rows: list[tuple[str, ...]] = [
        (seat.specialty, seat.role or "none", seat.persona, f"{seat.temperament}, {seat.temperature:g}")
        for seat in case.panel.specialists
    ]
    head = ("Specialist", "Debate role", "Persona", "Temperament and temperature")
    return Section(title="Panel", blocks=(table("Specialists", head, rows, "Nobody sat on the panel."),))


def notes(case: Case) -> tuple[Section, ...]:
    """What the clinician wrote down; no section without notes."""
    rows: list[tuple[str, ...]] = [(note.at, note.by, note.text) for note in case.notes]
    if not rows:
        return ()
    return (Section(title="Clinician's notes", blocks=(table("Notes", ("Time", "By", "Note"), rows, ""),)),)


def making(report: Report, names: References) -> Section:
    return Section(
        title="How this report was made",
        blocks=(
            Paragraph(text=f"Model chosen for the case: {report.case.model_id}. Models that answered:"),
            *(_model(model) for model in report.models),
            *(() if report.models else (Paragraph(text="No model answered."),)),
            _settings(report.case),
            _costs(report),
            _left_out(report, names),
        ),
    )


def limits() -> Section:
    return Section(title="Limits", blocks=(Items(lines=LIMITS),))


def _model(model: ModelIdentity) -> Section:
    parameters = f"{model.parameters / 1e9:.2f} billion" if model.parameters else "none: the replies come from a script"
    rows = (
        fact("SHA-256 of the file", model.file_sha256),
        fact("Parameters", parameters),
        fact("Quantization", model.quantization),
        fact("Context", f"{model.context_tokens:,} tokens"),
        fact("Engine", model.engine),
        fact("Device", model.device),
        fact("Notes", *model.notes),
    )
    return Section(title=model.model_id, blocks=(Facts(rows=rows),))


def _settings(case: Case) -> Section:
    values = msgspec.structs.asdict(case.settings)
    rows = tuple(fact(name.replace("_", " ").capitalize(), _value(value)) for name, value in values.items())
    return Section(title="Settings", blocks=(Facts(rows=(*rows, fact("Seed", str(case.seed)))),))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _costs(report: Report) -> Section:
    rows: list[tuple[str, ...]] = [
        (
            stage_title(row.stage), f"{row.calls}", f"{row.prompt_tokens:,}", f"{row.evaluated_tokens:,}",
            f"{row.decoded_tokens:,}", f"{row.forced_tokens:,}", f"{row.seconds:,.0f}",
        )
        for row in report.figures
    ]  # fmt: skip
    head = ("Stage", "Calls", "Prompt tokens", "Evaluated", "Decoded", "Forced by the form", "Seconds")
    costs = table("Cost of each stage", head, rows, "Nothing was asked.")
    carried_over = f"The figures of rounds 1 and 2 are those of case {report.case.continues}: they were asked there."
    notes = (Paragraph(text=carried_over),) if report.case.excluded else ()
    return Section(title="Tokens and time", blocks=(*notes, costs))


def _left_out(report: Report, names: References) -> Section:
    rows: list[tuple[str, ...]] = []
    for row in report.left_out:
        first_words = "\n".join(f"{words} ..." for words in row.first_words) or "none"
        who = names.specialty(SpecialistId(row.address.split("/")[1]))
        rows.append((stage_title(stage_of(row.address)), who, str(row.blocks), first_words))
    head = ("Stage", "Asked of", "Statements left out", "They begin with")
    empty = "None: every prompt held everything it should hold."
    return Section(
        title="Statements left out of prompts",
        blocks=(table("Left out because the board did not fit into the context", head, rows, empty),),
    )

"""Who still disagrees, how the panel moved, what the interventions changed, and which findings carry what."""

from collections.abc import Sequence

from core.domain.dissent import CatfishEffect, Dissent, Dissenter, LeadingChange
from core.domain.evidence import ClaimTrail, EvidenceMap, FindingUse
from core.domain.panel import SpecialistId
from core.domain.report import Report
from core.domain.statement import Acts, CatfishStatement, Collapse, RoleReminder
from core.render import claims
from core.render.contents import Block, Fact, Facts, Items, Paragraph, Section, fact, table
from core.render.references import References, ids, percent, stage_title

MOVES = (
    "Disagreement is the share of pairs of specialists with different leading diagnoses. A change counts as justified where it "
    "names an own error in a claim for the diagnosis that was left, or a ground that the specialist had not seen before and that "
    "rests on a finding; all else is giving in. A named cause is what the model states: nobody looked into it."
)
NO_DISSENT = (
    "At the end the same diagnosis leads for every specialist who said which. That is no proof that it is right."
)
EVIDENCE = (
    "Which claims rest on which finding, as the specialists stated it. Many claims on one finding are no more evidence than "
    "one: they may repeat each other."
)


def dissent(report: Report, names: References) -> Section:
    """Only for a released report."""
    found = report.dissent
    title = "Dissent and how the panel moved"
    if found is None:
        return Section(title=title, blocks=(Paragraph(text="Not worked out for this report."),))
    return Section(
        title=title,
        blocks=(
            Section(title="Dissent at the end", blocks=_dissenters(report, found.dissenters, names)),
            Section(title="How the panel moved", blocks=_moves(found, names)),
            Section(title="Interventions", blocks=_interventions(report, found, names)),
        ),
    )


def evidence(report: Report, names: References) -> Section:
    """Only for a released report."""
    found = report.evidence
    title = "Evidence map"
    if found is None:
        return Section(title=title, blocks=(Paragraph(text="Not worked out for this report."),))
    return Section(title=title, blocks=(Paragraph(text=EVIDENCE), _findings(found, names), _claims(found, names)))


def _dissenters(report: Report, found: Sequence[Dissenter], names: References) -> tuple[Block, ...]:
    if not found:
        return (Paragraph(text=NO_DISSENT),)
    return tuple(
        Section(
            title=f"{names.specialty(dissenter.speaker)} holds {dissenter.leading}",
            blocks=(Facts(rows=_grounds(dissenter, names)),),
        )
        for dissenter in found
    )


def _grounds(dissenter: Dissenter, names: References) -> tuple[Fact, ...]:
    made = [claim for claim_id in dissenter.claims if (claim := names.made(claim_id))]
    lines = [
        f"{claim.claim_id}: {claim.text}\nGround: {claim.ground} (findings: {ids(claim.supporting)})" for claim in made
    ]
    return (fact("On these grounds", *(lines or ["It made no claim for this diagnosis of its own."])),)


def _moves(found: Dissent, names: References) -> tuple[Block, ...]:
    steps: list[tuple[str, ...]] = [
        (
            stage_title(step.stage),
            "; ".join(f"{names.specialty(speaker)}: {name}" for speaker, name in step.leading) or "nobody",
            "not measured" if step.disagreement is None else percent(step.disagreement),
        )
        for step in found.steps
    ]
    head = ("Step", "Leading diagnosis of each", "Disagreement")
    return (
        Paragraph(text=MOVES),
        table("Steps of the debate", head, steps, "Nobody named a leading diagnosis."),
        table(
            "Changes of the leading diagnosis",
            ("Specialist", "At", "From", "To", "Cause, as stated", "Counts as"),
            [_change(change, names) for change in found.changes],
            "Nobody changed its leading diagnosis.",
        ),
    )


def _change(change: LeadingChange, names: References) -> tuple[str, ...]:
    cause = f"{change.cause.kind}, {names.ground(change.cause.ground)}" if change.cause else "none"
    verdict = "justified" if change.justified else "giving in"
    stage = stage_title(change.stage)
    return (names.specialty(change.speaker), stage, change.before, change.after, cause, verdict)


def _interventions(report: Report, found: Dissent, names: References) -> tuple[Block, ...]:
    blocks: list[Block] = [Paragraph(text=_collapse(collapse), tone="notice") for collapse in found.collapses]
    spoken = [statement for statement in report.statements if isinstance(statement, CatfishStatement)]
    for statement, effect in zip(spoken, found.catfish, strict=True):
        blocks.append(_catfish(statement, effect, names))
    reminded = [statement for statement in report.statements if isinstance(statement, RoleReminder)]
    lines = [
        f"{names.specialty(reminder.speaker)} ({reminder.role}): drift {reminder.drift:.2f} after {_acts(reminder.acts)}; "
        + ("it did not speak in the debate again." if effect.after is None else f"afterwards {effect.after:.2f}.")
        for reminder, effect in zip(reminded, found.reminders, strict=True)
    ]
    if lines:
        blocks.append(Section(title="Specialists reminded of their role", blocks=(Items(lines=tuple(lines)),)))
    return tuple(blocks) or (Paragraph(text="None: the debate did not collapse, and everybody kept to its role."),)


def _collapse(collapse: Collapse) -> str:
    return (
        f"Collapse: from {stage_title(collapse.before)} to {stage_title(collapse.after)} disagreement fell from "
        f"{percent(collapse.disagreement_before)} to {percent(collapse.disagreement_after)}, and {collapse.unjustified} of "
        f"{collapse.changes} changes had no cause that counts."
    )


def _catfish(statement: CatfishStatement, effect: CatfishEffect, names: References) -> Section:
    after = "not measured" if effect.disagreement_after is None else percent(effect.disagreement_after)
    before = "not measured" if effect.disagreement_before is None else percent(effect.disagreement_before)
    rows = (
        fact("Against the consensus on", names.diagnosis(statement.against)),
        *claims.challenge_rows(statement.challenge, names),
        fact("The consensus would be right if", statement.would_justify),
        fact("Had to answer", names.specialties(effect.addressed)),
        fact("Answered with a finding", names.specialties(effect.answered)),
        fact("Changed the leading diagnosis afterwards", names.specialties(effect.changed)),
        fact("Disagreement", f"{before} before, {after} after"),
    )
    return Section(title=f"The catfish, {statement.challenge.challenge_id}", blocks=(Facts(rows=rows),))


def _acts(acts: Acts) -> str:
    counts = [(name, getattr(acts, name)) for name in acts.__struct_fields__]
    return ", ".join(f"{count} x {name}" for name, count in counts if count)


def _findings(found: EvidenceMap, names: References) -> Block:
    rows = [_finding(use, names) for use in found.findings]
    head = ("Finding", "Carries the claims", "Speaks against", "Carries the challenges")
    return table("Findings and what rests on them", head, rows, "The case has no findings.")


def _finding(use: FindingUse, names: References) -> tuple[str, ...]:
    return (
        names.finding(use.finding_id),
        "; ".join(map(names.claim, use.supporting)) or "none",
        "; ".join(map(names.claim, use.opposing)) or "none",
        ids(use.challenges),
    )


def _claims(found: EvidenceMap, names: References) -> Block:
    head = ("Claim", "By", "Diagnosis", "For", "Against", "Challenged in", "Convinced", "What became of it")
    rows = [_claim(trail, names) for trail in found.claims]
    return table("Claims and what became of them", head, rows, "Nobody made a claim.")


def _claim(trail: ClaimTrail, names: References) -> tuple[str, ...]:
    who: tuple[SpecialistId, ...] = trail.convinced
    return (
        trail.claim_id,
        names.specialty(trail.speaker),
        trail.diagnosis,
        ids(trail.supporting),
        ids(trail.opposing),
        ids(trail.challenges),
        names.specialties(who),
        trail.fate,
    )

"""The catfish: where disagreement collapsed without grounds, one voice speaks against the emerging consensus.

It has no seat and no vote. It speaks in one extra round 5b, the panel answers in one extra round 5c; so at most twice a case.
Source: Catfish, protocol section 7.
"""

from core.consult.asking import Question, answers, requests
from core.consult.board import board
from core.consult.dissent import consensus, steps, unanswered_collapse
from core.consult.independent import disease_name
from core.domain.case import Case, FindingId, considered
from core.domain.debate import all_challenges, all_claims, listed_diagnoses
from core.domain.panel import Specialist
from core.domain.statement import (
    CATFISH,
    Abstention,
    CatfishStatement,
    Challenge,
    ChallengeId,
    Claim,
    ClaimId,
    Collapse,
    ListedDiagnosis,
    Statement,
)
from core.forms import Form, Picks, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGES = ("r5b2", "r5b3")
PERSONA = "You listen for agreement that came too easily, and say what nobody dares to say."


def speak_against(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """One challenge to the consensus, or nothing where the debate did not collapse or was answered for."""
    collapse = unanswered_collapse(statements, case.settings)
    times = sum(statement.speaker == CATFISH for statement in statements if hasattr(statement, "speaker"))
    if collapse is None or times >= case.settings.catfish_times:
        return ()
    row, targets = _attacked(statements)
    if not targets:
        return ()
    return (_speech(case, statements, gate, STAGES[times], row, targets, collapse),)


def _attacked(statements: tuple[Statement, ...]) -> tuple[ListedDiagnosis, tuple[Claim, ...]]:
    """The consensus, and the claims on which it rests: those for it, else all of those who hold it."""
    last = steps(statements)[-1]
    name = consensus(last)
    row = next(row for row in listed_diagnoses(statements) if row.canonical == name)
    holders = {speaker for speaker, leading in last.leading.items() if leading == name}
    theirs = tuple(claim for claim in all_claims(statements) if claim.speaker in holders)
    return row, tuple(claim for claim in theirs if claim.diagnosis in (row.name, *row.names)) or theirs


def _speech(
    case: Case,
    statements: tuple[Statement, ...],
    gate: ModelGate,
    stage: str,
    row: ListedDiagnosis,
    targets: tuple[Claim, ...],
    collapse: Collapse,
) -> Statement:
    form = _form(case, targets)
    task = Block(text=fill("r5_catfish", consensus=row.name, form=form.instructions()))
    question = Question(specialist=_seat(case), form=form, model=case.settings.catfish_model)
    asked = requests(case, stage, (*board(case, statements), task), [question])
    (filled,) = answers(case, asked, gate)
    if isinstance(filled, Abstention):
        return filled
    challenge = Challenge(
        challenge_id=ChallengeId(f"Q{len(all_challenges(statements)) + 1}"),
        speaker=CATFISH,
        target=ClaimId(filled.pick("TARGET").split()[0]),
        act="CHALLENGE",
        stance="DISAGREE",
        claim=filled.text("CLAIM"),
        ground=filled.text("GROUND"),
        findings=tuple(map(FindingId, filled.picks("FINDINGS"))),
        proposal=filled.name("ALTERNATIVE"),
    )
    return CatfishStatement(
        address=asked[0].address,
        collapse=collapse,
        against=row.diagnosis_id,
        challenge=challenge,
        would_justify=filled.text("WOULD-JUSTIFY"),
    )


def _form(case: Case, targets: tuple[Claim, ...]) -> Form:
    findings = tuple(finding.finding_id for finding in considered(case))
    return Form(
        name="catfish",
        fields=(
            words("TARGET", *(f"{c.claim_id} {c.speaker}, {c.diagnosis}" for c in targets), hint="the weakest claim"),
            Text(label="CLAIM", hint="your counter-argument, new to the panel", max_chars=110),
            Text(label="GROUND", hint="the fact behind it", max_chars=110),
            Picks(label="FINDINGS", hint="findings that it rests on", options=findings, low=1, high=3),
            disease_name("ALTERNATIVE"),
            Text(label="WOULD-JUSTIFY", hint="evidence that would show the consensus to be right", max_chars=110),
        ),
    )


def _seat(case: Case) -> Specialist:
    return Specialist(
        specialist_id=CATFISH,
        specialty="dissent",
        persona=PERSONA,
        temperament="innovative",
        temperature=case.settings.innovative_temperature,
    )

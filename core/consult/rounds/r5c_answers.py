"""Round 5c: answers to the challenges addressed to each, then the three diagnoses that each holds in the end.

Asked again after the catfish spoke: whoever holds the consensus then answers it.
"""

from collections.abc import Mapping
from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import board, challenge_line, claim_line
from core.consult.changing import LEADING, OF_THE_LIST, cause_fields, cause_of, leading_field, leading_told
from core.consult.dissent import addressed_by
from core.consult.roles import task_of
from core.domain.case import Case, FindingId, considered
from core.domain.debate import all_claims, last_leading, listed_diagnoses, listing_of, own_differential, pick_names
from core.domain.panel import Specialist, SpecialistId
from core.domain.statement import (
    Abstention,
    Answer,
    AnswerAct,
    AnswerStatement,
    CatfishStatement,
    Challenge,
    ChallengeId,
    ChallengeStatement,
    Claim,
    ClaimId,
    GroundKind,
    Holding,
    ListedDiagnosis,
    Statement,
)  # fmt: skip
from core.forms import CUT, Choice, Field, Filled, Form, Option, Picks, Repeat, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r5c"
KINDS = ("mechanism", "guideline", "epidemiology", "finding")


def answer(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """Everybody answers the challenges of round 5b."""
    claims = {claim.claim_id: claim for claim in all_claims(statements)}
    made = tuple(statement.challenge for statement in statements if isinstance(statement, ChallengeStatement))
    received = {
        seat.specialist_id: tuple(c for c in made if claims[c.target].speaker == seat.specialist_id)
        for seat in case.panel.specialists
    }
    return _answers(case, statements, gate, STAGE, received)


def answer_again(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """Everybody speaks once more where the catfish spoke last; nothing where it did not."""
    catfish = [statement for statement in statements if isinstance(statement, CatfishStatement)]
    if not catfish or any(isinstance(s, AnswerStatement) for s in statements[statements.index(catfish[-1]) :]):
        return ()
    addressed = addressed_by(catfish[-1], statements)
    received = {
        seat.specialist_id: (catfish[-1].challenge,) if seat.specialist_id in addressed else ()
        for seat in case.panel.specialists
    }
    return _answers(case, statements, gate, catfish[-1].address.split("/")[0].replace("r5b", STAGE), received)


def _answers(
    case: Case,
    statements: tuple[Statement, ...],
    gate: ModelGate,
    stage: str,
    received: Mapping[SpecialistId, tuple[Challenge, ...]],
) -> tuple[Statement, ...]:
    rows = listed_diagnoses(statements)
    if not rows:
        return ()
    questions = [_question(case, statements, seat, received[seat.specialist_id]) for seat in case.panel.specialists]
    task = Block(text=fill("r5c_answers", form=_told(case, statements).instructions()))
    asked = requests(case, stage, (*board(case, statements), task), questions)
    said: list[Statement] = []
    number = len(tuple(all_claims(statements)))
    for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True):
        if isinstance(filled, Abstention):
            said.append(filled)
            continue
        items = enumerate(filled.items("HOLDINGS"), start=number + 1)
        holdings = tuple(_holding(item, seat, rows, claim_number) for claim_number, item in items)
        number += len(holdings)
        said.append(
            AnswerStatement(
                address=request.address,
                speaker=seat.specialist_id,
                answers=tuple(_reply(filled, c.challenge_id) for c in received[seat.specialist_id]),
                holdings=holdings,
                leading=pick_names(rows)[filled.pick(LEADING)],
                leading_cause=cause_of(filled.after(LEADING)),
            )
        )
    return tuple(said)


def _question(case: Case, statements: tuple[Statement, ...], seat: Specialist, mine: tuple[Challenge, ...]) -> Question:
    speaker = seat.specialist_id
    claims = {claim.claim_id: claim for claim in all_claims(statements)}
    before = last_leading(statements, speaker)
    leading = leading_field(listed_diagnoses(statements), before, cause_fields(statements, speaker))
    return Question(
        specialist=seat,
        form=_form(case, mine, _holding_options(statements, speaker), leading),
        more=_addressed(mine, claims),
        role=task_of(seat, statements),
    )


def _addressed(mine: tuple[Challenge, ...], claims: Mapping[ClaimId, Claim]) -> str:
    """Every challenge to this specialist in full, with the claim that it attacks."""
    if not mine:
        return "Nobody challenged you: begin with the three diagnoses that you hold."
    lines = [f"{claim_line(claims[c.target])}\n{challenge_line(c)}".replace(f" {CUT}", "") for c in mine]
    ids = ", ".join(c.challenge_id for c in mine)
    return "CHALLENGES TO YOU\n" + "\n".join(lines) + f"\nBegin with your answers to {ids}."


def _form(case: Case, received: tuple[Challenge, ...], options: tuple[Option, ...], leading: Choice) -> Form:
    findings = tuple(finding.finding_id for finding in considered(case))
    why = (
        Text(label="WHY", hint="your ground", max_chars=100),
        Picks(label="FINDINGS", hint="findings that it rests on", options=findings, low=0, high=3),
    )
    acts = (Option(name="DEFEND", then=why), Option(name="UPDATE", then=why))
    holding: tuple[Field, ...] = (
        Choice(label="DIAGNOSIS", told=OF_THE_LIST, options=options),
        Text(label="CLAIM", hint="which findings of this patient it explains", max_chars=100),
        Text(label="GROUND", hint="by which mechanism the disease causes them", max_chars=100),
        words("GROUND-KIND", *KINDS),
        Picks(label="FOR", hint="findings that support it", options=findings, low=1, high=3),
    )
    return Form(
        name="answers",
        fields=(
            *(Choice(label=challenge.challenge_id, options=acts) for challenge in received),
            Repeat(label="HOLDINGS", hint="best first", fields=holding, low=3, high=3, distinct=True),
            leading,
        ),
    )


def _told(case: Case, statements: tuple[Statement, ...]) -> Form:
    """The form for the instructions, which all specialists share."""
    causes = cause_fields(statements, None)
    statuses = (Option(name="MAINTAINED"), *_changed(causes))
    options = tuple(_with_status(name, statuses) for name in pick_names(listed_diagnoses(statements)))
    return _form(case, (), options, leading_told(causes))


def _holding_options(statements: tuple[Statement, ...], speaker: SpecialistId) -> tuple[Option, ...]:
    """Every diagnosis of the list. What the specialist did not name itself can only be a change; a change has a cause."""
    rows, own = listed_diagnoses(statements), own_differential(statements, speaker)
    named = {listing_of(claim.diagnosis, rows) for claim in own.claims} if own else set()
    changed = _changed(cause_fields(statements, speaker))
    kept = (Option(name="MAINTAINED"),)
    return tuple(
        _with_status(name, (*kept, *changed) if diagnosis_id in named else changed or kept)
        for name, diagnosis_id in pick_names(rows).items()
    )


def _with_status(name: str, statuses: tuple[Option, ...]) -> Option:
    return Option(name=name, then=(Choice(label="STATUS", options=statuses),))


def _changed(causes: tuple[Field, ...]) -> tuple[Option, ...]:
    """The option CHANGED; nothing where there is no cause to name."""
    return (Option(name="CHANGED", then=causes),) if causes else ()


def _reply(filled: Filled, challenge_id: ChallengeId) -> Answer:
    more = filled.after(challenge_id)
    return Answer(
        challenge_id=challenge_id,
        act=cast(AnswerAct, filled.pick(challenge_id)),
        why=more.text("WHY"),
        findings=tuple(map(FindingId, more.picks("FINDINGS"))),
    )


def _holding(item: Filled, seat: Specialist, rows: tuple[ListedDiagnosis, ...], number: int) -> Holding:
    diagnosis_id = pick_names(rows)[item.pick("DIAGNOSIS")]
    changed = item.pick("STATUS") == "CHANGED"
    return Holding(
        diagnosis_id=diagnosis_id,
        status="CHANGED" if changed else "MAINTAINED",
        cause=cause_of(item) if changed else None,
        claim=Claim(
            claim_id=ClaimId(f"C{number}"),
            speaker=seat.specialist_id,
            diagnosis=next(row.name for row in rows if row.diagnosis_id == diagnosis_id),
            text=item.text("CLAIM"),
            ground=item.text("GROUND"),
            ground_kind=cast(GroundKind, item.pick("GROUND-KIND")),
            supporting=tuple(map(FindingId, item.picks("FOR"))),
            opposing=(),
            cut=bool(item.cut),
        ),
    )

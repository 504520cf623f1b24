"""Round 5b: each specialist takes up one claim of a colleague. Everyone sees the board as it stood before."""

from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import board
from core.consult.independent import disease_name
from core.consult.roles import task_of
from core.domain.case import Case, FindingId, considered
from core.domain.debate import all_challenges, all_claims
from core.domain.panel import Specialist
from core.domain.statement import (
    Abstention,
    Challenge,
    ChallengeAct,
    ChallengeId,
    ChallengeStatement,
    Claim,
    ClaimId,
    Stance,
    Statement,
)  # fmt: skip
from core.forms import Choice, Filled, Form, Option, Picks, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r5b"


def challenge(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """Who has no colleague with a claim is not asked."""
    claims = tuple(all_claims(statements))
    targets = {
        seat.specialist_id: tuple(_target(claim) for claim in claims if claim.speaker != seat.specialist_id)
        for seat in case.panel.specialists
    }
    seats = [seat for seat in case.panel.specialists if targets[seat.specialist_id]]
    if not seats:
        return ()
    findings = tuple(finding.finding_id for finding in considered(case))
    questions = [
        Question(
            specialist=seat,
            form=_form(targets[seat.specialist_id], findings),
            more=_own_claims(claims, seat),
            role=task_of(seat, statements),
        )
        for seat in seats
    ]
    # The form stands in the shared part as it is for everybody; that nobody picks its own claim is the grammar's business.
    form = _form(tuple(map(_target, claims)), findings).instructions()
    task = Block(text=fill("r5b_challenges", form=form))
    asked = requests(case, STAGE, (*board(case, statements), task), questions)
    said: list[Statement] = []
    number = len(all_challenges(statements))
    for seat, request, filled in zip(seats, asked, answers(case, asked, gate), strict=True):
        if isinstance(filled, Abstention):
            said.append(filled)
            continue
        number += 1
        made = _challenge(filled, ChallengeId(f"Q{number}"), seat)
        said.append(ChallengeStatement(address=request.address, speaker=seat.specialist_id, challenge=made))
    return tuple(said)


def _target(claim: Claim) -> str:
    """A claim as it is picked: its id, and in words whose it is and of what."""
    return f"{claim.claim_id} {claim.speaker}, {claim.diagnosis}"


def _own_claims(claims: tuple[Claim, ...], seat: Specialist) -> str:
    mine = ", ".join(claim.claim_id for claim in claims if claim.speaker == seat.specialist_id)
    return f"Your own claims are {mine}; take up one of another specialist." if mine else ""


def _form(targets: tuple[str, ...], findings: tuple[str, ...]) -> Form:
    stances = words("STANCE", "AGREE", "DISAGREE", "EXTEND")
    acts = (
        Option(name="CHALLENGE", then=(words("STANCE", "DISAGREE"),)),
        Option(name="PROPOSE", then=(disease_name("PROPOSAL"), stances)),
        Option(name="ASK", then=(stances,)),
        Option(name="CITE", then=(stances,)),
    )
    return Form(
        name="challenge",
        fields=(
            words("TARGET", *targets, told="id of the colleague's claim, with whose it is and of what"),
            Choice(label="ACT", options=acts),
            Text(label="CLAIM", hint="what is wrong or missing in it for this patient", max_chars=110),
            Text(label="GROUND", hint="the mechanism or the finding that shows it", max_chars=110),
            Picks(label="FINDINGS", hint="findings that your ground rests on", options=findings, low=1, high=3),
        ),
    )


def _challenge(filled: Filled, challenge_id: ChallengeId, seat: Specialist) -> Challenge:
    return Challenge(
        challenge_id=challenge_id,
        speaker=seat.specialist_id,
        target=ClaimId(filled.pick("TARGET").split()[0]),
        act=cast(ChallengeAct, filled.pick("ACT")),
        stance=cast(Stance, filled.pick("STANCE")),
        claim=filled.text("CLAIM"),
        ground=filled.text("GROUND"),
        findings=tuple(map(FindingId, filled.picks("FINDINGS"))),
        proposal=filled.name("PROPOSAL") if "PROPOSAL" in filled else None,
    )

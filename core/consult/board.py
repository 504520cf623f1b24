"""What the panel sees of itself: every statement as text, in the order in which it was said. Only ever appended to."""

from collections.abc import Iterable, Iterator

from core.domain.case import Vignette
from core.domain.statement import (
    Abstention,
    AnswerStatement,
    BallotStatement,
    CantMissStatement,
    Challenge,
    ChallengeStatement,
    Claim,
    DifferentialStatement,
    MasterList,
    PositionStatement,
    RelevanceStatement,
    Statement,
    TriageStatement,
)  # fmt: skip
from core.ports import Block
from core.prompts import fill


def findings_block(vignette: Vignette) -> Block:
    lines = (
        f"{finding.finding_id}: {finding.text}" + ("" if finding.present else " [absent]")
        for finding in vignette.findings
    )
    return Block(text=fill("findings", findings="\n".join(lines)))


def board(statements: Iterable[Statement]) -> tuple[Block, ...]:
    """One block a statement. Those of rounds 1 and 2 may be left out where the whole does not fit."""
    return (
        Block(text="WHAT THE PANEL SAID\n"),
        *(
            Block(text=text, droppable=isinstance(statement, RelevanceStatement | TriageStatement))
            for statement in statements
            if (text := "".join(f"{line}\n" for line in _lines(statement)))
        ),
    )


def claim_line(claim: Claim) -> str:
    """The whole claim: who says it, of which diagnosis, on which ground and findings."""
    against = f" Against: {', '.join(claim.opposing)}." if claim.opposing else ""
    return (
        f"{claim.claim_id} {claim.speaker}: {claim.diagnosis}. {claim.text} "
        f"Ground ({_kind(claim)}): {claim.ground} For: {', '.join(claim.supporting) or 'none'}.{against}"
    )


def challenge_line(challenge: Challenge) -> str:
    """The whole challenge, with the claim that it is about."""
    proposal = f" Proposes {challenge.proposal}." if challenge.proposal else ""
    rests = f" Findings: {', '.join(challenge.findings)}." if challenge.findings else ""
    return (
        f"{challenge.challenge_id} {challenge.speaker} to {challenge.target}: {challenge.act}, {challenge.stance}."
        f"{proposal} {challenge.claim} Ground: {challenge.ground}{rests}"
    )


def _kind(claim: Claim) -> str:
    return "guideline, stated by the model, not looked up" if claim.ground_kind == "guideline" else claim.ground_kind


def _lines(statement: Statement) -> Iterator[str]:
    match statement:
        case RelevanceStatement():
            yield f"R1 {statement.speaker}: relevance {statement.relevance} of 10. {statement.why}"
        case TriageStatement():
            for a in statement.actions:
                yield f"R2 {statement.speaker}: {a.urgency}: {a.action} ({', '.join(a.findings)})"
        case DifferentialStatement():
            yield from map(claim_line, statement.claims)
        case MasterList():
            yield "LIST OF DIAGNOSES (in the order of the alphabet, not of likelihood)"
            for listed in statement.diagnoses:
                yield f"{listed.diagnosis_id}: {listed.name}"
        case PositionStatement():
            supported = ", ".join(p.diagnosis_id for p in statement.positions if p.stance == "SUPPORT")
            if supported:
                yield f"R5 {statement.speaker} supports {supported}."
            for p in statement.positions:
                if p.stance == "CHALLENGE":
                    yield f"R5 {statement.speaker} challenges {p.diagnosis_id}: {p.ground} ({', '.join(p.findings)})"
        case ChallengeStatement():
            yield challenge_line(statement.challenge)
        case AnswerStatement():
            for answer in statement.answers:
                yield f"R5 {statement.speaker} to {answer.challenge_id}: {answer.act}. {answer.why}"
            for h in statement.holdings:
                cause = f" because of {h.cause} ({h.cause_claim})" if h.cause else ""
                yield f"{h.diagnosis_id} {h.status}{cause}: {claim_line(h.claim)}"
        case Abstention():
            yield f"{statement.address.split('/')[0].upper()} {statement.speaker}: no usable answer."
        case BallotStatement() | CantMissStatement():
            return


__all__ = ["board", "challenge_line", "claim_line", "findings_block"]

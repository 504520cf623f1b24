"""What the panel sees of itself: every statement as text, in the order in which it was said. Only ever appended to."""

from collections.abc import Iterable, Iterator

from core.domain.case import Case, Finding, considered
from core.domain.statement import (
    Abstention,
    AnswerStatement,
    BallotStatement,
    CantMissStatement,
    CatfishStatement,
    Cause,
    Challenge,
    ChallengeStatement,
    Claim,
    DifferentialStatement,
    MasterList,
    PositionStatement,
    RelevanceStatement,
    RoleReminder,
    Statement,
    TriageStatement,
)  # fmt: skip
from core.forms import CUT
from core.ports import Block
from core.prompts import fill

_EARLY = (RelevanceStatement, TriageStatement)


def findings_block(findings: Iterable[Finding]) -> Block:
    lines = (f"{finding.finding_id}: {finding.text}" + ("" if finding.present else " [absent]") for finding in findings)
    return Block(text=fill("findings", findings="\n".join(lines)))


def board(case: Case, statements: Iterable[Statement]) -> tuple[Block, ...]:
    """The findings, then one block a statement. Those of rounds 1 and 2 may be left out where the whole does not fit.

    The mark of a text that reached its bound is left out: models that read it write it.
    Where findings were excluded, rounds 1 and 2 stay off the board: they were made with those findings in sight.
    """
    return (
        findings_block(considered(case)),
        Block(text="WHAT THE PANEL SAID\n"),
        *(
            Block(text=text, droppable=isinstance(statement, _EARLY))
            for statement in statements
            if not (case.excluded and isinstance(statement, _EARLY))
            if (text := "".join(f"{line}\n" for line in _lines(statement) if line).replace(f" {CUT}", ""))
        ),
    )


def claim_line(claim: Claim) -> str:
    """The whole claim: who says it, of which diagnosis, on which ground and findings."""
    against = f" Against: {', '.join(claim.opposing)}." if claim.opposing else ""
    return (
        f"{claim.claim_id} {claim.speaker}: {claim.diagnosis}. {claim.text} "
        f"Ground, {_kind(claim)}: {claim.ground} For: {', '.join(claim.supporting) or 'none'}.{against}"
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
    return "guideline, not looked up" if claim.ground_kind == "guideline" else claim.ground_kind


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
            yield _leads(statement)
        case ChallengeStatement():
            yield challenge_line(statement.challenge)
        case AnswerStatement():
            for answer in statement.answers:
                rests = f" ({', '.join(answer.findings)})" if answer.findings else ""
                yield f"R5 {statement.speaker} to {answer.challenge_id}: {answer.act}. {answer.why}{rests}"
            for h in statement.holdings:
                yield f"{h.diagnosis_id} {h.status}{_because(h.cause)}: {claim_line(h.claim)}"
            yield _leads(statement)
        case CatfishStatement():
            yield f"{challenge_line(statement.challenge)} {statement.against} would be right if: {statement.would_justify}"
        case Abstention():
            yield f"{statement.address.split('/')[0].upper()} {statement.speaker}: no usable answer."
        case BallotStatement() | CantMissStatement() | RoleReminder():
            return


def _leads(statement: PositionStatement | AnswerStatement) -> str:
    """Only a change is told: who leads for whom as a rule would invite to follow."""
    cause = _because(statement.leading_cause)
    return f"R5 {statement.speaker} changed to {statement.leading}{cause}." if cause else ""


def _because(cause: Cause | None) -> str:
    return f" because of {cause.kind} ({cause.ground})" if cause else ""


__all__ = ["board", "challenge_line", "claim_line", "findings_block"]

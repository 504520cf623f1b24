"""What may be seen of a debate before the gate opens: single statements, and nothing that ranks or counts.

Source: protocol section 9.
"""

from msgspec.structs import replace

from core.domain.statement import (
    AnswerStatement,
    BallotStatement,
    CatfishStatement,
    Claim,
    DiagnosisId,
    DifferentialStatement,
    MasterList,
    PositionStatement,
    Statement,
)

WITHHELD = DiagnosisId("withheld")
"""Stands where a leading diagnosis would stand."""


def unranked(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements without ballots, leading diagnoses and proposers; lists that stood best first by the alphabet.

    What the catfish said is left out: it names the emerging consensus.
    """
    return tuple(_unranked(s) for s in statements if not isinstance(s, BallotStatement | CatfishStatement))


def _unranked(statement: Statement) -> Statement:
    match statement:
        case DifferentialStatement():
            return replace(statement, claims=tuple(sorted(statement.claims, key=_alphabet)))
        case MasterList():
            return replace(statement, diagnoses=tuple(replace(row, proposers=()) for row in statement.diagnoses))
        case PositionStatement():
            return replace(statement, leading=WITHHELD, leading_cause=None)
        case AnswerStatement():
            holdings = tuple(sorted(statement.holdings, key=lambda holding: _alphabet(holding.claim)))
            return replace(statement, leading=WITHHELD, leading_cause=None, holdings=holdings)
    return statement


def _alphabet(claim: Claim) -> str:
    return claim.diagnosis.casefold()

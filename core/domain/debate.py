"""Looking things up in what was said."""

from collections.abc import Iterable, Iterator

from core.domain.panel import SpecialistId
from core.domain.statement import (
    AnswerStatement,
    CatfishStatement,
    Challenge,
    ChallengeStatement,
    Claim,
    DiagnosisId,
    DifferentialStatement,
    ListedDiagnosis,
    MasterList,
    PositionStatement,
    Statement,
)  # fmt: skip


def listed_diagnoses(statements: Iterable[Statement]) -> tuple[ListedDiagnosis, ...]:
    """The master list as it stands; empty where nobody proposed anything."""
    rows: tuple[ListedDiagnosis, ...] = ()
    for statement in statements:
        if isinstance(statement, MasterList):
            rows = statement.diagnoses
    return rows


def all_claims(statements: Iterable[Statement]) -> Iterator[Claim]:
    """Claims of rounds 3 and 5c in board order."""
    for statement in statements:
        if isinstance(statement, DifferentialStatement):
            yield from statement.claims
        elif isinstance(statement, AnswerStatement):
            yield from (holding.claim for holding in statement.holdings)


def all_challenges(statements: Iterable[Statement]) -> tuple[Challenge, ...]:
    """In board order, the catfish's among them."""
    spoken = (ChallengeStatement, CatfishStatement)
    return tuple(statement.challenge for statement in statements if isinstance(statement, spoken))


def last_answer(statements: Iterable[Statement], speaker: SpecialistId) -> AnswerStatement | None:
    """What the specialist holds at the end of the debate; None where it never answered."""
    found = [s for s in statements if isinstance(s, AnswerStatement) and s.speaker == speaker]
    return found[-1] if found else None


def listing_of(name: str, rows: Iterable[ListedDiagnosis]) -> DiagnosisId | None:
    """Id of the diagnosis into which this wording was merged; None where it is in no list."""
    return next((row.diagnosis_id for row in rows if name in row.names), None)


def own_differential(statements: Iterable[Statement], speaker: SpecialistId) -> DifferentialStatement | None:
    """What the specialist said in round 3; None after an abstention."""
    for statement in statements:
        if isinstance(statement, DifferentialStatement) and statement.speaker == speaker:
            return statement
    return None


def last_leading(statements: Iterable[Statement], speaker: SpecialistId) -> DiagnosisId | None:
    """What led for the specialist when it last named a leading diagnosis; None where it never did."""
    said = tuple(statements)
    for statement in reversed(said):
        if getattr(statement, "speaker", None) != speaker:
            continue
        if isinstance(statement, PositionStatement | AnswerStatement):
            return statement.leading
        if isinstance(statement, DifferentialStatement) and statement.claims:
            return listing_of(statement.claims[0].diagnosis, listed_diagnoses(said))
    return None


def pick_names(rows: Iterable[ListedDiagnosis]) -> dict[str, DiagnosisId]:
    """What a specialist picks from: the name of each diagnosis, without commas, and its id where two are alike."""
    names: dict[str, DiagnosisId] = {}
    for row in rows:
        name = " ".join(row.name.replace(",", " ").split())
        names[f"{name} {row.diagnosis_id}" if name in names else name] = row.diagnosis_id
    return names

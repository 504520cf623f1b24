"""Looking things up in what was said."""

from collections.abc import Iterable, Iterator

from core.domain.panel import SpecialistId
from core.domain.statement import (
    AnswerStatement,
    Challenge,
    ChallengeStatement,
    Claim,
    DiagnosisId,
    DifferentialStatement,
    ListedDiagnosis,
    MasterList,
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
    return tuple(statement.challenge for statement in statements if isinstance(statement, ChallengeStatement))


def listing_of(name: str, rows: Iterable[ListedDiagnosis]) -> DiagnosisId | None:
    """Id of the diagnosis into which this wording was merged; None where it is in no list."""
    return next((row.diagnosis_id for row in rows if name in row.names), None)


def own_differential(statements: Iterable[Statement], speaker: SpecialistId) -> DifferentialStatement | None:
    """What the specialist said in round 3; None after an abstention."""
    for statement in statements:
        if isinstance(statement, DifferentialStatement) and statement.speaker == speaker:
            return statement
    return None


def pick_names(rows: Iterable[ListedDiagnosis]) -> dict[str, DiagnosisId]:
    """What a specialist picks from: the name of each diagnosis, without commas, and its id where two are alike."""
    names: dict[str, DiagnosisId] = {}
    for row in rows:
        name = " ".join(row.name.replace(",", " ").split())
        names[f"{name} {row.diagnosis_id}" if name in names else name] = row.diagnosis_id
    return names

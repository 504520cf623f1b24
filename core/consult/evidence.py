"""The evidence map: each finding with what rests on it, each claim with what became of it. Pure."""

from core.consult.merge import canonical
from core.domain.case import Case, considered
from core.domain.debate import all_challenges, all_claims, last_answer, listed_diagnoses
from core.domain.evidence import ClaimTrail, EvidenceMap, Fate, FindingUse
from core.domain.panel import SpecialistId
from core.domain.statement import AnswerStatement, Cause, Claim, GroundId, PositionStatement, Statement


def map_evidence(case: Case, statements: tuple[Statement, ...]) -> EvidenceMap:
    claims, challenges = tuple(all_claims(statements)), all_challenges(statements)
    causes = _causes(statements)
    return EvidenceMap(
        claims=tuple(
            ClaimTrail(
                claim_id=claim.claim_id,
                speaker=claim.speaker,
                diagnosis=claim.diagnosis,
                supporting=claim.supporting,
                opposing=claim.opposing,
                challenges=tuple(c.challenge_id for c in challenges if c.target == claim.claim_id),
                convinced=tuple(
                    dict.fromkeys(
                        who
                        for who, cause in causes
                        if cause.ground == GroundId(claim.claim_id) and cause.kind == "NEW-GROUND"
                    )
                ),
                fate=_fate(claim, statements),
            )
            for claim in claims
        ),
        findings=tuple(
            FindingUse(
                finding_id=finding.finding_id,
                supporting=tuple(c.claim_id for c in claims if finding.finding_id in c.supporting),
                opposing=tuple(c.claim_id for c in claims if finding.finding_id in c.opposing),
                challenges=tuple(c.challenge_id for c in challenges if finding.finding_id in c.findings),
            )
            for finding in considered(case)
        ),
    )


def _fate(claim: Claim, statements: tuple[Statement, ...]) -> Fate:
    if any(cause.kind == "OWN-ERROR" and cause.ground == GroundId(claim.claim_id) for _, cause in _causes(statements)):
        return "withdrawn as an own error"
    last = last_answer(statements, claim.speaker)
    if last is None:
        return "its speaker gave no final answer"
    names = {row.diagnosis_id: row.canonical for row in listed_diagnoses(statements)}
    held = {names[holding.diagnosis_id] for holding in last.holdings}
    return "held to the end" if canonical(claim.diagnosis) in held else "no longer held"


def _causes(statements: tuple[Statement, ...]) -> list[tuple[SpecialistId, Cause]]:
    """Everybody's causes with who named them."""
    found: list[tuple[SpecialistId, Cause]] = []
    for statement in statements:
        if isinstance(statement, PositionStatement | AnswerStatement) and statement.leading_cause:
            found.append((statement.speaker, statement.leading_cause))
        if isinstance(statement, AnswerStatement):
            found += [(statement.speaker, holding.cause) for holding in statement.holdings if holding.cause]
    return found

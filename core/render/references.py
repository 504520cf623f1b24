"""Names behind the ids of a report, and the few turns of phrase that all parts of a document share."""

from collections.abc import Iterable

from core.domain.case import Finding, FindingId
from core.domain.debate import all_challenges, all_claims, listed_diagnoses
from core.domain.panel import SpecialistId
from core.domain.report import Report
from core.domain.statement import Answer, AnswerStatement, Challenge, Claim, ClaimId, DiagnosisId, GroundId
from core.ports import Address

STAGES = {
    "panel": "Panel",
    "r1": "Round 1: relevance of each specialty",
    "r2": "Round 2: triage",
    "r3": "Round 3: independent diagnoses",
    "r4": "Round 4: list of diagnoses",
    "r5a": "Round 5a: positions",
    "r5b": "Round 5b: challenges",
    "r5c": "Round 5c: answers",
    "r5b2": "The catfish speaks",
    "r5c2": "Answers to the catfish",
    "r5b3": "The catfish speaks again",
    "r5c3": "Answers to the catfish, second time",
    "role": "Reminders of roles",
    "r6": "Round 6: ballots",
    "r7": "Round 7: can't-miss diagnoses",
    "referee": "Referee: asked again in private",
    "noise": "Referee: repeated for the noise floor",
    "cara": "Alignment",
}
NOT_LOOKED_UP = "guideline: stated by the model, not looked up"
LEFT_OUT = "[left out by the clinician]"


class References:
    """Looks up what ids of one report mean. An id that is not in the report is shown as it is."""

    def __init__(self, report: Report) -> None:
        self._findings = {finding.finding_id: finding for finding in report.case.vignette.findings}
        self._excluded = frozenset(report.case.excluded)
        self._specialties = {seat.specialist_id: seat.specialty for seat in report.case.panel.specialists}
        self._diagnoses = {row.diagnosis_id: row.name for row in listed_diagnoses(report.statements)}
        self._claims = {claim.claim_id: claim for claim in all_claims(report.statements)}
        self._challenges = all_challenges(report.statements)
        self._answers = tuple(
            (statement.speaker, answer)
            for statement in report.statements
            if isinstance(statement, AnswerStatement)
            for answer in statement.answers
        )

    def specialty(self, speaker: SpecialistId) -> str:
        return self._specialties.get(speaker, speaker)

    def specialties(self, speakers: Iterable[SpecialistId]) -> str:
        return ", ".join(map(self.specialty, speakers)) or "none"

    def diagnosis(self, diagnosis_id: DiagnosisId) -> str:
        name = self._diagnoses.get(diagnosis_id)
        return f"{diagnosis_id} {name}" if name is not None else diagnosis_id

    def finding(self, finding_id: FindingId) -> str:
        """`S3: fever [absent]`, with a mark where the clinician left it out."""
        finding = self._findings.get(finding_id)
        if finding is None:
            return finding_id
        return finding_text(finding) + (f" {LEFT_OUT}" if finding_id in self._excluded else "")

    def made(self, claim_id: ClaimId) -> Claim | None:
        return self._claims.get(claim_id)

    def claim(self, claim_id: ClaimId) -> str:
        """`C4 (cardiology, aortic dissection)`."""
        claim = self._claims.get(claim_id)
        return f"{claim_id} ({self.specialty(claim.speaker)}, {claim.diagnosis})" if claim else claim_id

    def challenges_to(self, claim_id: ClaimId) -> tuple[Challenge, ...]:
        return tuple(challenge for challenge in self._challenges if challenge.target == claim_id)

    def answers_to(self, challenge: Challenge) -> tuple[tuple[SpecialistId, Answer], ...]:
        """One, or those of everybody to whom the catfish spoke."""
        return tuple((who, answer) for who, answer in self._answers if answer.challenge_id == challenge.challenge_id)

    def ground(self, ground_id: GroundId) -> str:
        """A claim as `claim` shows it, or `Q2 (neurology)`."""
        for challenge in self._challenges:
            if str(challenge.challenge_id) == ground_id:
                return f"{ground_id} ({self.specialty(challenge.speaker)})"
        return self.claim(ClaimId(ground_id))


def finding_text(finding: Finding) -> str:
    """`S3: fever [absent]`."""
    return f"{finding.finding_id}: {finding.text}" + ("" if finding.present else " [absent]")


def ids(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"


def stage_of(address: Address) -> str:
    return address.split("/")[0]


def stage_title(stage: str) -> str:
    return STAGES.get(stage, stage)


def percent(share: float) -> str:
    """0..1 as a whole percentage."""
    return f"{100 * share:.0f}%"

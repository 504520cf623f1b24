"""Which findings carry which claims, and what became of each claim."""

from typing import Literal

from msgspec import Struct

from core.domain.case import FindingId
from core.domain.panel import SpecialistId
from core.domain.statement import ChallengeId, ClaimId

Fate = Literal["held to the end", "no longer held", "withdrawn as an own error", "its speaker gave no final answer"]


class ClaimTrail(Struct, frozen=True, kw_only=True):
    """One claim with all that was said to it."""

    claim_id: ClaimId
    speaker: SpecialistId
    diagnosis: str
    supporting: tuple[FindingId, ...]
    opposing: tuple[FindingId, ...]
    challenges: tuple[ChallengeId, ...]
    convinced: tuple[SpecialistId, ...]
    """Who named this claim as the ground for a change."""
    fate: Fate


class FindingUse(Struct, frozen=True, kw_only=True):
    """One finding with the claims that rest on it."""

    finding_id: FindingId
    supporting: tuple[ClaimId, ...]
    opposing: tuple[ClaimId, ...]
    challenges: tuple[ChallengeId, ...]
    """Challenges that rest on it."""


class EvidenceMap(Struct, frozen=True, kw_only=True):
    claims: tuple[ClaimTrail, ...]
    """In board order."""
    findings: tuple[FindingUse, ...]
    """All findings of the case that were not left out, in case order."""

"""How the panel moved, who still disagrees at the end, and what the interventions changed."""

from msgspec import Struct

from core.domain.panel import SpecialistId
from core.domain.statement import Cause, ChallengeId, ClaimId, Collapse


class LeadingChange(Struct, frozen=True, kw_only=True):
    """A specialist for whom another diagnosis leads than before."""

    speaker: SpecialistId
    stage: str
    before: str
    """Canonical name; in a report the name of the diagnosis."""
    after: str
    cause: Cause | None
    justified: bool
    """Names an own error in a claim for the diagnosis that it left, or a ground that it had not seen before and that rests on
    a finding. All else is capitulation."""


class DebateStep(Struct, frozen=True, kw_only=True):
    """A moment at which everybody named a leading diagnosis."""

    stage: str
    leading: tuple[tuple[SpecialistId, str], ...]
    """Specialist and name of its leading diagnosis, in panel order. Who abstained is missing."""
    disagreement: float | None
    """Share of pairs with different leading diagnoses, 0..1; None for fewer than two specialists."""


class Dissenter(Struct, frozen=True, kw_only=True):
    """Somebody for whom another diagnosis leads at the end than for most."""

    speaker: SpecialistId
    leading: str
    """Name of the diagnosis."""
    claims: tuple[ClaimId, ...]
    """Its last claims for that diagnosis."""


class CatfishEffect(Struct, frozen=True, kw_only=True):
    """What changed after the catfish spoke."""

    challenge_id: ChallengeId
    addressed: tuple[SpecialistId, ...]
    answered: tuple[SpecialistId, ...]
    """Of these, who answered with a ground that rests on a finding."""
    changed: tuple[SpecialistId, ...]
    """For whom another diagnosis led afterwards."""
    disagreement_before: float | None
    disagreement_after: float | None
    """None where nobody answered."""


class ReminderEffect(Struct, frozen=True, kw_only=True):
    """How far a specialist was from its role before and after it was reminded."""

    speaker: SpecialistId
    before: float
    after: float | None
    """None: it did not speak in the debate again."""


class Dissent(Struct, frozen=True, kw_only=True):
    steps: tuple[DebateStep, ...]
    changes: tuple[LeadingChange, ...]
    collapses: tuple[Collapse, ...]
    dissenters: tuple[Dissenter, ...]
    catfish: tuple[CatfishEffect, ...]
    reminders: tuple[ReminderEffect, ...]

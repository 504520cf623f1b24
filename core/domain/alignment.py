"""How alike specialists reason who agree on a diagnosis. Every figure is `None` where it could not be measured."""

from typing import Literal

from msgspec import Struct

from core.domain.panel import SpecialistId
from core.domain.statement import ClaimId
from core.ports import ScorerIdentity

Moment = Literal["before", "after"]
FailureMode = Literal["complementary reasoning", "contradictory premises", "sycophantic convergence", "partial overlap"]
"""FM1, FM3, FM4, FM6. FM2 and FM5 are not public. Source: names from CARA/GDP, thresholds ours."""
Signature = Literal["consistency illusion", "true alignment"]


class Step(Struct, frozen=True, kw_only=True):
    """One step of a reasoning: a claim with its ground."""

    text: str
    claim_id: ClaimId | None = None
    """None for free text, which has no numbered claims."""


class Reasoning(Struct, frozen=True, kw_only=True):
    """What one specialist answered, and how it got there."""

    speaker: SpecialistId
    answer: str | None
    """Leading diagnosis by name; None after an abstention."""
    canonical: str | None
    """Specialists agree where these are equal."""
    steps: tuple[Step, ...]


class StepMatch(Struct, frozen=True, kw_only=True):
    """A step and the step of a colleague that is closest to it by cosine."""

    speaker: SpecialistId
    step: int
    """Index into the speaker's steps."""
    other: SpecialistId
    other_step: int
    cosine: float
    """-1..1."""
    contradiction: float
    """P(contradiction | step, other step), 0..1."""
    hybrid: float
    """Largest h over all steps of the other, -1..1."""


class PairAlignment(Struct, frozen=True, kw_only=True):
    """Two specialists with the same leading diagnosis."""

    left: SpecialistId
    right: SpecialistId
    hybrid: float | None = None
    """-1..1; None where one of them has no steps. So are the other figures."""
    similarity: float | None = None
    """-1..1."""
    contradiction_rate: float | None = None
    """0..1."""
    failure_mode: FailureMode | None = None
    matches: tuple[StepMatch, ...] = ()
    """One a step, of the left one first."""


class AgreementSet(Struct, frozen=True, kw_only=True):
    """All specialists with one leading diagnosis, where they are two or more."""

    diagnosis: str
    members: tuple[SpecialistId, ...]
    pairs: tuple[PairAlignment, ...]
    majority: bool = False
    """More specialists lead with this diagnosis than with any other one."""
    hybrid: float | None = None
    """CARA_hyb, raw, -1..1."""
    similarity: float | None = None
    """SIM, -1..1."""
    contradiction_rate: float | None = None
    """CR, 0..1."""


class Alignment(Struct, frozen=True, kw_only=True):
    """CARA at one moment."""

    moment: Moment
    reasonings: tuple[Reasoning, ...] = ()
    """In panel order, those without an answer too."""
    sets: tuple[AgreementSet, ...] = ()
    """In panel order of their first members."""
    copied: tuple[SpecialistId, ...] = ()
    """Members of the majority without a step of their own: sycophantic convergence."""
    passes: int = 0
    """Pairs that the NLI model was asked for this moment."""
    exhaustive_passes: int = 0
    """Pairs that it would have been asked without the lazy evaluation."""
    not_measured: str | None = None
    """Why there are no figures for the majority, as a sentence."""

    @property
    def majority_set(self) -> AgreementSet | None:
        """None where no single diagnosis leads with most specialists, or only with one."""
        return next((each for each in self.sets if each.majority), None)


class Cara(Struct, frozen=True, kw_only=True):
    before: Alignment
    after: Alignment
    scorer: ScorerIdentity | None = None
    """Which models measured; None: nothing was measured."""
    signature: Signature | None = None
    """What the debate did to the majority's reasoning; None: neither of the two, or not measured."""
    not_measured: str | None = None
    """Why there are no figures at all, as a sentence."""

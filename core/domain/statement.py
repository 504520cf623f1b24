"""What specialists say, round by round, as records. Each has the address of the call it came from."""

from typing import Literal, NewType

from msgspec import Struct

from core.domain.case import FindingId
from core.domain.panel import Role, SpecialistId
from core.ports import Address

ClaimId = NewType("ClaimId", str)
"""C1, C2 ... numbered over the whole debate in board order."""
DiagnosisId = NewType("DiagnosisId", str)
"""D1, D2 ... places in the master list."""
ChallengeId = NewType("ChallengeId", str)
"""Q1, Q2 ... numbered in board order."""
GroundId = NewType("GroundId", str)
"""A `ClaimId` or a `ChallengeId`: both bring a ground with findings."""
CATFISH = SpecialistId("catfish")
"""Speaks against a collapse of the debate; has no seat and no vote."""
Urgency = Literal["immediate", "urgent", "routine"]
ChallengeAct = Literal["CHALLENGE", "PROPOSE", "ASK", "CITE"]
Stance = Literal["AGREE", "DISAGREE", "EXTEND"]
AnswerAct = Literal["DEFEND", "UPDATE"]
Confidence = Literal["low", "moderate", "high"]
GroundKind = Literal["mechanism", "guideline", "epidemiology", "finding"]


class Cause(Struct, frozen=True, kw_only=True):
    """Why a specialist changed its mind. Source: Grounded Debate Protocol, protocol section 3."""

    kind: Literal["OWN-ERROR", "NEW-GROUND"]
    ground: GroundId
    """The own claim that was wrong, or the colleague's claim or challenge that convinced."""


class Claim(Struct, frozen=True, kw_only=True):
    """One falsifiable clinical assertion about one diagnosis, with its ground."""

    claim_id: ClaimId
    speaker: SpecialistId
    diagnosis: str
    """As the specialist wrote it."""
    text: str
    ground: str
    ground_kind: GroundKind
    supporting: tuple[FindingId, ...]
    opposing: tuple[FindingId, ...]
    cut: bool = False
    """True: a text reached its bound and was cut there."""


class RelevanceStatement(Struct, frozen=True, kw_only=True, tag="relevance"):
    """Round 1."""

    address: Address
    speaker: SpecialistId
    relevance: int
    """0..10."""
    why: str


class TriageAction(Struct, frozen=True, kw_only=True):
    action: str
    urgency: Urgency
    findings: tuple[FindingId, ...]


class TriageStatement(Struct, frozen=True, kw_only=True, tag="triage"):
    """Round 2."""

    address: Address
    speaker: SpecialistId
    actions: tuple[TriageAction, ...]


class DifferentialStatement(Struct, frozen=True, kw_only=True, tag="differential"):
    """Round 3: a specialist's own differential, made without seeing anybody else's."""

    address: Address
    speaker: SpecialistId
    claims: tuple[Claim, ...]
    """Best first; the first is the leading diagnosis. Names are distinct."""
    repeated: str | None = None
    """A name that was given twice; the list ended there."""


class ListedDiagnosis(Struct, frozen=True, kw_only=True):
    diagnosis_id: DiagnosisId
    name: str
    """Preferred name where the terminology has one, else the first proposer's wording."""
    canonical: str
    """Canonical term by which names were merged."""
    names: tuple[str, ...]
    """All wordings that were merged into this diagnosis."""
    proposers: tuple[SpecialistId, ...]
    icd10: str | None = None
    entered: Literal["r3", "r5b"] = "r3"
    possibly_same: tuple[str, ...] = ()
    """Names that look alike but were left apart."""


class MasterList(Struct, frozen=True, kw_only=True, tag="master_list"):
    """Round 4, and again after the challenges of round 5 where they proposed something new. Unranked; no model call."""

    address: Address
    diagnoses: tuple[ListedDiagnosis, ...]
    """In the order of canonical names; ids of an earlier list are kept and new ones appended."""


class Position(Struct, frozen=True, kw_only=True):
    diagnosis_id: DiagnosisId
    stance: Literal["SUPPORT", "CHALLENGE", "NEUTRAL"]
    ground: str | None = None
    """None for NEUTRAL. For CHALLENGE the counter-ground."""
    findings: tuple[FindingId, ...] = ()


class PositionStatement(Struct, frozen=True, kw_only=True, tag="position"):
    """Round 5a."""

    address: Address
    speaker: SpecialistId
    positions: tuple[Position, ...]
    leading: DiagnosisId
    leading_cause: Cause | None = None
    """Always where another diagnosis led the own differential, and only there."""


class Challenge(Struct, frozen=True, kw_only=True):
    challenge_id: ChallengeId
    speaker: SpecialistId
    target: ClaimId
    act: ChallengeAct
    stance: Stance
    claim: str
    ground: str
    findings: tuple[FindingId, ...] = ()
    """Findings on which the ground rests; at least one where the stance is DISAGREE."""
    proposal: str | None = None
    """Name of the diagnosis that is proposed, where the act is PROPOSE."""


class ChallengeStatement(Struct, frozen=True, kw_only=True, tag="challenge"):
    """Round 5b."""

    address: Address
    speaker: SpecialistId
    challenge: Challenge


class Answer(Struct, frozen=True, kw_only=True):
    challenge_id: ChallengeId
    act: AnswerAct
    why: str
    findings: tuple[FindingId, ...] = ()
    """Findings on which the answer rests. Without one a point is not answered with a ground."""


class Holding(Struct, frozen=True, kw_only=True):
    """One of a specialist's three diagnoses at the end of the debate."""

    diagnosis_id: DiagnosisId
    status: Literal["MAINTAINED", "CHANGED"]
    cause: Cause | None = None
    """Only, and always, where the status is CHANGED."""
    claim: Claim


class AnswerStatement(Struct, frozen=True, kw_only=True, tag="answer"):
    """Round 5c, and again after the catfish. The last one says what a specialist holds."""

    address: Address
    speaker: SpecialistId
    answers: tuple[Answer, ...]
    holdings: tuple[Holding, ...]
    leading: DiagnosisId
    leading_cause: Cause | None = None
    """Always where another diagnosis led before, and only there."""


class Collapse(Struct, frozen=True, kw_only=True):
    """Disagreement that vanished without grounds between two steps of the debate. Source: protocol section 7."""

    before: str
    """Stage of the earlier step, for instance `r3`."""
    after: str
    disagreement_before: float
    """Share of pairs of specialists with different leading diagnoses, 0..1, of those who spoke at both steps."""
    disagreement_after: float
    changes: int
    """Specialists whose leading diagnosis changed."""
    unjustified: int
    """Of these, without an own error and without a ground that was new to them."""


class CatfishStatement(Struct, frozen=True, kw_only=True, tag="catfish"):
    """The catfish speaks against the emerging consensus. Source: protocol section 7."""

    address: Address
    speaker: SpecialistId = CATFISH
    collapse: Collapse
    """What called it."""
    against: DiagnosisId
    """The emerging consensus."""
    challenge: Challenge
    """Its argument; `proposal` is its concrete alternative."""
    would_justify: str
    """Evidence that would justify the convergence."""


class Acts(Struct, frozen=True, kw_only=True):
    """Speech acts of one specialist in the debate, counted from the filled-in fields."""

    asserting: int = 0
    asking: int = 0
    challenging: int = 0
    conceding: int = 0
    supporting: int = 0


class RoleReminder(Struct, frozen=True, kw_only=True, tag="role_reminder"):
    """A specialist left its debate role and is reminded of it in its next prompt. No model call; not on the board."""

    address: Address
    speaker: SpecialistId
    role: Role
    acts: Acts
    """Since the debate began, or since the last reminder."""
    drift: float
    """Half the sum of the differences between the expected and the observed shares of acts, 0..1."""


class BallotStatement(Struct, frozen=True, kw_only=True, tag="ballot"):
    """Round 6."""

    address: Address
    speaker: SpecialistId
    choices: tuple[DiagnosisId, ...]
    """Up to three, no repeats, best first."""
    confidence: Confidence


class Danger(Struct, frozen=True, kw_only=True):
    diagnosis: str
    urgency: Urgency
    why: str
    key_test: str
    window: str
    """Time in which it must be found or treated."""


class CantMissStatement(Struct, frozen=True, kw_only=True, tag="cant_miss"):
    """Round 7."""

    address: Address
    speaker: SpecialistId
    dangers: tuple[Danger, ...]


class Abstention(Struct, frozen=True, kw_only=True, tag="abstention"):
    """A specialist gave no usable answer. Shown as such; never counted as agreement, never replaced by invented text."""

    address: Address
    speaker: SpecialistId
    reason: str


Statement = (
    RelevanceStatement
    | TriageStatement
    | DifferentialStatement
    | MasterList
    | PositionStatement
    | ChallengeStatement
    | AnswerStatement
    | CatfishStatement
    | RoleReminder
    | BallotStatement
    | CantMissStatement
    | Abstention
)

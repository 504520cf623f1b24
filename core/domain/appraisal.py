"""What was found about the panel: answers adopted from peers, and diagnoses that must not be missed."""

from typing import Literal

from msgspec import Struct

from core.domain.case import FlagId
from core.domain.panel import SpecialistId

AdoptionFlag = Literal["adopted", "independent", "no_answer", "no_peers"]


class Adoption(Struct, frozen=True, kw_only=True):
    """What the referee found about one specialist. Diagnoses are canonical terms, names stand beside them."""

    speaker: SpecialistId
    flag: AdoptionFlag
    """`no_peers`: the others have no single most frequent leading diagnosis. `no_answer`: ballot or re-query missing."""
    detail: Literal["confirmed", "unstable"] | None = None
    """Only where adopted: `confirmed` = own round-3 answer differs from the ballot; `unstable` = it does not."""
    shared: str | None = None
    """Leading diagnosis of the ballot, by name."""
    peers: str | None = None
    """Most frequent leading diagnosis of the others' ballots, by name."""
    private: str | None = None
    """Leading diagnosis of the private re-query, by name."""
    isolated: str | None = None
    """Leading diagnosis of round 3, by name."""
    noise_floor: float | None = None
    """Share of re-queries at the specialist's own temperature that give `shared`, 0..1."""
    noise_answers: int = 0
    """Number of usable re-queries behind `noise_floor`."""
    proxy_agrees: bool | None = None
    """Private re-query names the same diagnosis as round 3."""


class Refereeing(Struct, frozen=True, kw_only=True):
    adoptions: tuple[Adoption, ...]
    contagion: float | None = None
    """Flagged / specialists with a private answer, 0..1."""
    proxy_agreement: float | None = None
    """Share of specialists whose private answer equals their round-3 answer, 0..1."""


class FlagSource(Struct, frozen=True, kw_only=True):
    kind: Literal["specialist", "rule"]
    who: str
    """Specialist id, or complaint/diagnosis of the rule."""
    detail: str
    """The specialist's WHY, or the words in the vignette that triggered the rule."""


class CantMissFlag(Struct, frozen=True, kw_only=True):
    flag_id: FlagId
    diagnosis: str
    canonical: str
    urgency: Literal["immediate", "urgent", "routine"]
    """The most urgent of its sources."""
    sources: tuple[FlagSource, ...]
    key_tests: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    icd10: str | None = None


class ChecklistRow(Struct, frozen=True, kw_only=True):
    """A dangerous diagnosis of the presenting complaint that no trigger supports; settled together with the others."""

    diagnosis: str
    complaint: str
    key_test: str
    window: str


class CantMissReview(Struct, frozen=True, kw_only=True):
    flags: tuple[CantMissFlag, ...]
    """Alphabetical by diagnosis."""
    checklist: tuple[ChecklistRow, ...]
    checklist_id: FlagId = FlagId("checklist")
    complaints: tuple[str, ...] = ()

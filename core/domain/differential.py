"""The ranked differential with the arithmetic of every point."""

from typing import Literal

from msgspec import Struct

from core.domain.case import FindingId, NameRuling
from core.domain.panel import SpecialistId
from core.domain.statement import ClaimId, DiagnosisId


class Credibility(Struct, frozen=True, kw_only=True):
    """Weight of one specialist's ballot. Source: SCoT appendix F, protocol section 5."""

    speaker: SpecialistId
    distinct_diagnoses: int
    evidence_mean: float
    """Mean number of evidence items per diagnosis."""
    insight: float
    breadth: float
    actionability: float
    """0 or 20."""
    valence: float
    des: float
    weight: float
    """After cap and floor."""


class Vote(Struct, frozen=True, kw_only=True):
    speaker: SpecialistId
    position: int
    """1..3."""
    points: int
    """4 - position."""
    weighted: float
    """points times the ballot's weight."""


class RankedDiagnosis(Struct, frozen=True, kw_only=True):
    diagnosis_id: DiagnosisId
    name: str
    icd10: str | None
    weighted_points: float
    plain_points: int
    weighted_rank: int
    """1 is best; equal points break by panel order of the best vote, then by list order."""
    plain_rank: int
    votes: tuple[Vote, ...]
    proposers: tuple[SpecialistId, ...]
    claims: tuple[ClaimId, ...]
    """Claims made for this diagnosis."""
    supporting: tuple[FindingId, ...]
    opposing: tuple[FindingId, ...]
    dissenters: tuple[SpecialistId, ...]
    """Who challenged it to the end or left it off the ballot although they had spoken about it."""
    listed: tuple[DiagnosisId, ...] = ()
    """Rows of the panel's list that it stands for, or out of which it was split; its own id where nobody ruled on it."""


class Ranking(Struct, frozen=True, kw_only=True):
    rows: tuple[RankedDiagnosis, ...]
    """All diagnoses of the list, by weighted points."""
    credibility: tuple[Credibility, ...]
    leaders_differ: bool
    """The weighted and the plain ranking do not have the same leader."""


class RulingEffect(Struct, frozen=True, kw_only=True):
    """What one ruling of the clinician about names did to the list."""

    ruling: NameRuling
    did: Literal["joined", "split", "join undone", "split undone", "nothing"]
    """`nothing`: the list had no such names, or they stood so already."""
    ids: tuple[DiagnosisId, ...] = ()
    """The row that stays and the one that goes into it or comes out of it; empty where nothing was done."""


class RuledNames(Struct, frozen=True, kw_only=True):
    """What the clinician's rulings about names did to the list and to the ballots."""

    effects: tuple[RulingEffect, ...]
    """One a ruling, in order."""
    own_wording: int
    """Votes for a row that was split which went to the wording that the specialist itself had written."""
    kept_name: int
    """Votes for a row that was split which stayed with its name: the specialist had written no wording of it."""
    fallen: int
    """Votes that fell away because a ballot had named another of the joined rows at a better place."""
    leader_without: str
    """Name of the diagnosis that would lead by weighted points if nobody had ruled."""


class Differential(Struct, frozen=True, kw_only=True):
    ranking: Ranking
    private_ranking: Ranking
    """Each flagged ballot replaced by the specialist's private answer."""
    private_leader_differs: bool
    published_ranking: Ranking | None = None
    """The same ballots with the weights of the published code. None in reports made before it was worked out."""
    quorum: int
    """Ballots cast."""
    seats: int
    unexplained: tuple[FindingId, ...]
    """Present findings that support none of the first six diagnoses."""
    both_ways: tuple[FindingId, ...]
    """Findings used both for and against the same diagnosis."""
    ruled_names: RuledNames | None = None
    """None where the clinician did not rule on names."""

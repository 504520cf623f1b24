"""Two cases side by side: how their differentials differ, and what else differs between them."""

from msgspec import Struct

from core.domain.case import CaseId, Finding
from core.domain.panel import SpecialistId


class Standing(Struct, frozen=True, kw_only=True):
    """Where a diagnosis stands in one case."""

    weighted_rank: int
    """1 is best."""
    weighted_points: float
    plain_rank: int
    plain_points: int


class ComparedDiagnosis(Struct, frozen=True, kw_only=True):
    """One diagnosis in both cases, as the clinician ruled on the names; the same where the canonical names are equal."""

    canonical: str
    """Of a wording that the clinician split off a row: that of its old row."""
    name: str
    icd10: str | None
    a: Standing | None
    """None: not on the list of this case."""
    b: Standing | None
    change: int | None
    """Weighted ranks gained from A to B, below 0 where lost; None where it is on one list only."""


class ComparedLeading(Struct, frozen=True, kw_only=True):
    """The leading diagnosis of one specialist at one moment, by name."""

    a: str | None
    """None: it named none, or did not sit on this panel."""
    b: str | None
    changed: bool | None
    """None where one of them is missing."""


class ComparedSpecialist(Struct, frozen=True, kw_only=True):
    speaker: SpecialistId
    specialty: str
    independent: ComparedLeading
    """Round 3."""
    ballot: ComparedLeading
    """First choice in round 6."""


class Difference(Struct, frozen=True, kw_only=True):
    """Something beside the findings that is not the same in both cases."""

    what: str
    """For instance `seed`, or the name of a setting."""
    a: str
    b: str


class Side(Struct, frozen=True, kw_only=True):
    """One of the two cases."""

    case_id: CaseId
    title: str
    opened_at: str
    """UTC, ISO 8601."""
    continues: CaseId | None
    only_here: tuple[Finding, ...]
    """Findings from which the panel reasoned in this case alone."""
    has_differential: bool
    """False: nobody proposed a diagnosis, or nobody cast a ballot."""


class Comparison(Struct, frozen=True, kw_only=True):
    a: Side
    b: Side
    linked: bool
    """One continues the other without some findings: panel, rounds 1 and 2 are the same ones."""
    same_vignette: bool
    """False: an id such as S4 may mean another finding in each case."""
    differences: tuple[Difference, ...]
    """Model, seed, protocol version, settings, panel, rulings on names, models that answered: where they differ."""
    viability_notes: tuple[str, ...]
    """As in the reports, each sentence once."""
    rows: tuple[ComparedDiagnosis, ...]
    """By rank in A, then those that are in B alone by their rank there."""
    specialists: tuple[ComparedSpecialist, ...]
    """In the panel order of A, then those that sat in B alone."""

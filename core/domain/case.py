"""A case: what the clinician brought, who sits on the panel, and what the clinician has settled so far."""

from typing import Literal, NewType

from msgspec import Struct

from core.domain.panel import Panel
from core.settings import PROTOCOL_VERSION, ConsultSettings

CaseId = NewType("CaseId", str)
FindingId = NewType("FindingId", str)
"""S1, S2 ... in the order of the vignette."""
FlagId = NewType("FlagId", str)
"""Stable within a case: derived from the canonical diagnosis."""


class Finding(Struct, frozen=True, kw_only=True):
    finding_id: FindingId
    text: str
    present: bool = True
    """False: the sentence says that something is absent."""


class Vignette(Struct, frozen=True, kw_only=True):
    text: str
    """As given, white space at the ends removed."""
    findings: tuple[Finding, ...]
    missing: tuple[str, ...] = ()
    """What a complete vignette would also say (age, sex, duration, vital signs, medication). Warns, never blocks."""
    complaints: tuple[str, ...] = ()
    """Ids of presenting complaints in the rule list, as detected or as confirmed by the clinician."""


class Settlement(Struct, frozen=True, kw_only=True):
    """What the clinician decided about one can't-miss flag, or about the checklist as a whole."""

    flag_id: FlagId
    decision: Literal["excluded", "needs_test", "taken_in"]
    reason: str
    by: str
    at: str
    """UTC, ISO 8601."""


class Note(Struct, frozen=True, kw_only=True):
    text: str
    by: str
    at: str


class NameRuling(Struct, frozen=True, kw_only=True):
    """What the clinician ruled about names in the list of diagnoses. It acts on the ranking; nobody is asked anew."""

    kind: Literal["split", "join"]
    names: tuple[str, ...]
    """As the list spelled them when it was ruled. join: the names of two rows; split: one name.

    join: both are one row, with id and name of the first. Where one of the two is a wording that was split off a row
    which is now part of the other, that split is undone instead, and the row stands as it stood before.
    split: a wording that is not the name of its row stands apart from it, as a row of its own. Where the name is that of a
    row that was joined, or its only wording, the latest join in force that named this row is undone instead; other joins
    stay. So of two rulings about the same names the later one counts.
    """
    by: str
    at: str
    """UTC, ISO 8601."""
    reason: str = ""


class Case(Struct, frozen=True, kw_only=True):
    case_id: CaseId
    title: str
    """First words of the vignette or what the clinician typed."""
    opened_at: str
    """UTC, ISO 8601. From the log: `consult` knows no clock."""
    vignette: Vignette
    panel: Panel
    settings: ConsultSettings
    seed: int
    """0 .. 2**31-1."""
    model_id: str
    protocol_version: int = PROTOCOL_VERSION
    continues: CaseId | None = None
    """The case that this one takes up again."""
    excluded: tuple[FindingId, ...] = ()
    """Findings that the clinician left out: rounds 3 to 7 do not see them. Rounds 1 and 2 are those of `continues`."""
    settlements: tuple[Settlement, ...] = ()
    """All of them, in order; the latest for a flag counts."""
    rulings: tuple[NameRuling, ...] = ()
    """All of them, in order; a later one may undo an earlier one."""
    notes: tuple[Note, ...] = ()


def considered(case: Case) -> tuple[Finding, ...]:
    """The findings that the panel may reason from in rounds 3 to 7."""
    return tuple(finding for finding in case.vignette.findings if finding.finding_id not in case.excluded)

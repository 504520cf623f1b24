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
    settlements: tuple[Settlement, ...] = ()
    """All of them, in order; the latest for a flag counts."""
    notes: tuple[Note, ...] = ()

"""Everything there is to say about one case, as data. Renderers show it and decide nothing."""

from typing import Literal

from msgspec import Struct

from core.domain.alignment import Cara
from core.domain.appraisal import CantMissReview, Refereeing
from core.domain.case import Case
from core.domain.differential import Differential
from core.domain.dissent import Dissent
from core.domain.evidence import EvidenceMap
from core.domain.panel import SpecialistId
from core.domain.statement import Statement, TriageAction
from core.ports import Address, ModelIdentity


class ImmediateAction(Struct, frozen=True, kw_only=True):
    speaker: SpecialistId
    action: TriageAction


class StageFigures(Struct, frozen=True, kw_only=True):
    """What one stage cost."""

    stage: str
    calls: int
    prompt_tokens: int
    evaluated_tokens: int
    decoded_tokens: int
    forced_tokens: int
    seconds: float


class LeftOut(Struct, frozen=True, kw_only=True):
    """Statements that one prompt had to do without because the board did not fit."""

    address: Address
    blocks: int
    first_words: tuple[str, ...]


class Report(Struct, frozen=True, kw_only=True):
    case: Case
    status: Literal["withheld", "released"]
    withheld_because: tuple[str, ...]
    """Sentences; empty when released."""
    immediate: tuple[ImmediateAction, ...]
    statements: tuple[Statement, ...]
    """All rounds. While withheld: without ballots, leading diagnoses, proposers and what the catfish said."""
    cara: Cara | None
    """None while withheld."""
    refereeing: Refereeing | None
    """None while withheld."""
    cant_miss: CantMissReview
    differential: Differential | None
    """None while withheld: a renderer cannot show what it does not have."""
    dissent: Dissent | None = None
    """None while withheld: it tells who leads."""
    evidence: EvidenceMap | None = None
    """None while withheld: it tells how many claims a diagnosis has."""
    models: tuple[ModelIdentity, ...]
    viability_note: str | None
    """Sentence for models below 3B parameters. Source: protocol section 10."""
    figures: tuple[StageFigures, ...]
    left_out: tuple[LeftOut, ...]

"""What can be written into the log. Each event is one fact; what can be computed from facts is no event.

Bodies are stored as JSON and never rewritten, so fields are only ever added, each with a default. A new kind of event
is also a new library format (a step in `core.log.migrations`): an older program then declines the library politely.
"""

from typing import Literal

from msgspec import Struct

from core.domain.case import CaseId, FindingId, NameRuling, Note, Settlement, Vignette
from core.domain.panel import Panel
from core.ports import Address, ChatRequest, Reply, Scores, ScoringRequest
from core.settings import ConsultSettings

ReportFormat = Literal["html", "markdown", "docx", "pdf", "json", "fhir"]


class CaseOpened(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician confirmed the vignette."""

    case_id: CaseId
    title: str
    opened_at: str
    """UTC, ISO 8601."""
    vignette: Vignette
    settings: ConsultSettings
    seed: int
    """0 .. 2**31-1."""
    model_id: str
    """Id of the model that was chosen; who really answered stands in each reply."""
    protocol_version: int
    continues: CaseId | None = None
    """The case that this one takes up again, for instance with more findings."""
    excluded: tuple[FindingId, ...] = ()
    """Findings that the clinician left out from round 3 on; the panel and rounds 1 and 2 are those of `continues`."""


class PanelSeated(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician confirmed the panel. The last one before the first call counts."""

    panel: Panel
    by: str
    """Who confirmed it; `program` where nobody was asked."""


class CallFinished(Struct, frozen=True, kw_only=True, tag=True):
    """A specialist answered."""

    request: ChatRequest
    """In full: address is identity, request is proof."""
    reply: Reply


class PairsScored(Struct, frozen=True, kw_only=True, tag=True):
    """Texts were compared, or pairs of them tested for contradiction."""

    request: ScoringRequest
    scores: Scores | None
    """None: no scorer was installed, nothing was measured. Recorded, so that a replay gives the same report."""


class CallFailed(Struct, frozen=True, kw_only=True, tag=True):
    """A batch ended without an answer to these addresses."""

    addresses: tuple[Address, ...]
    sentence: str
    """What happened, for the clinician. Never words from the case."""


class CallCancelled(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician stopped a batch; replies finished before are kept."""

    addresses: tuple[Address, ...]
    """Those without a reply."""


class FlagSettled(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician decided about one can't-miss flag, or about the checklist."""

    settlement: Settlement


class NamesRuled(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician joined two names of the list of diagnoses, or split one off."""

    ruling: NameRuling


class NoteAdded(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician wrote something down."""

    note: Note


class SignedOff(Struct, frozen=True, kw_only=True, tag=True):
    """The clinician closed the case. Nothing is settled, ruled or noted afterwards."""

    name: str
    role: str
    """For instance `attending physician`."""
    text: str
    """What the clinician signs, in words."""


class ReportIssued(Struct, frozen=True, kw_only=True, tag=True):
    """A document left the program."""

    report: str
    """The `Report` as JSON: a case of an older protocol version is shown from it."""
    format: ReportFormat
    document_sha256: str
    """64 hex digits, of the bytes of the document."""
    protocol_version: int


class LibraryOpened(Struct, frozen=True, kw_only=True, tag=True):
    """Somebody opened the library."""

    by: str
    """Account name of the operating system."""
    program_version: str


class CaseRead(Struct, frozen=True, kw_only=True, tag=True):
    """Somebody looked at a case."""

    case_id: CaseId
    by: str


class CaseExported(Struct, frozen=True, kw_only=True, tag=True):
    """A case was written to a file outside the library."""

    case_id: CaseId
    by: str
    where: str
    """Path of the file."""


class CaseErased(Struct, frozen=True, kw_only=True, tag=True):
    """All bodies of a case were removed for good; their digests remain."""

    case_id: CaseId
    by: str


class BackupMade(Struct, frozen=True, kw_only=True, tag=True):
    """A copy of the library was written."""

    by: str
    where: str
    """Path of the copy."""


class Restored(Struct, frozen=True, kw_only=True, tag=True):
    """This library was put back from a copy."""

    by: str
    where: str
    """Path of the copy."""


CaseEvent = (
    CaseOpened
    | PanelSeated
    | CallFinished
    | PairsScored
    | CallFailed
    | CallCancelled
    | FlagSettled
    | NamesRuled
    | NoteAdded
    | SignedOff
    | ReportIssued
)
"""Facts about one case."""

LibraryEvent = LibraryOpened | CaseRead | CaseExported | CaseErased | BackupMade | Restored
"""Facts about the library itself; they outlive the erasure of a case and hold no words from it."""

Event = CaseEvent | LibraryEvent

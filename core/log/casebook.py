"""What the clinician does with cases: open, reopen, seat the panel, settle, rule on names, note, sign off, report, find, read."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from core.domain.case import Case, CaseId, FindingId, FlagId, NameRuling, Note, Settlement, Vignette
from core.domain.panel import Panel
from core.domain.report import Report
from core.errors import BadInput
from core.log.catalog import CaseEntry
from core.log.events import (
    CallFinished,
    CaseOpened,
    Event,
    FlagSettled,
    NamesRuled,
    NoteAdded,
    PairsScored,
    PanelSeated,
    ReportFormat,
    ReportIssued,
    SignedOff,
)
from core.log.progress import stage_of
from core.log.store import Library
from core.settings import PROTOCOL_VERSION, ConsultSettings

LEAST_FINDINGS = 3
"""So many must remain where findings are left out: one diagnosis may rest on as many."""
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without letters and digits that are mistaken for one another."""
_ID_LETTERS = 6
_CARRIED_OVER = ("panel", "r1", "r2")
"""Stages that a case takes over from the one of which it leaves findings out."""


def open_case(
    library: Library,
    vignette: Vignette,
    settings: ConsultSettings,
    seed: int,
    model_id: str,
    title: str,
    continues: CaseId | None = None,
) -> CaseId:
    """Record a confirmed vignette as a new case. `seed`: 0 .. 2**31-1.

    Raises `BadInput` for a seed out of range or where the case to continue is unknown or erased; `NotWritable`.
    """
    if not 0 <= seed < 2**31:
        raise BadInput("The seed must be a whole number from 0 to 2147483647.")
    if continues is not None:
        library.events(continues)
    opened_at = library.now()
    case_id = _new_id(library, opened_at)
    opened = CaseOpened(
        case_id=case_id,
        title=title,
        opened_at=opened_at,
        vignette=vignette,
        settings=settings,
        seed=seed,
        model_id=model_id,
        protocol_version=PROTOCOL_VERSION,
        continues=continues,
    )
    library.append(case_id, opened)
    return case_id


def reopen_without(library: Library, case_id: CaseId, excluded: Iterable[FindingId]) -> CaseId:
    """Open a case that continues another one without some of its findings, beside those that were left out before.

    Panel, rounds 1 and 2 are carried over, with the requests that they answer; everything after them is asked anew.
    Raises `BadInput` for an unknown or erased case, one of another protocol version or without finished rounds 1 and 2,
    for an unknown finding, where nothing new is left out or fewer than three findings remain; `NotWritable`.
    """
    events = library.events(case_id)
    opened = next(event for event in events if isinstance(event, CaseOpened))
    if opened.protocol_version != PROTOCOL_VERSION:
        raise BadInput(
            f"Case {case_id} was begun under protocol version {opened.protocol_version}, this program follows "
            f"{PROTOCOL_VERSION}; open its vignette as a new case before findings are left out."
        )
    left_out = _left_out(opened, frozenset(excluded))
    carried_over = _carried_over(case_id, events)
    opened_at = library.now()
    again = msgspec.structs.replace(
        opened,
        case_id=_new_id(library, opened_at),
        title=opened.title.removesuffix(_without(opened.excluded)) + _without(left_out),
        opened_at=opened_at,
        continues=case_id,
        excluded=left_out,
    )
    library.append_all(again.case_id, (again, *carried_over))
    return again.case_id


def load_case(library: Library, case_id: CaseId) -> Case:
    """The case as it stands; without a seated panel its panel is empty. Raises `BadInput` as `Library.events`."""
    events = library.events(case_id)
    opened = next(event for event in events if isinstance(event, CaseOpened))
    panels = [event.panel for event in events if isinstance(event, PanelSeated)]
    return Case(
        case_id=case_id,
        title=opened.title,
        opened_at=opened.opened_at,
        vignette=opened.vignette,
        panel=panels[-1] if panels else Panel(specialists=()),
        settings=opened.settings,
        seed=opened.seed,
        model_id=opened.model_id,
        protocol_version=opened.protocol_version,
        continues=opened.continues,
        excluded=opened.excluded,
        settlements=tuple(event.settlement for event in events if isinstance(event, FlagSettled)),
        rulings=tuple(event.ruling for event in events if isinstance(event, NamesRuled)),
        notes=tuple(event.note for event in events if isinstance(event, NoteAdded)),
    )


def seat_panel(library: Library, case_id: CaseId, panel: Panel, by: str) -> None:
    """Record the confirmed panel; the one before no longer counts.

    Raises `BadInput` once a specialist was asked, after the sign-off, or where nobody is named.
    """
    events = _unsigned(library, case_id)
    # The panel itself may have been proposed by a call.
    calls = [event.request.address for event in events if isinstance(event, CallFinished | PairsScored)]
    if any(stage_of(address) != "panel" for address in calls):
        raise BadInput("The consultation of this case has begun; open a new case to seat another panel.")
    library.append(case_id, PanelSeated(panel=panel, by=_named(by)))


def settle(
    library: Library,
    case_id: CaseId,
    flag_id: FlagId,
    decision: Literal["excluded", "needs_test", "taken_in"],
    reason: str,
    by: str,
) -> None:
    """Record what the clinician decided about a flag; the latest decision counts.

    Raises `BadInput` where nobody decides, where an exclusion or a test is not given in words, or after the sign-off.
    """
    _unsigned(library, case_id)
    if decision != "taken_in" and not reason.strip():
        raise BadInput("Say why this diagnosis is excluded, or which test it needs.")
    settlement = Settlement(flag_id=flag_id, decision=decision, reason=reason.strip(), by=_named(by), at=library.now())
    library.append(case_id, FlagSettled(settlement=settlement))


def rule_on_names(
    library: Library, case_id: CaseId, kind: Literal["split", "join"], names: tuple[str, ...], by: str, reason: str = ""
) -> None:
    """Record that two names are one diagnosis, or that one stands apart; a later ruling may undo it.

    `names` are those of the list: what `core.consult.names.spelled` gave. Raises `BadInput` where it is not two names to
    join or one to split, where nobody is named, or after the sign-off; `NotWritable`.
    """
    _unsigned(library, case_id)
    if len(names) != (2 if kind == "join" else 1) or not all(name.strip() for name in names):
        raise BadInput("Give two names to join, or one to split off.")
    ruling = NameRuling(kind=kind, names=names, by=_named(by), at=library.now(), reason=reason.strip())
    library.append(case_id, NamesRuled(ruling=ruling))


def add_note(library: Library, case_id: CaseId, text: str, by: str) -> None:
    """Record a note. Raises `BadInput` for an empty note, where nobody is named, or after the sign-off."""
    _unsigned(library, case_id)
    if not text.strip():
        raise BadInput("The note is empty; write something or leave it.")
    library.append(case_id, NoteAdded(note=Note(text=text.strip(), by=_named(by), at=library.now())))


def sign_off(library: Library, case_id: CaseId, name: str, role: str, text: str) -> None:
    """Close the case for good. Raises `BadInput` where nobody signs, or where somebody did already."""
    _unsigned(library, case_id)
    library.append(case_id, SignedOff(name=_named(name), role=role.strip(), text=text))


def issue_report(library: Library, report: Report, report_format: ReportFormat, document: bytes) -> None:
    """Record that a document was made from a report. Raises `BadInput` for an unknown or erased case."""
    issued = ReportIssued(
        report=msgspec.json.encode(report).decode(),
        format=report_format,
        document_sha256=hashlib.sha256(document).hexdigest(),
        protocol_version=report.case.protocol_version,
    )
    library.append(report.case.case_id, issued)


def latest_report(library: Library, case_id: CaseId) -> Report | None:
    """The report that was issued last, as it was then, or None. Raises `BadInput` for an unknown or erased case."""
    issued = [event for event in library.events(case_id) if isinstance(event, ReportIssued)]
    return msgspec.json.decode(issued[-1].report, type=Report) if issued else None


def find_cases(library: Library, search: str = "") -> tuple[CaseEntry, ...]:
    """Cases in whose title, vignette or notes every word of `search` begins a word; the latest first."""
    return library.find_entries(search)


def _new_id(library: Library, opened_at: str) -> CaseId:
    # Stands in file names and outlives the erasure of the case, so it says nothing about a patient.
    while True:
        letters = "".join(secrets.choice(_LETTERS) for _ in range(_ID_LETTERS))
        case_id = CaseId(f"{opened_at[:10]}-{letters}")
        if not library.has_case(case_id):
            return case_id


def _left_out(opened: CaseOpened, excluded: frozenset[FindingId]) -> tuple[FindingId, ...]:
    """All findings that the new case leaves out, in the order of the vignette. Quotes no id that was merely typed."""
    ids = tuple(finding.finding_id for finding in opened.vignette.findings)
    if not excluded <= set(ids):
        raise BadInput(f"Case {opened.case_id} has no other findings than {', '.join(ids)}; choose among these.")
    if excluded <= set(opened.excluded):
        raise BadInput(f"Choose at least one finding of case {opened.case_id} that is not left out already.")
    left_out = tuple(finding for finding in ids if finding in excluded or finding in opened.excluded)
    if len(ids) - len(left_out) < LEAST_FINDINGS:
        raise BadInput(
            f"At least {LEAST_FINDINGS} findings must remain, because a diagnosis may rest on so many; leave out fewer."
        )
    return left_out


def _without(excluded: tuple[FindingId, ...]) -> str:
    return f", without {', '.join(excluded)}" if excluded else ""


def _carried_over(case_id: CaseId, events: Sequence[Event]) -> tuple[PanelSeated | CallFinished, ...]:
    """The panel, its proposal, rounds 1 and 2. Raises `BadInput` where one of them is not whole."""
    panels = [event for event in events if isinstance(event, PanelSeated)]
    seats = panels[-1].panel.specialists if panels else ()
    wanted = {f"{stage}/{seat.specialist_id}" for stage in ("r1", "r2") for seat in seats}
    calls = [
        event
        for event in events
        if isinstance(event, CallFinished) and stage_of(event.request.address) in _CARRIED_OVER
    ]
    # Who gave no usable answer at the second attempt either has abstained: that is an end as well.
    ended = (call.request.address.split("/") for call in calls if call.reply.ended == "complete" or _is_second(call))
    if not seats or not wanted <= {f"{stage}/{speaker}" for stage, speaker, _ in ended}:
        raise BadInput(f"Rounds 1 and 2 of case {case_id} are not finished; resume the case, then leave findings out.")
    return (panels[-1], *calls)


def _is_second(call: CallFinished) -> bool:
    return call.request.address.endswith("/2")


def _unsigned(library: Library, case_id: CaseId) -> Sequence[Event]:
    events = library.events(case_id)
    for event in events:
        if isinstance(event, SignedOff):
            raise BadInput(f"This case was signed off by {event.name}; open a new case that continues it.")
    return events


def _named(by: str) -> str:
    if not by.strip():
        raise BadInput("Somebody decides: give a name.")
    return by.strip()

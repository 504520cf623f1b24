"""The list of cases and the full-text search: computed from events and made again whenever they are missing."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from sqlite_utils import Database

from core.domain.case import CaseId
from core.log.events import (
    CallCancelled,
    CallFailed,
    CallFinished,
    CaseOpened,
    Event,
    NoteAdded,
    PairsScored,
    PanelSeated,
    ReportIssued,
    SignedOff,
)
from core.log.migrations import run_script

CaseState = Literal["opened", "seated", "under_way", "stopped", "failed", "reported", "signed_off"]

_STATE_AFTER: dict[type, CaseState] = {
    CaseOpened: "opened",
    PanelSeated: "seated",
    CallFinished: "under_way",
    PairsScored: "under_way",
    CallCancelled: "stopped",
    CallFailed: "failed",
    ReportIssued: "reported",
    SignedOff: "signed_off",
}


class CaseEntry(Struct, frozen=True, kw_only=True):
    """One line of the list of cases."""

    case_id: CaseId
    title: str
    opened_at: str
    """UTC, ISO 8601."""
    state: CaseState
    """What happened last; signed off is final."""
    finished_calls: int
    """Number of recorded replies."""


def is_complete(database: Database) -> bool:
    """Whether the tables of the catalog are there."""
    return {"case_list", "case_text"} <= set(database.table_names())


def rebuild(database: Database, events: Iterable[tuple[CaseId, Event]]) -> None:
    """Make the catalog anew from all case events, oldest first. Inside an open transaction."""
    database.execute("drop table if exists case_list")
    database.execute("drop table if exists case_text")
    run_script(database, "catalog.sql")
    for case_id, event in events:
        enter(database, case_id, event)


def enter(database: Database, case_id: CaseId, event: Event) -> None:
    """Take one more event into the catalog. Inside the transaction that appends it."""
    match event:
        case CaseOpened():
            database.execute(
                "insert into case_list values (?, ?, ?, 'opened', 0)", (case_id, event.title, event.opened_at)
            )
            _enter_text(database, case_id, f"{event.title}\n{event.vignette.text}")
        case CallFinished():
            database.execute("update case_list set finished_calls = finished_calls + 1 where case_id = ?", (case_id,))
        case NoteAdded():
            _enter_text(database, case_id, event.note.text)
    if state := _STATE_AFTER.get(type(event)):
        database.execute("update case_list set state = ? where case_id = ? and state <> 'signed_off'", (state, case_id))


def forget(database: Database, case_id: CaseId) -> None:
    """Take a case out of the catalog. Inside the transaction that erases it."""
    database.execute("delete from case_list where case_id = ?", (case_id,))
    database.execute("delete from case_text where case_id = ?", (case_id,))


def find_entries(database: Database, search: str = "") -> tuple[CaseEntry, ...]:
    """Cases in whose title, vignette or notes every word of `search` begins a word; the latest case first.

    Letter case and accents do not count. An empty search finds all cases.
    """
    sql = "select case_id, title, opened_at, state, finished_calls from case_list where true"
    phrases = [f'"{word}"*' for word in _words(search)]
    sql += " and case_id in (select case_id from case_text where case_text match ?)" * len(phrases)
    rows = database.query(f"{sql} order by opened_at desc, case_id", phrases)
    return tuple(CaseEntry(**row) for row in rows)


def _enter_text(database: Database, case_id: CaseId, text: str) -> None:
    database.execute("insert into case_text values (?, ?)", (case_id, text))


def _words(search: str) -> list[str]:
    # Each word becomes a quoted phrase: nothing that is typed can be an operator or an error of the query language.
    words = search.replace('"', " ").replace("\0", " ").split()
    return [word for word in words if any(letter.isalnum() for letter in word)]

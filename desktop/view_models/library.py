"""The list of cases as words."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct

from core.domain.case import CaseId
from core.log.catalog import CaseEntry

_STATES = {
    "opened": "not begun", "seated": "not finished", "under_way": "begun", "stopped": "stopped, can be resumed",
    "failed": "failed, can be resumed", "reported": "finished", "signed_off": "signed off",
}  # fmt: skip


class LibraryRow(Struct, frozen=True):
    case_id: CaseId
    text: str
    """Title, then state and time on a second line."""


def rows(
    entries: Iterable[CaseEntry], running: CaseId | None, finished: Mapping[CaseId, bool]
) -> tuple[LibraryRow, ...]:
    """One row an entry, in their order. `finished`: what is known from the log of cases that are under way."""
    return tuple(LibraryRow(entry.case_id, _text(entry, running, finished)) for entry in entries)


def undecided(entries: Iterable[CaseEntry], running: CaseId | None, finished: Mapping[CaseId, bool]) -> CaseId | None:
    """The first case of which the list alone cannot tell whether it is finished."""
    return next(
        (
            entry.case_id for entry in entries
            if entry.state == "under_way" and entry.case_id != running and entry.case_id not in finished
        ),
        None,
    )  # fmt: skip


def _text(entry: CaseEntry, running: CaseId | None, finished: Mapping[CaseId, bool]) -> str:
    at = datetime.fromisoformat(entry.opened_at).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{entry.title}\n{at}  ·  {_state(entry, running, finished)}"


def _state(entry: CaseEntry, running: CaseId | None, finished: Mapping[CaseId, bool]) -> str:
    if entry.case_id == running:
        return "running"
    if entry.state == "under_way" and entry.case_id in finished:
        return "finished" if finished[entry.case_id] else "interrupted, can be resumed"
    return _STATES[entry.state]

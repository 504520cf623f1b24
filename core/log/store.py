"""The library: one encrypted SQLite file that holds the event log of all cases."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, get_args

import msgspec
from msgspec import Struct
from sqlite_utils import Database

from core.domain.case import CaseId
from core.durable import copy_durably, replace_durably
from core.errors import BadInput, DamagedLibrary, NotWritable
from core.log import catalog
from core.log.audit import Damage, DamageKind, HeadRow, Progress, Row, Walk
from core.log.chain import CHAIN_START, Sealer, same
from core.log.cipher import connect, read_salt
from core.log.events import (
    BackupMade,
    CaseErased,
    CaseEvent,
    CaseOpened,
    Event,
    LibraryEvent,
)
from core.log.faults import in_sentences
from core.log.lock import LibraryLock
from core.log.migrations import migrate

Clock = Callable[[], datetime]
"""Gives the time, with its zone."""

_ROWS_A_CHUNK = 200
_BELOW_ALL_ROWS = -(2**63)
_COLUMNS = "seq, case_id, at, kind, body, body_mac, chain"
_decode_event = msgspec.json.Decoder(Event).decode


def utc_now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


class Entry(Struct, frozen=True, kw_only=True):
    """One event with its place in the log."""

    seq: int
    """1 or more, over the whole library."""
    case_id: CaseId | None
    """None for facts about the library itself."""
    at: str
    """UTC, ISO 8601."""
    kind: str
    """Name of the event's class."""
    event: Event | None
    """None after the case was erased."""


class Head(Struct, frozen=True, kw_only=True):
    """Where the log ends. Printed on reports, so that an older copy of the library can be told."""

    count: int
    """Number of events."""
    chain: str
    """64 hex digits; empty for an empty log."""


class Library:
    """An open library. All methods may be called from any thread; each write is a transaction of its own."""

    def __init__(self, path: Path, key: bytes, clock: Clock = utc_now, lock: LibraryLock | None = None) -> None:
        """Open the library at `path` with its 32-byte key.

        `lock`: the lock on this library, where the caller holds it already; `close` releases it.
        Raises `BadInput`, `WrongKey`, `DamagedLibrary`, `NewerLibrary`, `LibraryInUse`, `NotWritable`.
        """
        self.path = path.resolve()
        self._clock = clock
        self._sealer = Sealer(key)
        self._mutex = threading.RLock()
        self._lock = lock or LibraryLock(self.path)
        try:
            if not self.path.is_file():
                raise BadInput(f"There is no library at {self.path}; check the path, or create a new library there.")
            with in_sentences(self.path):
                self._database = connect(self.path, key, read_salt(self.path))
        except BaseException:
            self._lock.release()
            raise
        try:
            with in_sentences(self.path):
                migrate(self._database)
                if not catalog.is_complete(self._database):
                    self.rebuild_catalog()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(
        cls, path: Path, key: bytes, salt: bytes, clock: Clock = utc_now, lock: LibraryLock | None = None
    ) -> Self:
        """Make a new, empty library and open it. `salt`: 16 bytes that stand at the head of the file.

        Raises `BadInput` where there is a file already, `LibraryInUse`, `NotWritable`.
        """
        path = path.resolve()
        make_folder(path.parent)
        lock = lock or LibraryLock(path)
        try:
            if path.exists():
                raise BadInput(f"There is a file at {path} already; open it, or choose another name.")
            _write_empty(path, key, salt)
        except BaseException:
            lock.release()
            raise
        return cls(path, key, clock, lock)

    def now(self) -> str:
        """The time, UTC, ISO 8601, to the millisecond."""
        return self._clock().astimezone(UTC).isoformat(timespec="milliseconds")

    def append(self, case_id: CaseId | None, event: Event) -> int:
        """Write one event; when this returns it is on the disk. Gives its row, 1 or more.

        `case_id` is None for a `LibraryEvent` and only then. Raises `BadInput` for an unknown or erased case,
        `NotWritable`, `DamagedLibrary`.
        """
        if isinstance(event, CaseErased):
            raise ValueError("a case is erased by `erase`")
        with self._writing():
            if isinstance(event, CaseOpened):
                if event.case_id != case_id or self.has_case(case_id):
                    raise ValueError("a case is opened once, under its own id")
            elif case_id is not None:
                self._require(case_id)
            return self._append(case_id, event)

    def append_all(self, case_id: CaseId, events: Iterable[CaseEvent]) -> None:
        """Write several events of one case, all or none. Raises as `append`."""
        with self._writing():
            for event in events:
                self.append(case_id, event)

    def erase(self, case_id: CaseId, by: str) -> None:
        """Remove what a case says for good. Its rows and their digests stay, so the chain stays whole.

        Raises `BadInput` for an unknown or erased case, or where nobody is named; `NotWritable`, `DamagedLibrary`.
        """
        if not by.strip():
            raise BadInput("A case is erased by somebody: give a name.")
        with self._writing():
            self._require(case_id)
            self._append(None, CaseErased(case_id=case_id, by=by))
            self._database.execute("update event set body = null where case_id = ?", (case_id,))
            catalog.forget(self._database, case_id)

    def back_up(self, target: Path, by: str) -> None:
        """Write a copy of the library, read back and compared; it opens with the same passphrase or key.

        Raises `BadInput` where there is a file already, `NotWritable`.
        """
        if target.exists():
            raise BadInput(f"There is a file at {target} already; choose another name for the backup.")
        with self._mutex:  # no transaction is open now, so the file is whole
            try:
                copy_durably(self.path, target)
            except OSError as error:
                raise NotWritable(
                    f"The backup {target} cannot be written ({error.strerror}); choose another place or free space."
                ) from error
            self.append(None, BackupMade(by=by, where=str(target)))

    def entries(self, case_id: CaseId | None) -> tuple[Entry, ...]:
        """What was written about a case, or (None) about the library itself, oldest first; maybe nothing.

        Raises `DamagedLibrary` where the content of a row was changed.
        """
        with self._reading():
            rows = self._rows("where case_id is ? order by seq", case_id)
        return tuple(self._entry(row) for row in rows)

    def events(self, case_id: CaseId) -> tuple[Event, ...]:
        """The events of a case, oldest first. Raises `BadInput` for an unknown or erased case."""
        with self._reading():
            self._require(case_id)
            return tuple(entry.event for entry in self.entries(case_id) if entry.event is not None)

    def has_case(self, case_id: CaseId) -> bool:
        """Whether this id was ever used, also by a case that was erased."""
        with self._reading():
            return bool(self._rows("where case_id = ? limit 1", case_id))

    def find_entries(self, search: str = "") -> tuple[catalog.CaseEntry, ...]:
        """As `catalog.find_entries`."""
        with self._reading():
            return catalog.find_entries(self._database, search)

    def rebuild_catalog(self) -> None:
        """Compute the list of cases and the full-text search again from the events."""
        with self._writing():
            rows = self._each_row("case_id is not null and body is not null")
            catalog.rebuild(self._database, ((CaseId(row.case_id or ""), self._decode(row)) for row in rows))

    def head(self) -> Head:
        """Where the log ends; it was looked at there, but not before. Raises `DamagedLibrary`."""
        with self._reading():
            row = self._head_row()
            last: int = self._database.execute("select coalesce(max(seq), 0) from event").fetchone()[0]
        if row is None or not same(self._sealer.seal_head(row.count, row.chain), row.mac):
            raise DamagedLibrary(str(Damage(seq=last, kind="head_changed")))
        if last != row.count:
            kind: DamageKind = "cut_off" if last < row.count else "out_of_place"
            raise DamagedLibrary(str(Damage(seq=min(last, row.count) + 1, kind=kind)))
        return Head(count=row.count, chain=row.chain)

    def verify(self, progress: Progress | None = None) -> Head:
        """Check every row, then the pages of the file; `progress(rows_checked, rows)` is called now and then.

        Takes time in proportion to the size of the library and lets others append meanwhile. Gives where the log ends.
        Raises `DamagedLibrary` with the sentence of `find_damage`.
        """
        damage = self.find_damage(progress)
        if damage is not None:
            raise DamagedLibrary(str(damage))
        return self.head()

    def find_damage(self, progress: Progress | None = None) -> Damage | None:
        """The first damage there is, with its row; None: all is well."""
        walk = Walk(self._sealer)
        try:
            return self._walk(walk, progress) or self._check_pages(walk)
        except DamagedLibrary:
            return Damage(seq=walk.seq + 1, kind="unreadable")

    def close(self) -> None:
        """Close the file and let others open it. May be called again."""
        with self._mutex:
            self._database.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._mutex, in_sentences(self.path):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._reading(), self._database.atomic():
            yield

    def _append(self, case_id: CaseId | None, event: Event) -> int:
        body = _encode(case_id, event)
        head = self.head()
        at, kind, body_mac = self.now(), type(event).__name__, self._sealer.seal_body(body)
        seq, chain = head.count + 1, self._sealer.link(head.chain, case_id, at, kind, body_mac)
        self._database.execute(
            "insert into event values (?, ?, ?, ?, ?, ?, ?)", (seq, case_id, at, kind, body, body_mac, chain)
        )
        _write_head(self._database, self._sealer, seq, chain)
        if case_id is not None:
            catalog.enter(self._database, case_id, event)
        return seq

    def _require(self, case_id: CaseId) -> None:
        first = self._rows("where case_id = ? order by seq limit 1", case_id)
        if not first:
            raise BadInput(f"The library holds no case {case_id}; look for it in the list of cases.")
        if first[0].body is None:
            raise BadInput(f"The case {case_id} was erased; only the dates of its events are left.")

    def _erased(self) -> frozenset[str]:
        rows = self._database.execute(
            "select body ->> '$.case_id' from event where case_id is null and kind = 'CaseErased' and json_valid(body)"
        )
        return frozenset(case_id for (case_id,) in rows)

    def _entry(self, row: Row) -> Entry:
        return Entry(
            seq=row.seq,
            case_id=None if row.case_id is None else CaseId(row.case_id),
            at=row.at,
            kind=row.kind,
            event=None if row.body is None else self._decode(row),
        )

    def _decode(self, row: Row) -> Event:
        body = row.body or ""
        if not same(self._sealer.seal_body(body), row.body_mac):
            raise DamagedLibrary(str(Damage(seq=row.seq, kind="body_changed")))
        event: Event = _decode_event(body)
        return event

    def _rows(self, where: str, *values: object) -> list[Row]:
        return [Row(**row) for row in self._database.query(f"select {_COLUMNS} from event {where}", values)]

    def _each_row(self, condition: str) -> Iterator[Row]:
        after = 0
        while rows := self._rows(f"where seq > ? and {condition} order by seq limit {_ROWS_A_CHUNK}", after):
            yield from rows
            after = rows[-1].seq

    def _head_row(self) -> HeadRow | None:
        row = self._database.execute("select count, chain, mac from head").fetchone()
        return HeadRow(count=row[0], chain=row[1], mac=row[2]) if row else None

    def _walk(self, walk: Walk, progress: Progress | None) -> Damage | None:
        after = _BELOW_ALL_ROWS
        while True:
            with self._reading():
                rows = self._rows(f"where seq > ? order by seq limit {_ROWS_A_CHUNK}", after)
                erased, head = self._erased(), self._head_row()
            for row in rows:
                if damage := walk.step(row, erased):
                    return damage
            after = walk.seq
            if progress is not None:
                progress(walk.seq, max(walk.seq, head.count if head else 0))
            if not rows:
                return walk.finish(head)

    def _check_pages(self, walk: Walk) -> Damage | None:
        with self._reading():
            bad_pages = self._database.execute("pragma cipher_integrity_check").fetchall()
            structure = self._database.execute("pragma quick_check(1)").fetchone()[0]
        return None if not bad_pages and structure == "ok" else Damage(seq=walk.seq + 1, kind="unreadable")


def make_folder(folder: Path) -> None:
    """Make the folder of a library, for this account only. Raises `NotWritable`."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise NotWritable(
            f"The folder {folder} cannot be made ({error.strerror}); choose another place for the library."
        ) from error


def _write_empty(path: Path, key: bytes, salt: bytes) -> None:
    # Made under another name and moved: at `path` there is never half a library.
    partial = path.with_name(f"{path.name}.partial")
    journal = path.with_name(f"{path.name}.partial-journal")
    try:
        for leftover in (partial, journal):
            leftover.unlink(missing_ok=True)
        with in_sentences(path):
            database = connect(partial, key, salt)
            try:
                migrate(database)
                _write_head(database, Sealer(key), 0, CHAIN_START)
            finally:
                database.close()
        partial.chmod(0o600)
        replace_durably(partial, path)
        journal.unlink(missing_ok=True)
    except OSError as error:
        raise NotWritable(
            f"The library {path} cannot be written ({error.strerror}); choose another place or free some space."
        ) from error


def _write_head(database: Database, sealer: Sealer, count: int, chain: str) -> None:
    database.execute("insert or replace into head values (1, ?, ?, ?)", (count, chain, sealer.seal_head(count, chain)))


def _encode(case_id: CaseId | None, event: Event) -> str:
    kinds = get_args(LibraryEvent) if case_id is None else get_args(CaseEvent)
    if not isinstance(event, kinds):
        raise ValueError(f"{type(event).__name__} does not belong {'to a case' if case_id else 'to the library'}")
    body = msgspec.json.encode(event).decode()
    try:
        survives = _decode_event(body) == event
    except msgspec.MsgspecError:
        survives = False
    # For instance a score that is NaN would be written as null and never be read again.
    if not survives:
        raise ValueError(f"{type(event).__name__} would not read back as it is; it was not recorded")
    return body

"""Walks the whole log once and names the first row that is not as it was written."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from core.log.chain import CHAIN_START, Sealer, same

DamageKind = Literal["missing", "body_changed", "body_removed", "out_of_place", "cut_off", "head_changed", "unreadable"]

_SENTENCES: dict[DamageKind, str] = {
    "missing": "Row {seq} of the log is missing",
    "body_changed": "The content of row {seq} of the log was changed",
    "body_removed": "The content of row {seq} of the log was removed although its case was not erased",
    "out_of_place": "Row {seq} of the log was changed, inserted or moved",
    "cut_off": "The log was cut off: row {seq} and what followed it are missing",
    "head_changed": "The record of where the log ends, after row {seq}, was changed or removed",
    "unreadable": "The library file is damaged: the log cannot be read from row {seq} on",
}


class Row(Struct, frozen=True, kw_only=True):
    """One row of the table `event`, as it is stored."""

    seq: int
    case_id: str | None
    at: str
    kind: str
    body: str | None
    body_mac: str
    chain: str


class HeadRow(Struct, frozen=True, kw_only=True):
    """The row of the table `head`, as it is stored."""

    count: int
    chain: str
    mac: str


class Damage(Struct, frozen=True, kw_only=True):
    """The first thing that is wrong."""

    seq: int
    """The row. Below 1 only for rows that were inserted there, and where an empty log has a damaged head."""
    kind: DamageKind

    def __str__(self) -> str:
        return (
            f"{_SENTENCES[self.kind].format(seq=self.seq)}; what stands before it is intact. "
            "Restore the latest backup that passes this check, and keep the damaged file."
        )


class Walk:
    """Takes the rows of a log in order and stops at the first damage."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self.seq = 0
        """Last row that was found intact."""
        self.chain = CHAIN_START

    def step(self, row: Row, erased: frozenset[str]) -> Damage | None:
        """Look at the row that follows. `erased`: ids of cases that may be without content."""
        if row.seq > self.seq + 1:
            return Damage(seq=self.seq + 1, kind="missing")
        if row.seq <= self.seq:
            return Damage(seq=row.seq, kind="out_of_place")
        if row.body is None:
            if row.case_id not in erased:
                return Damage(seq=row.seq, kind="body_removed")
        elif not same(self._sealer.seal_body(row.body), row.body_mac):
            return Damage(seq=row.seq, kind="body_changed")
        chain = self._sealer.link(self.chain, row.case_id, row.at, row.kind, row.body_mac)
        if not same(chain, row.chain):
            return Damage(seq=row.seq, kind="out_of_place")
        self.seq, self.chain = row.seq, chain
        return None

    def finish(self, head: HeadRow | None) -> Damage | None:
        """Compare where the rows ended with where the log says that it ends."""
        if head is None or not same(self._sealer.seal_head(head.count, head.chain), head.mac):
            return Damage(seq=self.seq, kind="head_changed")
        if head.count > self.seq:
            return Damage(seq=self.seq + 1, kind="cut_off")
        if head.count < self.seq or not same(head.chain, self.chain):
            return Damage(seq=self.seq, kind="head_changed")
        return None


Progress = Callable[[int, int], None]
"""Is told how many rows were checked, and how many there are."""

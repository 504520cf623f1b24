"""Checksums that were computed once: valid as long as a file's size and time of change stay the same."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from models.durable import file_sha256


class _Stamp(Struct, frozen=True, kw_only=True):
    bytes: int
    changed_ns: int
    sha256: str


class Checksums:
    """What is remembered in one JSON file. Losing it costs time, nothing else."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory

    def sha256(self, path: Path) -> str:
        """The checksum of a file, computed at the first sight of it and after every change."""
        stamp = self._stamps().get(str(path))
        status = path.stat()
        if stamp and (stamp.bytes, stamp.changed_ns) == (status.st_size, status.st_mtime_ns):
            return stamp.sha256
        found = file_sha256(path)
        self.remember(path, found)
        return found

    def remember(self, path: Path, sha256: str) -> None:
        """Note a checksum that was just computed."""
        status = path.stat()
        stamp = _Stamp(bytes=status.st_size, changed_ns=status.st_mtime_ns, sha256=sha256)
        self._keep({**self._stamps(), str(path): stamp})

    def forget(self, path: Path) -> None:
        """Make the next look at this file a thorough one."""
        stamps = self._stamps()
        if stamps.pop(str(path), None):
            self._keep(stamps)

    def _stamps(self) -> dict[str, _Stamp]:
        try:
            return msgspec.json.decode(self._memory.read_bytes(), type=dict[str, _Stamp])
        except (OSError, msgspec.DecodeError):
            return {}

    def _keep(self, stamps: dict[str, _Stamp]) -> None:
        fresh = self._memory.with_name(f"{self._memory.name}.{os.getpid()}")
        # Where nothing can be written, beside a model on a read-only disk, it is computed again the next time.
        with suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(msgspec.json.format(msgspec.json.encode(stamps)))
            os.replace(fresh, self._memory)

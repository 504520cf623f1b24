"""One library, one holder: a lock of the operating system on a file beside the library.

The system drops the lock when its holder dies, however it dies, so there are no stale locks. The empty file stays.
"""

import os
import sys
from pathlib import Path
from typing import BinaryIO

from core.errors import LibraryInUse, NotWritable

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class LibraryLock:
    """Held from construction to `release`. Raises `LibraryInUse`, `NotWritable`."""

    def __init__(self, library: Path) -> None:
        try:
            descriptor = os.open(library.with_name(f"{library.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise NotWritable(
                f"The folder {library.parent} cannot be written ({error.strerror}); "
                "choose a library in a folder that you may write to."
            ) from error
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            _lock(self._file)
        except OSError as error:
            self._file.close()
            raise LibraryInUse(
                f"The library {library.name} is open in another window or command; close that one and try again."
            ) from error

    def release(self) -> None:
        """Let others open the library. May be called again."""
        if not self._file.closed:
            _unlock(self._file)
            self._file.close()

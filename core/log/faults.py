"""What SQLite reports about the file or the disk, as a sentence for the clinician."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

from sqlcipher3 import dbapi2

from core.errors import DamagedLibrary, LibraryInUse, NotWritable, UserError


class Code(IntEnum):
    """Primary result codes of SQLite. Source: sqlite.org/rescode.html."""

    BUSY = 5
    LOCKED = 6
    READONLY = 8
    IOERR = 10
    CORRUPT = 11
    FULL = 13
    CANTOPEN = 14
    NOTADB = 26


def primary_code(error: dbapi2.Error) -> int:
    """Result code without its extension; 0 where the error did not come from SQLite itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


@contextmanager
def in_sentences(path: Path) -> Iterator[None]:
    """Turn errors of file and disk into `DamagedLibrary`, `NotWritable`, `LibraryInUse`; others are bugs and pass."""
    try:
        yield
    except dbapi2.Error as error:
        sentence = _sentence(path, primary_code(error))
        if sentence is None:
            raise
        raise sentence from error


def _sentence(path: Path, code: int) -> UserError | None:
    match code:
        case Code.READONLY | Code.CANTOPEN:
            return NotWritable(
                f"The library {path} cannot be written; check the permissions of the file and its folder."
            )
        case Code.FULL:
            return NotWritable(f"The disk that holds {path} is full; free some space, then resume the case.")
        case Code.IOERR:
            return NotWritable(
                f"The disk that holds {path} failed; check the disk or the network folder, then try again."
            )
        case Code.CORRUPT | Code.NOTADB:
            return DamagedLibrary(f"The library {path} is damaged; restore the latest backup, keep this file.")
        case Code.BUSY | Code.LOCKED:
            return LibraryInUse(f"Another program holds the library {path.name}; close it and try again.")
    return None

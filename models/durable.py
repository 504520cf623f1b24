"""Large files that are either whole or not there: copy, checksum, and a rename that survives a power cut."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.durable import replace_durably
from core.errors import DamagedModel, NotWritable

_BLOCK_BYTES = 1 << 22

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all and a sentence. It may raise `core.errors.Stopped`."""


def silent(done_bytes: int, total_bytes: int, sentence: str) -> None:
    """The progress of those who do not look."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """While a path is written: an error of the file system becomes `NotWritable`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NotWritable(f"The disk is full, “{path.name}” was not written; make room and try again.") from error
        raise NotWritable(
            f"“{path.name}” could not be written ({error.strerror}); check the folder's permissions, then try again."
        ) from error


def place(finished: Path, target: Path) -> None:
    """Give a finished file its name, in one step and durably. Raises `NotWritable`."""
    with writing(target):
        with finished.open("rb+") as file:
            os.fsync(file.fileno())
        replace_durably(finished, target)


def moved(source: Path, target: Path) -> bool:
    """Move a file within one volume; false, and nothing done, where the two lie on different volumes."""
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno == errno.EXDEV:
            return False
        raise
    return True


def file_sha256(path: Path) -> str:
    """64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_checked(source: Path, target: Path, sha256: str, progress: Progress = silent) -> None:
    """Copy a file that must have this checksum. Raises `DamagedModel` if it changed meanwhile, `NotWritable`."""
    digest = hashlib.sha256()
    total = source.stat().st_size
    done = 0
    with source.open("rb") as reader, writing(target), target.open("wb") as writer:
        while block := reader.read(_BLOCK_BYTES):
            digest.update(block)
            writer.write(block)
            done += len(block)
            progress(done, total, f"Copying “{source.name}”")
    if digest.hexdigest() != sha256:
        raise DamagedModel(f"“{source.name}” changed while it was copied; add it again when nothing else writes to it.")

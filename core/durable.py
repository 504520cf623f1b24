"""Small files that are either the old one or the whole new one, also after a power cut."""

import errno
import hashlib
import os
import shutil
from pathlib import Path


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file with these permissions. Raises `OSError`; then there is nothing half-written."""
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    # O_EXCL: the permissions are those given here and not those of a file that somebody put there.
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        replace_durably(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def replace_durably(source: Path, target: Path) -> None:
    """Move a file that is already on the disk over another one in the same folder. Raises `OSError`."""
    os.replace(source, target)
    if os.name == "nt":  # Windows opens no folders; NTFS journals the renaming itself.
        return
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def copy_durably(source: Path, target: Path) -> None:
    """Copy a file, read the copy back and compare. Raises `OSError`; then there is no copy."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        with source.open("rb") as original, partial.open("wb") as copy:
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())
        if _digest(source) != _digest(partial):
            raise OSError(errno.EIO, "the copy does not read back as it was written")
        partial.chmod(0o600)
        replace_durably(partial, target)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()

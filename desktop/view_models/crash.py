"""What may be told of a bug: its type and the places in the code. Its message and values may quote a patient."""

import traceback

from msgspec import Struct


class Crash(Struct, frozen=True):
    """A bug without any words of a case."""

    kind: str
    """Name of the exception's class."""
    places: tuple[str, ...]
    """`module:line function`, outermost first."""


def crash_of(error: BaseException) -> Crash:
    """Type and places of `error`, and of nothing else."""
    frames = traceback.extract_tb(error.__traceback__, limit=None)
    places = tuple(f"{_module(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
    return Crash(type(error).__name__, places)


def details(crash: Crash) -> str:
    """The text for a bug report."""
    return "\n".join((crash.kind, *(f"  {place}" for place in crash.places)))


def _module(filename: str) -> str:
    # The last two parts: whole paths may hold the name of an account.
    return "/".join(filename.replace("\\", "/").split("/")[-2:])

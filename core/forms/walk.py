"""Filling in a form step by step: the one way in which engines fill it in and the parser reads it back."""

from collections.abc import Generator, MutableMapping
from typing import TypeVar

from msgspec import Struct

from core.forms.expression import Expression
from core.forms.filled import Value

T = TypeVar("T")


class Step(Struct, frozen=True, kw_only=True):
    """First `literal` is written as it stands, then comes free text that matches `free`."""

    literal: str
    free: Expression | None = None
    """None: nothing is free in this step, the text sent back is empty."""
    default: str | None = None
    """What an engine writes for `free` without asking the model; a reader accepts every match of `free`."""
    one_sentence: bool = False
    """An engine ends the text behind its first sentence; a reader accepts more."""
    label: str | None = None
    """Label of the field that the free text belongs to; a line break at its end finishes the field."""


Walk = Generator[Step, str, T]
"""Yields steps, is sent the free text of each, returns the value."""

Entries = tuple[tuple[str, Value], ...]
"""What was filled in, by label and in order."""
Rules = MutableMapping[str, Expression]
"""Named rules of a grammar that is being built."""

"""Laboratory values and vital signs with their reference ranges, and numbers drawn from them."""

import tomllib
from pathlib import Path
from random import Random
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Span = tuple[float, float]
"""Lowest and highest number that is drawn."""
Level = Literal["low", "normal", "high"]


class Measure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    names: tuple[str, ...]
    units: tuple[str, ...]
    """Wordings of one unit; the empty one for a bare number."""
    range: Span
    """Values that nobody would call abnormal."""
    low: Span | None = None
    """Values that are plainly below. `None`: being low means nothing."""
    high: Span | None = None
    low_words: tuple[str, ...] = ()
    high_words: tuple[str, ...] = ()
    digits: Annotated[int, Meta(ge=-3, le=3)]
    """Decimals; negative: rounded to tens, hundreds or thousands."""

    def __post_init__(self) -> None:
        spans = [span for span in (self.low, self.range, self.high) if span]
        edges = [edge for span in spans for edge in span]
        if edges != sorted(edges) or bool(self.low) != bool(self.low_words) or bool(self.high) != bool(self.high_words):
            raise ValueError(f"{self.names[0]}: spans overlap, or words are missing")

    @property
    def topic(self) -> str:
        return f"measures/{self.names[0]}"

    def levels(self) -> tuple[Level, ...]:
        return tuple(level for level in ("low", "normal", "high") if self.span(level))

    def span(self, level: Level) -> Span | None:
        return {"low": self.low, "normal": self.range, "high": self.high}[level]

    def words(self, level: Level) -> tuple[str, ...]:
        return {"low": self.low_words, "normal": (), "high": self.high_words}[level]


class State(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the exclusive readings of several values together."""

    names: tuple[str, ...]
    values: tuple[tuple[str, str, float, float, int], ...]
    """Name, unit, lowest and highest number drawn, decimals."""


class Combination(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    states: tuple[State, ...]

    @property
    def topic(self) -> str:
        return f"combinations/{self.title}"


def read_measures(path: Path) -> list[Measure]:
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["measure"], list[Measure])


def read_combinations(path: Path) -> list[Combination]:
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["combination"], list[Combination])


def draw(span: Span, digits: int, rng: Random) -> float:
    """A number within the span, rounded but never out of it."""
    number = round(rng.uniform(*span), digits)
    return min(max(number, span[0]), span[1])


def written(number: float, digits: int) -> str:
    return f"{number:.{max(digits, 0)}f}" if number < 1000 or digits > 0 else f"{number:,.0f}"

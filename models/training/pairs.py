"""One labelled pair of sentences, and what can be said about a set of them."""

import gzip
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Literal, TypeVar, get_args

import msgspec
from msgspec import Struct

T = TypeVar("T")
Label = Literal["contradiction", "entailment", "neutral"]
LABELS: tuple[Label, ...] = get_args(Label)
"""In the order of the model's output columns: 0 contradiction, 1 entailment, 2 neutral."""


class Pair(Struct, frozen=True, kw_only=True):
    premise: str
    hypothesis: str
    label: Label
    pattern: str = ""
    """What generated it, for instance `facts`; empty in data from elsewhere."""
    topic: str = ""
    """What it is about. Training and validation share no topic."""


def normalized(text: str) -> str:
    """Lower case, letters and digits only, single spaces: equal where two texts differ in nothing that matters."""
    return " ".join(re.sub(r"[^a-z0-9.%]+", " ", text.lower()).replace(". ", " ").strip(" .").split())


def balanced(make: Callable[[Label], Pair | None], per_label: int) -> list[Pair]:
    """`per_label` different pairs of each label, or fewer of all three where a pattern cannot make that many.

    `make` may return `None` where chance chose something that has no such pair.
    """
    found: dict[Label, dict[tuple[str, str], Pair]] = {label: {} for label in LABELS}
    for label in LABELS:
        for _ in range(per_label * 12):
            if len(found[label]) == per_label:
                break
            pair = make(label)
            if pair and normalized(pair.premise) != normalized(pair.hypothesis):
                found[label].setdefault((normalized(pair.premise), normalized(pair.hypothesis)), pair)
    fewest = min(len(pairs) for pairs in found.values())
    return [pair for label in LABELS for pair in list(found[label].values())[:fewest]]


def consistent(pairs: Iterable[Pair]) -> list[Pair]:
    """Without repetitions, and without pairs that occur with two labels."""
    by_text: dict[tuple[str, str], dict[Label, Pair]] = defaultdict(dict)
    for pair in pairs:
        by_text[normalized(pair.premise), normalized(pair.hypothesis)].setdefault(pair.label, pair)
    return [next(iter(labels.values())) for labels in by_text.values() if len(labels) == 1]


def shuffled(items: Iterable[T], rng: Random) -> list[T]:
    result = list(items)
    rng.shuffle(result)
    return result


def read_pairs(path: Path) -> list[Pair]:
    """JSON lines, compressed if the name ends in `.gz`. Raises `msgspec.ValidationError` for an unknown label."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return msgspec.json.Decoder(Pair).decode_lines(data)

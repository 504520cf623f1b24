"""Three ways to oversee a panel, and how well each finds answers that were adopted from peers. For research.

The referee asks again in private (`core.consult.referee`). The gate only looks whether the answer is what most peers say.
The judge reads the transcript and gives a verdict. Source: Referee, protocol sections 8 and 10.
"""

from collections.abc import Sequence

from msgspec import Struct

from core.consult.merge import same_diagnosis
from core.consult.referee import adoption_flag


class Detection(Struct, frozen=True, kw_only=True):
    """Flags against the truth."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def precision(self) -> float | None:
        """Share of the flags that are right, 0..1; None without a flag."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Share of the adopted answers that are flagged, 0..1; None where nothing was adopted."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def false_positive_rate(self) -> float | None:
        """Share of the answers that were not adopted and are flagged all the same, 0..1; None without such an answer."""
        return _share(self.false_positives, self.false_positives + self.true_negatives)


def detection(flags: Sequence[bool], adopted: Sequence[bool]) -> Detection:
    """Raises `ValueError` for unequal lengths."""
    pairs = list(zip(flags, adopted, strict=True))
    return Detection(
        true_positives=pairs.count((True, True)),
        false_positives=pairs.count((True, False)),
        false_negatives=pairs.count((False, True)),
        true_negatives=pairs.count((False, False)),
    )


def referee_flags(shared: str, peers: str, private: str) -> bool:
    """What the referee of the product says: the answer is that of the peers, and in private it is another one."""
    return adoption_flag(shared, private, peers) == "adopted"


def gate_flags(shared: str, peers: str) -> bool:
    """The cheapest oversight: whatever agrees with the peers is suspect."""
    return same_diagnosis(shared, peers)


def judge_flags(verdict: str) -> bool:
    """A judge that saw the transcript only: every verdict but OK is a flag."""
    return verdict.strip().casefold() != "ok"


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

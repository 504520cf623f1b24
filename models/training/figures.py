"""What a model makes of labelled pairs, from its logits: the figures of the model card."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from core.consult.alignment import TAU
from models.scoring.probes import auc
from models.training.pairs import LABELS, Label

Logits = NDArray[np.float64]
"""One row a pair, columns in the order of `LABELS`."""


class Figures(Struct, frozen=True, kw_only=True):
    pairs: int
    accuracy: float
    """Share of pairs whose most probable label is the right one."""
    auc: float | None
    """Of P(contradiction), contradictions against all others. `None` where one side is missing."""
    found: float | None
    """Share of contradictions with P(contradiction) > tau."""
    false_same: float | None
    """Share of entailments (the same, said otherwise) with P(contradiction) > tau."""
    false_other: float | None
    """Share of neutral pairs with P(contradiction) > tau."""

    def line(self) -> str:
        def shown(value: float | None) -> str:
            return "  -  " if value is None else f"{value:.3f}"

        return (
            f"n {self.pairs:5d}  accuracy {self.accuracy:.3f}  AUC {shown(self.auc)}  found {shown(self.found)}  "
            f"false alarms: same {shown(self.false_same)}, other {shown(self.false_other)}"
        )


def measure(logits: Logits, labels: Sequence[Label]) -> Figures:
    """Raises `ValueError` for no pairs at all."""
    if not labels:
        raise ValueError("nothing to measure")
    truth = np.array([LABELS.index(label) for label in labels])
    contradiction = probabilities(logits)[:, 0]

    def share(label: Label) -> float | None:
        chosen = contradiction[truth == LABELS.index(label)]
        return float((chosen > TAU).mean()) if len(chosen) else None

    return Figures(
        pairs=len(labels),
        accuracy=float((logits.argmax(axis=1) == truth).mean()),
        auc=area_under_curve(contradiction, truth == 0),
        found=share("contradiction"),
        false_same=share("entailment"),
        false_other=share("neutral"),
    )


def probabilities(logits: Logits) -> Logits:
    """Softmax over the last axis."""
    grown = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Logits = grown / grown.sum(axis=1, keepdims=True)
    return result


def area_under_curve(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """Chance that a positive scores above a negative, as `auc`; `None` where one side is missing."""
    found, others = scores[positive].tolist(), scores[~positive].tolist()
    return auc(found, others) if found and others else None


def best_temperature(logits: Logits, labels: Sequence[Label]) -> float:
    """The divisor of the logits, 0.4 to 3.0, under which the right labels are most probable.

    Source: temperature scaling, Guo et al. 2017.
    """
    truth = np.array([LABELS.index(label) for label in labels])
    rows = np.arange(len(truth))

    def surprise(temperature: float) -> float:
        return float(-np.log(probabilities(logits / temperature)[rows, truth]).mean())

    return min((float(candidate) for candidate in np.arange(0.4, 3.01, 0.02)), key=surprise)

"""Does the graph say what PyTorch says? Figures over labelled pairs of texts, and the tolerance for each precision."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from core.consult.alignment import TAU
from core.errors import UnsupportedModel
from models.export.description import Description
from models.scoring.probes import Probe, auc

Precision = Literal["fp32", "fp16", "int8"]
Matrix = NDArray[np.float64]

LARGEST_DIFFERENCE = {"fp32": 1e-4, "fp16": 1e-2}
"""Of any probability or cosine, 0..1."""
LEAST_AGREEMENT = {"fp32": 0.99, "fp16": 0.98, "int8": 0.95}
"""NLI: share of pairs with the same decision at tau."""
LEAST_INT8_PAIRS = 60
"""Labelled pairs that int8 is judged by."""
MEAN_INT8_DIFFERENCE = 0.01
"""int8 moves single pairs far: what counts is the mean over the pairs ..."""
INT8_AUC_LOSS = 0.01
"""... and that contradictions are told apart as well as before."""


class Parity(Struct, frozen=True, kw_only=True):
    """What the graph changed. Differences are of probabilities for NLI, of cosines between all texts for embeddings."""

    pairs: int
    max_difference: float
    mean_difference: float
    agreement: float | None = None
    """NLI: share of pairs with the same decision at tau."""
    auc_before: float | None = None
    """NLI: contradiction against the other pairs, PyTorch; `None` where one of the two classes is missing."""
    auc_after: float | None = None

    def figures(self) -> dict[str, float]:
        """For the card; what was not measured is left out."""
        named = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: round(float(value), 8) for name, value in named.items() if value is not None}


def compare(before: Matrix, after: Matrix, pairs: Sequence[Probe], description: Description) -> Parity:
    """Figures of two sets of answers to the same texts, [texts, columns]. For NLI the first texts are the pairs.

    Raises `UnsupportedModel` where the graph does not give a finite number for each label or dimension.
    """
    columns = len(description.labels) or description.dimensions
    if after.shape != (len(before), columns) or not np.isfinite(after).all():
        raise UnsupportedModel(
            f"The graph gives {after.shape[1]} numbers a text, some perhaps not finite, where {columns} are wanted; this "
            "model cannot be exported."
        )
    if description.kind == "embedding":
        change = np.abs(_cosines(before) - _cosines(after))
        return Parity(pairs=len(pairs), max_difference=float(change.max()), mean_difference=float(change.mean()))
    was, is_now = _probabilities(before), _probabilities(after)
    column = description.labels.index("contradiction")
    old, new = was[: len(pairs), column], is_now[: len(pairs), column]
    return Parity(
        pairs=len(pairs),
        max_difference=float(np.abs(was - is_now).max()),
        mean_difference=float(np.abs(was - is_now).mean()),
        agreement=float(((old > TAU) == (new > TAU)).mean()),
        auc_before=_auc(old, pairs),
        auc_after=_auc(new, pairs),
    )


def failure(parity: Parity, precision: Precision) -> str | None:
    """What is outside tolerance, as half a sentence; `None`: nothing is."""
    if parity.agreement is not None and parity.agreement < LEAST_AGREEMENT[precision]:
        return f"{1 - parity.agreement:.1%} of the decisions on contradiction come out differently"
    if precision != "int8":
        too_far = parity.max_difference > LARGEST_DIFFERENCE[precision]
        return f"figures differ by up to {parity.max_difference:.2g}" if too_far else None
    if parity.pairs < LEAST_INT8_PAIRS:
        return f"only {parity.pairs} labelled pairs are there to judge by"
    if parity.mean_difference > MEAN_INT8_DIFFERENCE:
        return f"figures differ by {parity.mean_difference:.2g} in the mean"
    loss = (parity.auc_before or 0) - (parity.auc_after or 0)
    return f"contradictions are told apart less well (AUC lower by {loss:.3f})" if loss > INT8_AUC_LOSS else None


def _probabilities(logits: Matrix) -> Matrix:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _cosines(vectors: Matrix) -> Matrix:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T)


def _auc(scores: Matrix, pairs: Sequence[Probe]) -> float | None:
    """Of contradiction against the other pairs."""
    scored = list(zip(scores.tolist(), (each.label == "contradiction" for each in pairs), strict=True))
    positives, negatives = ([score for score, found in scored if found is wanted] for wanted in (True, False))
    return auc(positives, negatives) if positives and negatives else None

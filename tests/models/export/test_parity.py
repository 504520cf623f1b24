"""What may differ between a graph and PyTorch, and what not."""

import numpy as np
import pytest

from core.errors import UnsupportedModel
from models.export.description import Description
from models.export.files import Config
from models.export.parity import LEAST_INT8_PAIRS, Parity, Precision, compare, failure
from models.scoring.probes import Probe

CONFIG = Config(model_type="bert")
LABELS = ("entailment", "neutral", "contradiction")
NLI = Description(kind="nli", config=CONFIG, max_tokens=64, license=None, labels=LABELS)
EMBEDDING = Description(kind="embedding", config=CONFIG, max_tokens=64, license=None, dimensions=2)
PAIRS = tuple(
    Probe(premise="a", hypothesis="b", label=label, topic="")
    for label in ("contradiction", "contradiction", "same", "different")
)
SAID = np.log([[0.1, 0.1, 0.8], [0.2, 0.1, 0.7001], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
"""Four pairs and a long text."""


def good(precision: Precision) -> Parity:
    """Well inside the tolerance."""
    difference = {"fp32": 1e-7, "fp16": 1e-3, "int8": 0.1}[precision]
    return Parity(
        pairs=LEAST_INT8_PAIRS,
        max_difference=difference,
        mean_difference=difference / 20,
        agreement=1.0,
        auc_before=0.9,
        auc_after=0.895,
    )


def changed(parity: Parity, **fields: float) -> Parity:
    return Parity(**{name: getattr(parity, name) for name in parity.__struct_fields__} | fields)


def test_the_same_answers_have_no_difference() -> None:
    found = compare(SAID, SAID + 3, PAIRS, NLI)
    assert found.max_difference == pytest.approx(0)
    assert (found.agreement, found.auc_before, found.auc_after) == (1, 1, 1)


def test_a_changed_decision_is_counted() -> None:
    after = SAID.copy()
    after[1] = np.log([0.2, 0.11, 0.69])
    found = compare(SAID, after, PAIRS, NLI)
    assert found.agreement == 0.75
    assert found.max_difference == pytest.approx(0.01, abs=2e-4)


def test_the_long_text_counts_for_the_difference_and_not_for_the_decisions() -> None:
    after = SAID.copy()
    after[4] = np.log([0.05, 0.05, 0.9])
    found = compare(SAID, after, PAIRS, NLI)
    assert (found.agreement, found.max_difference) == (1, pytest.approx(0.5))


def test_exchanged_columns_do_not_pass() -> None:
    found = compare(SAID, SAID[:, ::-1], PAIRS, NLI)
    assert failure(found, "fp32") is not None
    assert found.auc_after < found.auc_before


def test_embeddings_are_compared_by_their_cosines() -> None:
    before, after = np.array([[1.0, 0], [0, 2], [3, 4]]), np.array([[0, 5.0], [1, 0], [4, 3]])
    assert compare(before, after, PAIRS, EMBEDDING).max_difference == pytest.approx(0)
    after[2] = 1, 0
    assert compare(before, after, PAIRS, EMBEDDING).max_difference == pytest.approx(0.6)


@pytest.mark.parametrize(
    "after", [SAID[:, :2], np.where(SAID > -0.3, np.nan, SAID), SAID[:3]], ids=["columns", "nan", "rows"]
)
def test_answers_of_another_shape_or_none_at_all_are_refused(after: np.ndarray) -> None:
    with pytest.raises(UnsupportedModel, match="cannot be exported"):
        compare(SAID, after, PAIRS, NLI)


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_each_precision_has_its_own_tolerance(precision: Precision) -> None:
    parity = good(precision)
    assert failure(parity, precision) is None
    assert "decisions" in (failure(changed(parity, agreement=0.9), precision) or "")


@pytest.mark.parametrize(
    ("precision", "fields", "said"),
    [
        ("fp32", {"max_difference": 2e-4}, "differ by up to 0.0002"),
        ("fp16", {"max_difference": 0.02}, "differ by up to 0.02"),
        ("int8", {"mean_difference": 0.04}, "0.04 in the mean"),
        ("int8", {"auc_after": 0.88}, "AUC lower by 0.020"),
        ("int8", {"pairs": 12}, "only 12 labelled pairs"),
    ],
)
def test_what_is_outside_is_named(precision: Precision, fields: dict[str, float], said: str) -> None:
    assert said in (failure(changed(good(precision), **fields), precision) or "")

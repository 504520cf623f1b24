"""Figures of the model card, on logits whose answer is known."""

import numpy as np
import pytest

from models.training.figures import area_under_curve, best_temperature, measure, probabilities
from models.training.pairs import Label

LABELS: list[Label] = ["contradiction", "contradiction", "entailment", "neutral"]


def test_found_and_false_alarms_are_counted_above_tau() -> None:
    logits = np.array([[3.0, 0, 0], [0.2, 0, 0], [4.0, 0, 0], [0, 0, 2.0]])
    figures = measure(logits, LABELS)
    assert (figures.found, figures.false_same, figures.false_other) == (0.5, 1.0, 0.0)
    assert figures.accuracy == 0.75
    assert figures.auc == 0.5


def test_what_cannot_be_measured_is_none() -> None:
    figures = measure(np.zeros((1, 3)), ["neutral"])
    assert (figures.auc, figures.found, figures.false_same) == (None, None, None)
    with pytest.raises(ValueError, match="nothing"):
        measure(np.zeros((0, 3)), [])


def test_ties_count_half() -> None:
    assert area_under_curve(np.array([0.5, 0.5]), np.array([True, False])) == 0.5


def test_overconfident_logits_get_a_temperature_above_one() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    logits = rng.normal(size=(600, 3))
    logits[np.arange(600), truth] += 1.5
    labels: list[Label] = [("contradiction", "entailment", "neutral")[number] for number in truth]
    assert best_temperature(logits * 4, labels) == pytest.approx(4 * best_temperature(logits, labels), rel=0.3)
    assert probabilities(logits).sum(axis=1) == pytest.approx(np.ones(600))

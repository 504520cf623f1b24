"""Numbers in generated sentences fall on the side of the reference range that their words say."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import models.training
from models.training.measures import Measure, draw, read_combinations, read_measures, written

FOLDER = Path(models.training.__file__).parent
MEASURES = read_measures(FOLDER / "measures.toml")
COMBINATIONS = read_combinations(FOLDER / "combinations.toml")


@given(measure=st.sampled_from(MEASURES), seed=st.integers(0, 2**32))
def test_a_low_number_is_below_the_range_and_a_high_one_above(measure: Measure, seed: int) -> None:
    rng = Random(seed)
    low, high = measure.range
    for level in measure.levels():
        span = measure.span(level)
        assert span is not None
        text = written(draw(span, measure.digits, rng), measure.digits)
        number = float(text.replace(",", ""))
        if level == "low":
            assert number < low
        elif level == "high":
            assert number > high
        else:
            assert low <= number <= high


@given(seed=st.integers(0, 2**32), index=st.integers(0, len(COMBINATIONS) - 1))
def test_readings_of_one_combination_never_share_their_numbers(seed: int, index: int) -> None:
    """Where two readings name the same values, at least one value tells them apart."""
    states = COMBINATIONS[index].states
    for one in states:
        for other in states:
            spans = {name: (low, high) for name, _, low, high, _ in other.values}
            shared = [(value, spans[value[0]]) for value in one.values if value[0] in spans]
            if one is not other and len(shared) == len(one.values) == len(other.values):
                assert any(high < far_low or low > far_high for (_, _, low, high, _), (far_low, far_high) in shared)


@pytest.mark.parametrize(
    ("low", "span", "high"),
    [((3.0, 3.6), (3.5, 5.0), None), (None, (3.5, 5.0), (4.9, 8.0)), ((5.0, 3.0), (3.5, 5.0), None)],
)
def test_overlapping_spans_are_refused(
    low: tuple[float, float] | None, span: tuple[float, float], high: tuple[float, float] | None
) -> None:
    with pytest.raises(ValueError, match="potassium"):
        Measure(
            names=("potassium",),
            units=("mmol/L",),
            range=span,
            low=low,
            high=high,
            low_words=("hypokalemia",) if low else (),
            high_words=("hyperkalemia",) if high else (),
            digits=1,
        )

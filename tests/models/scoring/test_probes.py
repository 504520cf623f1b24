"""Grades follow from the probes, and the area under the curve is what its definition says."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.scoring.card import card_in
from models.scoring.probes import (
    Probe,
    Probes,
    auc,
    embedding_result,
    is_current,
    lower,
    main,
    nli_result,
    probes,
    read_probes,
)
from tests.models.scoring.tiny import tiny_folder

scores = st.lists(st.floats(-1, 1) | st.sampled_from([0.0, 0.25, 0.5]), min_size=1, max_size=40)


@given(scores, scores)
def test_the_area_is_the_share_of_pairs_in_the_right_order(positives: list[float], negatives: list[float]) -> None:
    wins = sum((one > other) + (one == other) / 2 for one in positives for other in negatives)
    assert auc(positives, negatives) == pytest.approx(wins / (len(positives) * len(negatives)), abs=1e-12)


@given(scores, scores)
def test_swapping_the_classes_mirrors_the_area(positives: list[float], negatives: list[float]) -> None:
    assert auc(positives, negatives) + auc(negatives, positives) == pytest.approx(1)


@given(scores, scores)
def test_only_the_order_of_the_scores_matters(positives: list[float], negatives: list[float]) -> None:
    assert auc([8 * each for each in positives], [8 * each for each in negatives]) == auc(positives, negatives)


def test_an_area_needs_both_classes() -> None:
    with pytest.raises(ValueError, match="both classes"):
        auc([0.1], [])


def made(*labels: str) -> Probes:
    pairs = tuple(
        Probe(premise=f"{n}", hypothesis="h", label=label, topic="t")  # type: ignore[arg-type]
        for n, label in enumerate(labels)
    )
    return Probes(pair=pairs, sha256="0" * 64)


ASKED = made(*["contradiction"] * 20, *["same"] * 20, *["different"] * 20)


def answers(found: int, false_alarms: int, other_alarms: int = 0) -> list[float]:
    """Of twenty pairs of each label so many above the bound."""
    return [
        share
        for alarms, quiet in ((found, 0.6), (false_alarms, 0.1), (other_alarms, 0.1))
        for share in [0.9] * alarms + [quiet] * (20 - alarms)
    ]


@pytest.mark.parametrize(
    ("found", "false_alarms", "grade"),
    [
        (20, 0, "validated"),
        (16, 1, "validated"),
        (15, 1, "limited"),
        (16, 2, "limited"),
        (14, 2, "limited"),
        (13, 0, "demonstration only"),
        (20, 3, "demonstration only"),
        (0, 0, "demonstration only"),
    ],
)
def test_an_nli_model_is_graded_by_what_it_finds_and_what_it_cries_wolf_at(
    found: int, false_alarms: int, grade: str
) -> None:
    result = nli_result(answers(found, false_alarms), ASKED)
    assert (result.found, result.false_alarms) == (found / 20, false_alarms / 20)
    assert result.grade == grade
    assert result.pairs == 60


def test_a_model_that_alarms_at_everything_is_no_good() -> None:
    result = nli_result([0.9] * 60, ASKED)
    assert (result.found, result.other_alarms, result.auc, result.grade) == (1, 1, 0.5, "demonstration only")


def test_a_bound_that_is_just_reached_is_no_alarm() -> None:
    assert nli_result([0.7] * 60, ASKED).found == 0


def test_labels_in_the_wrong_order_show(made_swapped: list[float]) -> None:
    assert nli_result(made_swapped, ASKED).grade == "demonstration only"


@pytest.fixture
def made_swapped() -> list[float]:
    return [1 - share for share in answers(20, 0)]


@pytest.mark.parametrize(
    ("missed", "grade"), [(0, "validated"), (2, "validated"), (3, "limited"), (6, "demonstration only")]
)
def test_an_embedding_is_graded_by_whether_it_finds_the_same_matter(missed: int, grade: str) -> None:
    """Contradictions, which lie as close as paraphrases, do not count."""
    cosines = [0.99] * 20 + [0.8] * (20 - missed) + [0.0] * missed + [0.3] * 20
    result = embedding_result(cosines, ASKED)
    assert result.grade == grade
    assert result.auc == pytest.approx(1 - missed / 20)
    assert (result.found, result.false_alarms, result.other_alarms) == (None, None, None)


def test_the_lower_grade_counts() -> None:
    assert lower("validated", "limited") == "limited"
    assert lower("demonstration only", "validated") == "demonstration only"
    assert lower("validated", "validated") == "validated"


def test_the_probes_of_the_program() -> None:
    pairs = probes().pair
    assert len(pairs) >= 60
    for label in ("contradiction", "same", "different"):
        assert sum(each.label == label for each in pairs) >= 20
    assert len(set(probes().texts)) == len(pairs)
    assert all(each.premise.strip() and each.hypothesis.strip() and each.topic.strip() for each in pairs)


def test_the_result_can_be_written_into_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny_folder(tmp_path / "nli", "nli", probes=None)
    assert main([str(folder)]) == 0
    assert card_in(folder).probes is None
    assert main(["--write", str(folder)]) == 0
    assert is_current(card_in(folder))
    assert capsys.readouterr().out.count('"grade":"demonstration only"') == 2


def test_line_ends_of_another_system_are_the_same_probes() -> None:
    content = b'[[pair]]\npremise = "a"\nhypothesis = "b"\nlabel = "same"\ntopic = "t"\n'
    assert read_probes(content).sha256 == read_probes(content.replace(b"\n", b"\r\n")).sha256
    assert read_probes(content).sha256 != read_probes(content.replace(b'"a"', b'"c"')).sha256


def test_an_unknown_label_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError, match="label"):
        read_probes(b'[[pair]]\npremise = "a"\nhypothesis = "b"\nlabel = "neutral"\ntopic = "t"\n')

"""The scorer that comes with the program, with its real weights."""

import threading

import pytest

from core.ports import Contradictions
from models.onnx_pairs import OnnxPairs, probe_folder
from models.scoring.card import ProbeResult
from models.scoring.probes import is_current
from models.scoring.shelf import EMBEDDED, NotInstalled, ScorerShelf

NEVER = threading.Event()


@pytest.fixture(scope="module")
def scorer() -> OnnxPairs:
    pair = ScorerShelf().chosen()
    if isinstance(pair, NotInstalled):
        pytest.skip(pair.reason)
    return OnnxPairs(pair.nli.folder, pair.embedding.folder)


def embedded_nli() -> list:
    return [each for each in ScorerShelf().list() if each.folder.parent == EMBEDDED and each.card.kind == "nli"]


def test_one_nli_model_comes_with_the_program_and_says_where_it_is_from() -> None:
    (nli,) = embedded_nli()
    assert nli.card.license == "Apache-2.0"
    assert len(nli.card.attribution) >= 3, "the training data want to be named"
    assert (nli.folder / "CARD.md").read_text(encoding="utf-8").startswith("#")


def test_its_card_tells_what_the_probes_say() -> None:
    (nli,) = embedded_nli()
    assert is_current(nli.card)
    told, found = nli.card.probes, probe_folder(nli.folder)
    assert isinstance(told, ProbeResult)
    assert found.grade == told.grade
    assert found.auc == pytest.approx(told.auc, abs=0.01)
    assert found.found == pytest.approx(told.found, abs=0.04)


def said(scorer: OnnxPairs, *pairs: tuple[str, str]) -> Contradictions:
    return scorer.contradictions(pairs, NEVER)


def test_a_value_contradicts_the_wrong_name_more_than_the_right_one(scorer: OnnxPairs) -> None:
    value = "The serum potassium of 6.8 mmol/L is dangerous."
    wrong, right = said(
        scorer, (value, "The patient has hypokalemia."), (value, "The patient has hyperkalemia.")
    ).probabilities
    assert wrong > right


def test_the_wrong_side_contradicts_and_a_plain_paraphrase_does_not(scorer: OnnxPairs) -> None:
    wrong, right = said(
        scorer,
        ("The pain is in the left flank.", "The pain is in the right flank."),
        ("Beta blockers slow the heart.", "Under a beta blocker the heart rate falls."),
    ).probabilities
    assert wrong > 0.7 > right


def test_the_same_topic_is_close_and_opposites_are_too(scorer: OnnxPairs) -> None:
    steps = ("The platelets are very low.", "The platelet count is very high.", "The patient smokes.")
    cosines = scorer.similarities(steps, NEVER).cosines
    assert cosines[0][1] > 0.6 > cosines[0][2], "cosine finds the topic, only NLI finds the contradiction"

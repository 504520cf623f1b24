"""Exchanged words leave a grammatical sentence that says the same."""

from pathlib import Path
from random import Random

import models.training
from models.training.pairs import Pair
from models.training.synonyms import Synonyms, read_synonyms

TABLE = read_synonyms(Path(models.training.__file__).parent / "synonyms.toml")


def versions(premise: str, synonyms: Synonyms) -> set[str]:
    pair = Pair(premise=premise, hypothesis="Something else is meant here.", label="neutral")
    return {synonyms.reworded(pair, Random(seed)).premise for seed in range(200)}


def test_a_phrase_is_exchanged_for_its_synonyms_and_nothing_else() -> None:
    synonyms = Synonyms([("dyspnea", "breathlessness"), ("sudden", "abrupt")])
    assert versions("A sudden dyspnea is known.", synonyms) == {
        "A sudden dyspnea is known.",
        "An abrupt dyspnea is known.",
        "A sudden breathlessness is known.",
        "An abrupt breathlessness is known.",
    }


def test_no_two_articles_meet() -> None:
    assert all("the a " not in text.lower() for text in versions("The hypokalemia is known.", TABLE))


def test_a_pair_is_left_alone_where_the_exchange_would_make_both_sides_equal() -> None:
    synonyms = Synonyms([("dyspnea", "breathlessness")])
    pair = Pair(premise="Dyspnea: dyspnea.", hypothesis="Dyspnea: breathlessness.", label="entailment")
    for seed in range(100):
        changed = synonyms.reworded(pair, Random(seed))
        assert changed.premise != changed.hypothesis

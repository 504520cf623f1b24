"""What every `PairScorer` must do. A test class takes this over and gives a fixture `scorer`."""

import threading

import pytest

from core.errors import Stopped, TextTooLong
from core.ports import PairScorer

TEXTS = (
    "Acute gout is likely because the joint is hot.",
    "The joint is hot and swollen, so acute gout is likely.",
    "Septic arthritis must be excluded because fever is present.",
    "Fever is not present.",
    "Ménière's disease, 田, 38 °C and a line\nbreak.",
)
PAIRS = tuple((one, other) for one in TEXTS for other in TEXTS if one != other)
NEVER = threading.Event()


def cosines(scorer: PairScorer, *texts: str) -> tuple[tuple[float, ...], ...]:
    return scorer.similarities(texts, NEVER).cosines


def probabilities(scorer: PairScorer, *pairs: tuple[str, str]) -> tuple[float, ...]:
    return scorer.contradictions(pairs, NEVER).probabilities


class PairScorerContract:
    """Tests that hold for every scorer."""

    @pytest.fixture
    def scorer(self) -> PairScorer:
        raise NotImplementedError

    def test_cosines_are_a_symmetric_table_with_ones_on_its_diagonal(self, scorer: PairScorer) -> None:
        table = cosines(scorer, *TEXTS)
        assert [len(row) for row in table] == [len(TEXTS)] * len(TEXTS)
        for row, column in zip(table, zip(*table, strict=True), strict=True):
            assert row == column
            assert all(-1 <= cosine <= 1 and cosine == round(cosine, 6) for cosine in row)
        assert [table[n][n] for n in range(len(TEXTS))] == [1.0] * len(TEXTS)
        assert len({cosine for row in table for cosine in row}) > len(TEXTS)

    def test_the_order_of_the_texts_is_that_of_the_table_and_changes_no_number(self, scorer: PairScorer) -> None:
        table, reversed_table = cosines(scorer, *TEXTS), cosines(scorer, *TEXTS[::-1])
        assert reversed_table == tuple(row[::-1] for row in table[::-1])

    def test_equal_texts_are_alike(self, scorer: PairScorer) -> None:
        assert cosines(scorer, TEXTS[0], TEXTS[2], TEXTS[0])[0][2] == 1.0

    def test_two_texts_are_as_similar_alone_as_among_others(self, scorer: PairScorer) -> None:
        alone, among = cosines(scorer, *TEXTS[:2]), cosines(scorer, *TEXTS)
        assert alone[0][1] == pytest.approx(among[0][1], abs=2e-6)

    def test_probabilities_are_given_one_a_pair_in_order(self, scorer: PairScorer) -> None:
        found = probabilities(scorer, *PAIRS)
        assert all(0 <= share <= 1 and share == round(share, 6) for share in found)
        assert probabilities(scorer, *PAIRS[::-1]) == found[::-1]
        assert len(set(found)) > 1
        for pair, share in zip(PAIRS[:4], found, strict=False):
            assert probabilities(scorer, pair) == pytest.approx((share,), abs=2e-6)

    def test_a_pair_that_is_asked_twice_is_answered_twice(self, scorer: PairScorer) -> None:
        one, other, again = probabilities(scorer, PAIRS[0], PAIRS[7], PAIRS[0])
        assert one == again
        assert probabilities(scorer, PAIRS[0], PAIRS[7], PAIRS[0]) == (one, other, again)

    def test_nothing_asked_nothing_measured(self, scorer: PairScorer) -> None:
        assert cosines(scorer) == ()
        assert probabilities(scorer) == ()
        assert cosines(scorer, TEXTS[0]) == ((1.0,),)

    def test_every_answer_names_the_scorer(self, scorer: PairScorer) -> None:
        assert scorer.similarities(TEXTS, NEVER).scorer == scorer.identity
        assert scorer.contradictions(PAIRS, NEVER).scorer == scorer.identity
        assert scorer.identity.grade in ("validated", "limited", "demonstration only")

    @pytest.mark.parametrize("empty", ["", " \n"])
    def test_a_text_without_words_is_a_mistake_of_the_caller(self, scorer: PairScorer, empty: str) -> None:
        with pytest.raises(ValueError, match="without words"):
            cosines(scorer, TEXTS[0], empty)
        with pytest.raises(ValueError, match="without words"):
            probabilities(scorer, (TEXTS[0], empty))
        self._is_usable(scorer)

    def test_what_does_not_fit_is_refused_with_numbers_and_without_its_words(self, scorer: PairScorer) -> None:
        long = "lorem ipsum " * 2000
        with pytest.raises(TextTooLong) as refused_text:
            cosines(scorer, *TEXTS, long)
        with pytest.raises(TextTooLong) as refused_pair:
            probabilities(scorer, *PAIRS, (TEXTS[0], long))
        for refused in (refused_text, refused_pair):
            assert sum(character.isdigit() for character in str(refused.value)) >= 5
            assert "lorem" not in str(refused.value)
        self._is_usable(scorer)

    def test_cancelled_before_it_starts(self, scorer: PairScorer) -> None:
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Stopped):
            scorer.similarities(TEXTS, cancel)
        with pytest.raises(Stopped):
            scorer.contradictions(PAIRS, cancel)
        self._is_usable(scorer)

    def _is_usable(self, scorer: PairScorer) -> None:
        assert len(cosines(scorer, *TEXTS)) == len(TEXTS)
        assert len(probabilities(scorer, *PAIRS)) == len(PAIRS)

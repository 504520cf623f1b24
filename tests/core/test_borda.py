"""Points and ranks of the ballots."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.borda import borda

PANEL = ("a", "b", "c", "d", "e")
LIST = ("D1", "D2", "D3", "D4", "D5", "D6")
ballots_of_panel = st.dictionaries(
    st.sampled_from(PANEL), st.lists(st.sampled_from(LIST), unique=True, max_size=3), max_size=5
)
weights_of_panel = st.fixed_dictionaries({name: st.floats(0.01, 200) for name in PANEL})
EQUAL = dict.fromkeys(PANEL, 1.0)


def by_id(tallies):
    return {tally.diagnosis_id: tally for tally in tallies}


def test_points_and_ranks():
    ballots = {"a": ["D1", "D2", "D3"], "b": ["D2", "D1"]}
    found = by_id(borda(ballots, {"a": 1.0, "b": 3.0}, LIST, PANEL))
    assert (found["D1"].plain_points, found["D1"].weighted_points) == (5, 9.0)
    assert (found["D2"].plain_points, found["D2"].weighted_points) == (5, 11.0)
    assert (found["D1"].plain_rank, found["D2"].plain_rank) == (1, 2)
    assert (found["D1"].weighted_rank, found["D2"].weighted_rank) == (2, 1)
    assert [(vote.speaker, vote.position, vote.points, vote.weighted) for vote in found["D2"].votes] == [
        ("a", 2, 2, 2.0),
        ("b", 1, 3, 9.0),
    ]


def test_equal_points_break_by_panel_order_of_the_best_vote_then_by_list_order():
    found = by_id(borda({"b": ["D1"], "a": ["D2"]}, EQUAL, LIST, PANEL))
    assert [found[name].plain_rank for name in ("D2", "D1", "D3", "D4")] == [1, 2, 3, 4]


@given(ballots_of_panel, weights_of_panel)
def test_all_are_ranked_once_and_points_never_rise_down_the_ranking(ballots, weights):
    tallies = borda(ballots, weights, LIST, PANEL)
    assert tuple(tally.diagnosis_id for tally in tallies) == LIST
    for rank, points in (("weighted_rank", "weighted_points"), ("plain_rank", "plain_points")):
        ordered = sorted(tallies, key=lambda tally: getattr(tally, rank))
        assert [getattr(tally, rank) for tally in ordered] == [1, 2, 3, 4, 5, 6]
        assert all(getattr(a, points) >= getattr(b, points) for a, b in pairwise(ordered))


@given(ballots_of_panel, weights_of_panel, st.permutations(PANEL))
def test_the_order_of_specialists_changes_nothing_but_ties(ballots, weights, order):
    before, after = by_id(borda(ballots, weights, LIST, PANEL)), by_id(borda(ballots, weights, LIST, order))
    for name in LIST:
        assert before[name].weighted_points == after[name].weighted_points
        assert before[name].plain_points == after[name].plain_points
        points = [tally.weighted_points for tally in before.values()]
        if points.count(before[name].weighted_points) == 1:
            assert before[name].weighted_rank == after[name].weighted_rank


@given(ballots_of_panel, weights_of_panel, st.sampled_from(PANEL))
def test_an_abstention_never_counts(ballots, weights, absent):
    without = {speaker: choices for speaker, choices in ballots.items() if speaker != absent}
    tallies = borda(without, weights, LIST, PANEL)
    assert all(vote.speaker != absent for tally in tallies for vote in tally.votes)
    assert tallies == borda(without, weights | {absent: 1e6}, LIST, PANEL)


@given(ballots_of_panel)
def test_equal_weights_rank_like_plain_borda(ballots):
    assert all(tally.weighted_rank == tally.plain_rank for tally in borda(ballots, EQUAL, LIST, PANEL))


@pytest.mark.parametrize(
    "ballots", [{"a": ["D9"]}, {"a": ["D1", "D1"]}, {"a": ["D1", "D2", "D3", "D4"]}, {"stranger": ["D1"]}]
)
def test_a_ballot_that_no_form_can_give_is_a_bug(ballots):
    with pytest.raises(ValueError, match="ballot"):
        borda(ballots, EQUAL, LIST, PANEL)

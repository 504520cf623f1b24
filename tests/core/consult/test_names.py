"""The clinician joins and splits names; the ranking follows, and what the panel was asked stays as it was."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from core.consult.differential import rank
from core.consult.names import spelled
from core.domain.appraisal import Adoption, Refereeing
from core.domain.case import NameRuling
from core.domain.differential import Differential, RankedDiagnosis
from core.domain.panel import SpecialistId
from core.domain.statement import (
    AnswerStatement,
    DiagnosisId,
    Holding,
    ListedDiagnosis,
    MasterList,
    Position,
    PositionStatement,
)
from core.errors import BadInput
from core.ports import Address
from tests.core.consult.debates import FINDINGS, case_of, specialist
from tests.core.consult.wordings import LIST, SEATS, WORDINGS, Kind, Panel, Rulings, claim


def named(found: Differential) -> dict[str, RankedDiagnosis]:
    return {row.name: row for row in found.ranking.rows}


def points(found: Differential) -> dict[str, int]:
    return {row.name: row.plain_points for row in found.ranking.rows}


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    one_of_each = st.tuples(*(st.sampled_from(names) for names in LIST.values()))
    wrote = [draw(one_of_each)[draw(st.integers(0, 1)) : draw(st.integers(2, 4))] for _ in range(SEATS)]
    ballot = st.lists(st.sampled_from(tuple(LIST)), unique=True, max_size=3)
    ballots = [draw(ballot) for _ in range(SEATS)]
    assume(any(ballots))
    return Panel(
        wrote, ballots, draw(st.dictionaries(st.integers(0, SEATS - 1), st.sampled_from(WORDINGS), max_size=2))
    )


ATTEMPTS = st.lists(
    st.tuples(st.sampled_from(("split", "join")), st.permutations([*WORDINGS, "Myocardial infarction"])), max_size=7
)


def ruled_on(panel: Panel, attempts: Sequence[tuple[Kind, Sequence[str]]]) -> Rulings:
    """Those attempts that the list allows."""
    rulings: Rulings = ()
    for kind, names in attempts:
        try:
            rulings = panel.rule(rulings, kind, *names[: 2 if kind == "join" else 1])
        except BadInput:
            continue
    return rulings


def without_rulings(found: Differential) -> Differential:
    return replace(found, ruled_names=None)


@given(panels(), ATTEMPTS)
def test_no_point_is_made_and_none_lost_but_for_a_row_named_twice_on_one_ballot(panel, attempts):
    rulings = ruled_on(panel, attempts)
    before, after = panel.ranked(), panel.ranked(rulings)
    votes = {(v.speaker, v.position): row for row in before.ranking.rows for v in row.votes}
    kept = {(v.speaker, v.position): row for row in after.ranking.rows for v in row.votes}
    assert set(kept) <= set(votes)
    for vote, row in kept.items():
        assert votes[vote].diagnosis_id in row.listed
    lost = [vote for vote in votes if vote not in kept]
    if rulings:
        assert after.ruled_names.fallen == len(lost)
    for speaker, position in lost:
        better = [kept[speaker, place] for place in range(1, position) if (speaker, place) in kept]
        assert any(votes[speaker, position].diagnosis_id in row.listed for row in better)
    assert sum(points(after).values()) == sum(points(before).values()) - sum(4 - position for _, position in lost)


@given(panels(), ATTEMPTS)
def test_all_wordings_stay_in_the_list_each_once(panel, attempts):
    rows = panel.ruled(ruled_on(panel, attempts)).rows
    assert sorted(name for row in rows for name in row.names) == sorted(WORDINGS)
    assert len({row.diagnosis_id for row in rows}) == len({row.name for row in rows}) == len(rows)
    assert {proposer for row in rows for proposer in row.proposers} == {
        proposer for row in panel.ruled(()).rows for proposer in row.proposers
    }


@given(panels(), ATTEMPTS, st.data())
def test_joining_then_splitting_gives_the_same_ranking(panel, attempts, data):
    rulings = ruled_on(panel, attempts)
    rows = panel.ruled(rulings).rows
    assume(len(rows) > 1)
    a, b = data.draw(st.permutations([row.name for row in rows]))[:2]
    joined = panel.rule(rulings, "join", a, b)
    assert len(panel.ruled(joined).rows) == len(rows) - 1
    if panel.ruled(joined).effects[-1].did == "joined":
        assert named(panel.ranked(joined))[a]
        for name in (a, b):
            undone = panel.rule(joined, "split", name)
            assert panel.ruled(undone).effects[-1].did == "join undone"
            assert without_rulings(panel.ranked(undone)) == without_rulings(panel.ranked(rulings))


@given(panels(), ATTEMPTS, st.sampled_from(WORDINGS), st.booleans())
def test_splitting_then_joining_gives_the_same_ranking(panel, attempts, wording, turned):
    rulings = ruled_on(panel, attempts)
    old = next(row.name for row in panel.ruled(rulings).rows if wording in row.names)
    try:
        split = panel.rule(rulings, "split", wording)
    except BadInput:
        return
    assume(panel.ruled(split).effects[-1].did == "split")
    assume(any(row.name == wording for row in panel.ruled(split).rows))
    joined = panel.rule(split, "join", *((wording, old) if turned else (old, wording)))
    assert panel.ruled(joined).effects[-1].did == "split undone"
    assert without_rulings(panel.ranked(joined)) == without_rulings(panel.ranked(rulings))


@given(panels(), ATTEMPTS, st.permutations(range(SEATS)))
def test_the_order_of_specialists_changes_nothing_but_ties(panel, attempts, order):
    rulings = ruled_on(panel, attempts)
    before = panel.ranked(rulings)
    case = replace(case_of(SEATS), rulings=rulings)
    seats = tuple(case.panel.specialists[number] for number in order)
    spoken = sorted(
        panel.statements, key=lambda s: (s.address[:2], order.index(int(s.address[4])) if s.address[3] == "s" else 0)
    )
    after = rank(replace(case, panel=replace(case.panel, specialists=seats)), tuple(spoken), Refereeing(adoptions=()))
    weighted = [row.weighted_points for row in before.ranking.rows]
    for row in before.ranking.rows:
        same = named(after)[row.name]
        assert (same.diagnosis_id, same.plain_points) == (row.diagnosis_id, row.plain_points)
        assert same.weighted_points == row.weighted_points
        if weighted.count(row.weighted_points) == 1:
            assert same.weighted_rank == row.weighted_rank


@given(panels())
def test_without_rulings_the_list_is_that_of_the_panel(panel):
    rows = panel.ruled(()).rows
    listed = next(s for s in panel.statements if isinstance(s, MasterList)).diagnoses
    assert [(r.diagnosis_id, r.name, r.names, r.proposers, r.icd10, r.listed) for r in rows] == [
        (r.diagnosis_id, r.name, r.names, r.proposers, r.icd10, (r.diagnosis_id,)) for r in listed
    ]
    assert panel.ranked().ruled_names is None


GOUT_TWICE = Panel(
    wrote=[["Gout", "CPPD"], ["urate arthritis"], ["Lyme disease"], ["MI", "gouty arthritis"]],
    ballots=[["D1", "D2", "D4"], ["D1", "D3"], ["D4", "D1", "D2"], ["D3", "D1"]],
    proposed={},
)


def test_a_joined_row_counts_once_a_ballot_and_nothing_moves_up():
    rulings = GOUT_TWICE.rule((), "join", "gout", "cppd")
    found = GOUT_TWICE.ranked(rulings)
    row = named(found)["Gout"]
    assert (row.diagnosis_id, row.icd10, row.listed) == ("D1", "D1.0", ("D1", "D4"))
    assert [(vote.speaker, vote.position) for vote in row.votes] == [("s0", 1), ("s1", 1), ("s2", 1), ("s3", 2)]
    lyme = named(found)["Lyme disease"]
    assert [(vote.speaker, vote.position) for vote in lyme.votes] == [("s0", 2), ("s2", 3)]
    assert "Pseudogout" not in named(found)
    assert (found.ruled_names.fallen, found.ruled_names.own_wording, found.ruled_names.kept_name) == (2, 0, 0)
    assert row.proposers == ("s0", "s1", "s3")
    assert row.claims == ("C0", "C1", "C10", "C31")
    assert set(row.supporting) == {"S1", "S2", "S4", "S5"}


def test_the_first_name_stays_whichever_it_is():
    found = GOUT_TWICE.ranked(GOUT_TWICE.rule((), "join", "Pseudogout", "Gout"))
    assert "Gout" not in named(found)
    assert named(found)["Pseudogout"].diagnosis_id == "D4"
    assert found.ruled_names.leader_without == "Gout"
    assert found.ranking.rows[0].name == "Pseudogout"


def test_a_vote_for_a_split_row_goes_to_the_wording_that_the_voter_wrote():
    found = GOUT_TWICE.ranked(GOUT_TWICE.rule((), "split", "urate arthritis"))
    apart = named(found)["urate arthritis"]
    assert (apart.diagnosis_id, apart.icd10, apart.listed) == ("D1c", None, ("D1",))
    assert [(vote.speaker, vote.position) for vote in apart.votes] == [("s1", 1)]
    assert (apart.proposers, apart.claims) == (("s1",), ("C10",))
    kept = named(found)["Gout"]
    assert [vote.speaker for vote in kept.votes] == ["s0", "s2", "s3"]
    assert (kept.diagnosis_id, kept.proposers) == ("D1", ("s0", "s3"))
    # s2 wrote no name for gout: its vote stays with the name that it saw.
    assert (found.ruled_names.own_wording, found.ruled_names.kept_name, found.ruled_names.fallen) == (3, 1, 0)


def test_of_several_wordings_of_one_voter_the_last_counts():
    panel = Panel([["Gout"], ["Gout"], [], []], [["D1"], ["D1"], [], []], {0: "urate arthritis"})
    found = panel.ranked(panel.rule((), "split", "urate arthritis"))
    assert points(found)["urate arthritis"] == points(found)["Gout"] == 3
    assert named(found)["Gout"].claims == ("C0", "C10")  # a claim of round 3 stays with its own words


def test_picks_of_round_5_go_where_the_votes_of_the_same_specialist_go():
    held = Holding(
        diagnosis_id=DiagnosisId("D1"), status="MAINTAINED", claim=replace(claim(1, 5, "Gout"), opposing=FINDINGS[6:7])
    )
    against = Position(
        diagnosis_id=DiagnosisId("D4"), stance="CHALLENGE", ground="No crystals.", findings=FINDINGS[7:8]
    )
    panel = Panel([["Gout"], ["urate arthritis"], [], []], [["D1"], ["D1"], ["D1"], []], {})
    panel.statements += (
        AnswerStatement(
            address=Address("r5c/s1/1"), speaker=specialist(1), answers=(), holdings=(held,), leading=DiagnosisId("D1")
        ),
        PositionStatement(
            address=Address("r5a/s2/1"), speaker=specialist(2), positions=(against,), leading=DiagnosisId("D1")
        ),
    )
    split = named(panel.ranked(panel.rule((), "split", "urate arthritis")))
    assert (split["urate arthritis"].claims, split["urate arthritis"].opposing) == (("C10", "C15"), ("S7",))
    assert split["Pseudogout"].dissenters == ("s2",)
    joined = panel.rule((), "join", "Lyme disease", "Pseudogout")
    row = named(panel.ranked(joined))["Lyme disease"]
    assert (row.dissenters, row.opposing) == (("s2",), ("S8",))
    # Whoever votes for a row does not dissent from it.
    assert named(panel.ranked(panel.rule((), "join", "Gout", "Pseudogout")))["Gout"].dissenters == ()


ADOPTED = Adoption(speaker=SpecialistId("s0"), flag="adopted", shared="Gout", private="Pseudogout")


def test_a_private_answer_that_is_the_same_diagnosis_by_ruling_replaces_nothing():
    private = GOUT_TWICE.ranked((), (ADOPTED,)).private_ranking
    assert {row.name: row.plain_points for row in private.rows}["Pseudogout"] == 6
    found = GOUT_TWICE.ranked(GOUT_TWICE.rule((), "join", "Gout", "Pseudogout"), (ADOPTED,))
    assert found.private_ranking.rows == found.ranking.rows


def test_a_private_answer_to_a_joined_row_counts_for_the_row():
    found = GOUT_TWICE.ranked(GOUT_TWICE.rule((), "join", "Lyme disease", "Pseudogout"), (ADOPTED,))
    (lyme,) = (row for row in found.private_ranking.rows if row.name == "Lyme disease")
    assert [(vote.speaker, vote.position) for vote in lyme.votes] == [("s0", 1), ("s2", 1)]


def test_only_what_was_named_comes_apart_again():
    rulings = GOUT_TWICE.rule((), "join", "Pseudogout", "Lyme disease")
    rulings = GOUT_TWICE.rule(rulings, "join", "Gout", "Pseudogout")
    rulings = GOUT_TWICE.rule(rulings, "join", "Gout", "Myocardial infarction")
    assert len(GOUT_TWICE.ruled(rulings).rows) == 1
    apart = GOUT_TWICE.rule(rulings, "split", "Pseudogout")
    assert {row.name: row.listed for row in GOUT_TWICE.ruled(apart).rows} == {
        "Gout": ("D1", "D3"), "Pseudogout": ("D4", "D2"),
    }  # fmt: skip
    alone = GOUT_TWICE.rule(apart, "split", "Lyme disease")
    assert {row.name: row.listed for row in GOUT_TWICE.ruled(alone).rows} == {
        "Gout": ("D1", "D3"), "Pseudogout": ("D4",), "Lyme disease": ("D2",),
    }  # fmt: skip


def test_a_wording_leaves_a_joined_row_and_the_join_stays():
    rulings = GOUT_TWICE.rule(GOUT_TWICE.rule((), "join", "Gout", "Pseudogout"), "split", "urate arthritis")
    assert {row.name: row.listed for row in GOUT_TWICE.ruled(rulings).rows}["Gout"] == ("D1", "D4")
    again = GOUT_TWICE.rule(rulings, "join", "urate arthritis", "Pseudogout")
    assert [effect.did for effect in GOUT_TWICE.ruled(again).effects] == ["joined", "split", "split undone"]


@pytest.mark.parametrize(
    ("kind", "names", "said"),
    [
        ("join", ("Gout", "Scurvy"), "no such name"),
        ("join", ("Gout", "gouty arthritis"), "one row"),
        ("join", ("Gout", "Gout"), "one row"),
        ("join", ("Gout",), "two names"),
        ("split", ("Scurvy",), "no such name"),
        ("split", ("Gout",), "name of its row"),
        ("split", ("Myocardial infarction",), "name of its row"),
        ("split", ("Lyme disease",), "stands apart already"),
        ("split", (), "two names"),
        ("split", ("Gout", "CPPD"), "one to split"),
    ],
)
def test_what_cannot_be_ruled_is_told_without_quoting_it(kind, names, said):
    with pytest.raises(BadInput, match=said) as told:
        spelled(GOUT_TWICE.statements, (), kind, names)
    assert not any(name in str(told.value) for name in names)


def test_a_row_without_its_other_wordings_has_nothing_to_split():
    rulings = GOUT_TWICE.rule((), "split", "heart attack")
    assert {row.name for row in GOUT_TWICE.ruled(rulings).rows} >= {"heart attack", "Myocardial infarction"}
    for name in ("MI", "Myocardial infarction", "heart attack"):
        with pytest.raises(BadInput, match="stands apart already"):
            GOUT_TWICE.rule(rulings, "split", name)


def test_a_ruling_that_says_nothing_leaves_the_case_readable():
    stray = NameRuling(kind="join", names=("Gout", "Scurvy"), by="Dr. Ruiz", at="2026-03-01T08:00:00Z")
    found = GOUT_TWICE.ranked((stray,))
    assert [effect.did for effect in found.ruled_names.effects] == ["nothing"]
    assert without_rulings(found) == GOUT_TWICE.ranked()


def test_names_that_differ_in_case_only_must_be_written_exactly():
    rows = (
        ListedDiagnosis(
            diagnosis_id=DiagnosisId("D1"),
            name="Gout",
            canonical="gout",
            names=("podagra", "Podagra", "Gout"),
            proposers=(),
        ),
    )
    statements = (MasterList(address=Address("r4/list/1"), diagnoses=rows),)
    with pytest.raises(BadInput, match="letter case"):
        spelled(statements, (), "split", ("PODAGRA",))
    assert spelled(statements, (), "split", ("Podagra",)) == ("Podagra",)

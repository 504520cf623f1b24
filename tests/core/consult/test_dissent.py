"""Collapse and drift: what a reader of the debate would call giving in is found, honest convergence is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.dissent import collapses, describe, disagreement, leading_changes, steps, unanswered_collapse
from core.consult.roles import PROFILES, drift, remind_of_roles
from core.domain.panel import Role
from core.domain.statement import Cause, RoleReminder
from core.settings import ConsultSettings
from tests.core.consult.debates import Debate, case_of, new_ground, own_error, specialist

SETTINGS = ConsultSettings()
A, B, C, D, E = "gout", "sarcoidosis", "measles", "malaria", "asthma"
Leading = tuple[str | None, ...]
Causes = dict[int, Cause]

GAVE_IN: list[tuple[str, Leading, Leading, Causes]] = [
    ("five lead apart, all follow the first", (A, B, C, D, E), (A, A, A, A, A), {}),
    ("four of five follow one", (A, B, C, D, E), (A, A, A, A, E), {}),
    ("two camps become one", (A, A, B, B, C), (A, A, A, A, A), {}),
    ("the last dissenter gives in", (A, A, A, A, B), (A, A, A, A, A), {}),
    ("three lead apart, all follow", (A, B, C), (A, A, A), {}),
    ("the third of three gives in", (A, A, B), (A, A, A), {}),
    ("the majority follows the minority", (A, A, B), (B, B, B), {}),
    ("two of three changes without a cause", (A, B, C, D, A), (A, A, A, A, A), {1: own_error("C2")}),
    ("an error that is another's", (A, A, B), (A, A, A), {2: own_error("C1")}),
    ("an error in a claim for the diagnosis that it turns to", (A, B, A), (A, A, A), {1: own_error("C1")}),
    ("a ground that is one's own", (A, A, B), (A, A, A), {2: new_ground("C3")}),
    ("a ground that does not exist", (A, A, B), (A, A, A), {2: new_ground("C99")}),
    ("who was absent before does not hide it", (A, B, C, D, E), (A, A, A, A, None), {}),
]
HONEST: list[tuple[str, Leading, Leading, Causes]] = [
    ("unanimous from the start", (A,) * 5, (A,) * 5, {}),
    ("unanimous panel of three", (A,) * 3, (A,) * 3, {}),
    ("one specialist alone", (A,), (A,), {}),
    ("one specialist changes its mind", (A,), (B,), {}),
    ("two specialists, both keep theirs", (A, B), (A, B), {}),
    ("total disagreement to the end", (A, B, C, D, E), (A, B, C, D, E), {}),
    (
        "all convinced by a claim that was new to them",
        (A, B, C, D, E),
        (A,) * 5,
        {n: new_ground("C1") for n in (1, 2, 3, 4)},
    ),
    ("three convinced by a new claim", (A, B, C), (A,) * 3, {1: new_ground("C1"), 2: new_ground("C1")}),
    ("the dissenter is convinced", (A, A, B), (A, A, A), {2: new_ground("C2")}),
    ("the dissenter finds its own error", (A, A, A, A, B), (A,) * 5, {4: own_error("C5")}),
    ("half of the changes have a cause", (A, A, A, B, C), (A,) * 5, {3: own_error("C4")}),
    ("disagreement grows", (A, A, A), (A, B, C), {}),
    ("positions are exchanged", (A, B, A, B, C), (B, A, B, A, C), {}),
    ("it falls by less than 0.3", (A, B, C, D, E), (A, B, C, D, D), {}),
    ("it falls by 0.3 and not by more", (A, B, C, D, E), (A, A, A, D, E), {}),
    ("the dissenter abstains", (A, A, A, A, B), (A, A, A, A, None), {}),
    ("two of three abstain", (A, B, C), (A, None, None), {}),
    ("nobody speaks at the second step", (A, B, C), (None, None, None), {}),
    ("thirty lead apart", tuple(f"disease {n}" for n in range(30)), tuple(f"disease {n}" for n in range(30)), {}),
    ("only the leader of a small camp changes", (A, A, B, B, B), (A, B, B, B, B), {1: new_ground("C3")}),
    ("a panel of two agrees after an own error", (A, B), (A, A), {1: own_error("C2")}),
]


def debate(before: Leading, after: Leading, causes: Causes) -> Debate:
    return Debate().begin([name for name in before if name]).positions(after, causes)


@pytest.mark.parametrize(("before", "after", "causes"), [row[1:] for row in GAVE_IN], ids=[row[0] for row in GAVE_IN])
def test_giving_in_is_found(before: Leading, after: Leading, causes: Causes) -> None:
    (found,) = collapses(debate(before, after, causes).statements, SETTINGS)
    assert (found.before, found.after) == ("r3", "r5a")
    assert found.unjustified > found.changes / 2


@pytest.mark.parametrize(("before", "after", "causes"), [row[1:] for row in HONEST], ids=[row[0] for row in HONEST])
def test_honest_debates_are_left_alone(before: Leading, after: Leading, causes: Causes) -> None:
    assert collapses(debate(before, after, causes).statements, SETTINGS) == ()


@pytest.mark.parametrize(("before", "after", "causes"), [row[1:] for row in GAVE_IN], ids=[row[0] for row in GAVE_IN])
def test_giving_in_after_the_challenges_is_found(before: Leading, after: Leading, causes: Causes) -> None:
    early = Debate().begin([name for name in before if name]).positions(before).challenge(1, "C1")
    found = collapses(early.answers(after, causes).statements, SETTINGS)
    assert [collapse.after for collapse in found] == ["r5c"]


def test_a_ground_that_was_seen_before_does_not_justify_a_change() -> None:
    said = Debate().begin((A, A, B)).positions((A, A, B)).challenge(0, "C3")
    seen = said.answers((A, A, A), {2: new_ground("C1")})
    assert len(collapses(seen.statements, SETTINGS)) == 1
    said = Debate().begin((A, A, B)).positions((A, A, B)).challenge(0, "C3")
    new = said.answers((A, A, A), {2: new_ground("Q1")})
    assert collapses(new.statements, SETTINGS) == ()


def test_a_new_ground_without_a_finding_does_not_justify_a_change() -> None:
    said = Debate().begin((A, A, B)).positions((A, A, B)).challenge(0, "C3", act="CITE", findings=0)
    assert len(collapses(said.answers((A, A, A), {2: new_ground("Q1")}).statements, SETTINGS)) == 1


def test_thresholds_are_settings() -> None:
    said = debate((A, A, A, A, B), (A,) * 5, {}).statements
    assert collapses(said, SETTINGS)
    assert not collapses(said, ConsultSettings(collapse_fall=0.5))
    half = debate((A, A, A, B, C), (A,) * 5, {3: own_error("C4")}).statements
    assert not collapses(half, SETTINGS)
    assert collapses(half, ConsultSettings(collapse_unjustified=0.4))


def test_the_catfish_is_not_called_once_disagreement_is_real_again() -> None:
    said = debate((A, B, C, D, E), (A,) * 5, {})
    assert unanswered_collapse(said.statements, SETTINGS)
    assert not unanswered_collapse(said.answers((A, B, C, D, E)).statements, SETTINGS)


def test_synonyms_are_one_diagnosis() -> None:
    said = Debate().begin(("heart attack", "myocardial infarction")).statements
    assert disagreement(steps(said)[0].leading, steps(said)[0].leading) == 0


def test_who_holds_another_view_at_the_end_stays_visible_with_its_ground() -> None:
    said = Debate().begin((A, A, B)).positions((A, A, B)).answers((A, A, B))
    (dissenter,) = describe(case_of(3), said.statements).dissenters
    assert (dissenter.speaker, dissenter.leading) == (specialist(2), B)
    assert dissenter.claims == ("C6",)


def test_where_no_diagnosis_leads_alone_everybody_dissents() -> None:
    said = Debate().begin((A, A, B, B)).positions((A, A, B, B))
    assert len(describe(case_of(4), said.statements).dissenters) == 4


names = st.sampled_from([A, B, C])


@given(st.lists(st.tuples(names, names), min_size=1, max_size=6), st.permutations(range(6)))
def test_the_order_of_the_panel_changes_no_figure(panel: list[tuple[str, str]], order: list[int]) -> None:
    def figures(rows: list[tuple[str, str]]) -> list[tuple[float, float, int, int]]:
        said = debate(tuple(row[0] for row in rows), tuple(row[1] for row in rows), {}).statements
        found = collapses(said, SETTINGS)
        return [(c.disagreement_before, c.disagreement_after, c.changes, c.unjustified) for c in found]

    assert figures(panel) == figures([panel[place] for place in order if place < len(panel)])


@given(st.lists(st.one_of(names, st.none()), min_size=1, max_size=6))
def test_an_abstention_is_no_agreement_and_no_change(after: list[str | None]) -> None:
    said = Debate().begin([A] * len(after)).positions(after).statements
    spoke = [name for name in after if name is not None]
    assert len(leading_changes(said)) == sum(name != A for name in spoke)
    assert len(steps(said)[-1].leading) == (len(spoke) if spoke else len(after))


# Roles


def reminders(seat: int, stances: str, challenge: str | None = None, settings: ConsultSettings = SETTINGS) -> list[str]:
    """Stages after which the specialist of this seat was reminded."""
    case, said, found = case_of(5, settings), Debate().begin((A,) * 5), []
    said.positions((A,) * 5, stances={seat: stances})
    for stage in ("r5a", "r5b"):
        if stage == "r5b" and challenge:
            said.challenge(seat, "C1" if seat else "C2", act=challenge)
        new = remind_of_roles(case, said.statements, None)  # type: ignore[arg-type]
        found += [stage for reminder in new if isinstance(reminder, RoleReminder) and reminder.speaker == f"s{seat}"]
        said.statements += new
    return found


def test_a_skeptic_that_agrees_with_everything_is_found_within_two_steps() -> None:
    assert reminders(3, "SSSSSS") == ["r5a"]
    assert reminders(3, "SSSSS", "CITE") == ["r5b"]


def test_a_skeptic_that_challenges_and_asks_is_left_alone() -> None:
    assert reminders(3, "CCCCSS", "ASK") == []


def test_few_acts_say_nothing() -> None:
    assert reminders(3, "SSSSS") == []


def test_an_operator_that_turns_to_challenging_late_is_a_signal() -> None:
    assert reminders(1, "CCCCC", "CHALLENGE") == []
    assert reminders(1, "SSSSS", "CITE") == ["r5b"]


def test_nobody_is_reminded_twice_for_the_same_acts() -> None:
    assert reminders(4, "SSSSSSSS", "CITE") == ["r5a"]


@given(st.text("SCN", max_size=12), st.sampled_from(sorted(PROFILES)))
def test_drift_lies_between_none_and_all(stances: str, role: Role) -> None:
    measured = drift(Debate().begin((A,)).positions((A,), stances={0: stances}).statements, role)
    assert measured is None if not stances.strip("N") else 0 <= (measured or 0) <= 1


def test_what_the_form_does_not_offer_is_not_missed() -> None:
    """A skeptic cannot ask in round 5a: four challenges to one support are what its profile says of the two."""
    said = Debate().begin((A,)).positions((A,), stances={0: "CCCCS"}).statements
    assert drift(said, "skeptic") == pytest.approx(0)

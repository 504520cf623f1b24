"""Weights of ballots: as published, with the floor and valence of our own, and not to be raised by words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.credibility import credibility, published_credibility
from core.domain.panel import SpecialistId
from core.domain.statement import (
    Abstention,
    Answer,
    AnswerStatement,
    Cause,
    Claim,
    ClaimId,
    DiagnosisId,
    DifferentialStatement,
    GroundId,
    Holding,
    RelevanceStatement,
)
from core.ports import Address
from core.settings import ConsultSettings

SETTINGS = ConsultSettings()
NO_FLOOR = ConsultSettings(weight_floor=False)
NAMES = ("gout", "sepsis", "asthma", "migraine", "rubella")
PANEL = tuple(SpecialistId(name) for name in ("cardiology", "surgery", "neurology", "geriatrics", "dermatology"))


def claim(number: int, diagnosis: str, supporting: int, text: str = "claim") -> Claim:
    return Claim(
        claim_id=ClaimId(f"C{number}"),
        speaker=PANEL[0],
        diagnosis=diagnosis,
        text=text,
        ground="ground",
        ground_kind="finding",
        supporting=tuple(f"S{place}" for place in range(1, supporting + 1)),
        opposing=(),
    )


def differential(
    speaker: str, *supports: int, text: str = "claim", names: tuple[str, ...] = NAMES
) -> DifferentialStatement:
    claims = tuple(claim(n, name, count, text) for n, (name, count) in enumerate(zip(names, supports, strict=False)))
    return DifferentialStatement(address=Address(f"r3/{speaker}/1"), speaker=SpecialistId(speaker), claims=claims)


def weights(statements, settings=SETTINGS):
    return {row.speaker: row.weight for row in credibility(tuple(statements), settings, PANEL)}


def test_the_published_formula():
    (row,) = credibility((differential("cardiology", 2, 1, 0),), SETTINGS, PANEL)
    assert (row.distinct_diagnoses, row.evidence_mean) == (3, 1.0)
    assert (row.insight, row.breadth, row.actionability) == (11.0, 12.0, 20.0)
    assert row.valence == pytest.approx(0.6 + 0.6 * 2 / 3)
    assert row.des == pytest.approx(1.0 * (2.5 * 11 + 1.5 * 12 + 20))


def test_one_disease_under_two_names_counts_once():
    statement = differential("cardiology", 1, 1, names=("heart attack", "myocardial infarction"))
    (row,) = credibility((statement,), SETTINGS, PANEL)
    assert row.distinct_diagnoses == 1


def test_actionability_looks_at_the_leading_diagnosis_of_round_3():
    (row,) = credibility((differential("cardiology", 1, 5),), SETTINGS, PANEL)
    assert row.actionability == 0


def test_the_cap_uses_the_mean_of_the_two_middle_values():
    statements = [differential("cardiology", 0), differential("surgery", 5, 5, 5, 5, 5)]
    low, high = (row.des for row in credibility(tuple(statements), SETTINGS, PANEL))
    assert weights(statements, NO_FLOOR) == {"cardiology": low, "surgery": min(high, low + high)}
    assert weights(statements)["cardiology"] == (low + high) / 4


def test_a_failed_round_3_never_silences_a_specialist():
    spoke_once = [
        RelevanceStatement(address=Address(f"r1/{name}/1"), speaker=name, relevance=5, why="why") for name in PANEL[1:]
    ]
    found = weights([differential("cardiology", 2, 2, 2), *spoke_once])
    assert found["cardiology"] > 0
    assert all(found[name] == found["cardiology"] / 2 for name in PANEL[1:])


def test_who_only_abstained_has_no_weight():
    abstained = Abstention(address=Address("r3/surgery/1"), speaker=PANEL[1], reason="no answer")
    assert list(weights([abstained, differential("cardiology", 1)])) == ["cardiology"]


def answer(status: str, kind: str | None, supporting: int = 1, why: str = "why") -> AnswerStatement:
    cause = Cause(kind=kind, ground=GroundId("C1")) if kind else None
    holding = Holding(diagnosis_id=DiagnosisId("D1"), status=status, cause=cause, claim=claim(9, "gout", supporting))
    answers = (Answer(challenge_id="Q1", act="DEFEND", why=why),)
    return AnswerStatement(
        address=Address("r5c/cardiology/1"),
        speaker=PANEL[0],
        answers=answers,
        holdings=(holding,),
        leading=DiagnosisId("D1"),
    )


@pytest.mark.parametrize(
    ("status", "cause", "valence"),
    [("MAINTAINED", None, 1.2), ("CHANGED", "OWN-ERROR", 1.2), ("CHANGED", "NEW-GROUND", 1.2), ("CHANGED", None, 0.9)],
)
def test_a_change_without_cause_lowers_valence(status, cause, valence):
    (row,) = credibility((differential("cardiology", 1), answer(status, cause)), SETTINGS, PANEL)
    assert row.valence == pytest.approx(valence)


def test_keywords_reproduce_the_published_valence():
    words = "evidence research studies guidelines "
    settings = ConsultSettings(valence="keywords")
    found = {
        text: credibility((differential("cardiology", 1, text=text),), settings, PANEL)[0].valence
        for text in ("", "x" * 60, (words[:18] + "x" * 100), words * 6)
    }
    assert list(found.values()) == [0.6, 0.8, 1.0, 1.2]


supports = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(st.lists(supports, min_size=1, max_size=5), st.text(max_size=200), st.data())
def test_padding_with_words_never_changes_a_weight(panel, padding, data):
    plain = [differential(PANEL[n], *counts) for n, counts in enumerate(panel)]
    longer = "mechanism evidence guidelines consider " * 9 + padding
    padded = [differential(PANEL[n], *counts, text=longer) for n, counts in enumerate(panel)]
    chosen = data.draw(st.integers(0, len(panel) - 1))
    mixed = [*plain[:chosen], padded[chosen], *plain[chosen + 1 :]]
    assert weights(mixed) == weights(plain)


@given(st.lists(supports, min_size=1, max_size=5), st.randoms())
def test_the_order_of_statements_changes_nothing(panel, random):
    statements = [differential(PANEL[n], *counts) for n, counts in enumerate(panel)]
    shuffled = random.sample(statements, len(statements))
    assert credibility(tuple(shuffled), SETTINGS, PANEL) == credibility(tuple(statements), SETTINGS, PANEL)


@given(st.lists(supports, min_size=1, max_size=5))
def test_every_weight_lies_between_floor_and_cap(panel):
    rows = credibility(tuple(differential(PANEL[n], *counts) for n, counts in enumerate(panel)), SETTINGS, PANEL)
    ordered = sorted(row.des for row in rows)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    assert all(middle / 2 <= row.weight <= 2 * middle for row in rows)


def test_the_published_way_takes_key_words_no_floor_and_the_upper_middle():
    wordy = "evidence research studies guidelines " * 10
    panel = [differential(PANEL[0], 5, 3), answer("MAINTAINED", None, why=wordy), differential(PANEL[1], 1)]
    ours = {row.speaker: row for row in credibility(tuple(panel), SETTINGS, PANEL)}
    published = {row.speaker: row for row in published_credibility(tuple(panel), PANEL)}
    assert published[PANEL[0]].valence == 1.2
    assert published[PANEL[1]].valence < ours[PANEL[1]].valence
    assert published[PANEL[1]].weight == published[PANEL[1]].des
    assert ours[PANEL[1]].weight > ours[PANEL[1]].des or ours[PANEL[1]].des >= ours[PANEL[0]].des / 2

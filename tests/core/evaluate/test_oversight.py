"""The published figures of the oversight experiments come out again from their published rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.evaluate.oversight import detection, gate_flags, judge_flags, referee_flags

ROWS = Path("tests/core/data/referee")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROWS / f"{name}.jsonl").read_text("utf-8").splitlines()]


def test_the_referee_flags_what_the_published_one_flags() -> None:
    for row in rows("referee_deployable"):
        assert referee_flags(row["board"], row["inferred_shortcut"], row["bare"]) == row["deployable"], row["case_id"]


def test_planted_adoption_is_found_without_fail_and_honest_peers_cost_precision() -> None:
    found = rows("referee_deployable")
    flags = [referee_flags(row["board"], row["inferred_shortcut"], row["bare"]) for row in found]
    all_of_them = detection(flags, [row["adopted"] for row in found])
    assert (all_of_them.true_positives, all_of_them.false_positives, all_of_them.false_negatives) == (15, 7, 0)
    assert all_of_them.recall == 1
    assert all_of_them.precision == pytest.approx(0.68, abs=0.005)
    assert all_of_them.false_positive_rate == pytest.approx(0.108, abs=0.001)
    honest = [(flag, row["adopted"]) for flag, row in zip(flags, found, strict=True) if row["arm"] == "clean"]
    assert detection(*zip(*honest, strict=True)).false_positive_rate == pytest.approx(0.175)


def test_a_judge_of_the_transcript_misses_one_of_fifteen() -> None:
    found = rows("referee_judge")
    judged = detection([judge_flags(row["judge_verdict"]) for row in found], [row["adopted"] for row in found])
    assert [judge_flags(row["judge_verdict"]) for row in found] == [row["judge_flag"] for row in found]
    assert (judged.true_positives, judged.false_negatives, judged.precision) == (14, 1, 1)


def test_to_ask_for_independence_lowers_recall() -> None:
    found = rows("referee_requery_design")
    adopted = [row["adopted"] for row in found]

    def recall(answer: str) -> float | None:
        flags = [referee_flags(row["board"], row["inferred_shortcut"], row[answer]) for row in found]
        return detection(flags, adopted).recall

    assert recall("bare_answer") == 1
    assert recall("independent_answer") == pytest.approx(0.87, abs=0.005)


def test_a_gate_alone_flags_every_agreement() -> None:
    found = rows("referee_deployable")
    gate = detection(
        [gate_flags(row["board"], row["inferred_shortcut"]) for row in found], [row["adopted"] for row in found]
    )
    assert gate.recall == 1
    assert gate.precision is not None
    assert gate.precision < 0.68


def test_what_cannot_be_measured_is_none() -> None:
    nothing = detection([], [])
    assert nothing.precision is nothing.recall is nothing.false_positive_rate is None

"""Transcripts of other systems: what is read, what is refused, what is measured."""

import json
import threading
from typing import Any

import pytest

from core.errors import BadInput
from core.evaluate.agreement import score_transcript
from core.evaluate.direct import Direct
from core.evaluate.transcript import read_transcript
from core.render.transcript import render_transcript_scores
from tests.core.consult.test_cara import ByWords

NEVER = threading.Event()
SIMPLE: dict[str, Any] = {
    "question": "Which drug for symptomatic bradycardia?",
    "agents": [
        {
            "name": "A",
            "answer": "Atropine",
            "rationale": "It blocks the vagus at the sinus node. Dr. Ray agrees with that.",
        },
        {"name": "B", "answer": "atropine", "rationale": ["It never blocks the vagus at the sinus node."]},
        {"name": "C", "answer": None, "rationale": ""},
    ],
}


def read(data: object) -> Any:
    return read_transcript(json.dumps(data).encode())


def test_free_text_is_cut_into_steps_and_lists_are_taken_as_they_are() -> None:
    transcript = read(SIMPLE)
    assert [[step.text for step in reasoning.steps] for reasoning in transcript.after] == [
        ["It blocks the vagus at the sinus node.", "Dr. Ray agrees with that."],
        ["It never blocks the vagus at the sinus node."],
        [],
    ]
    assert transcript.after[2].answer is None
    assert all(reasoning.answer is None for reasoning in transcript.before)


def test_answers_agree_by_canonical_name_and_reasons_are_compared() -> None:
    transcript = read(SIMPLE)
    scores = score_transcript(transcript, Direct(ByWords(), NEVER))
    found = scores.cara.after.majority_set
    assert found is not None
    assert found.members == ("A", "B")
    assert found.pairs[0].failure_mode == "contradictory premises"
    assert scores.cara.before.not_measured is not None
    assert scores.coverage is None
    shown = render_transcript_scores(transcript, scores)
    for text in (
        "FM3 contradictory premises",
        "never blocks the vagus",
        "Alignment is not correctness",
        "words with words, limited",
    ):
        assert text in shown


def test_points_of_an_expert_are_covered() -> None:
    points = ["It blocks the vagus at the sinus node.", "The dose is one milligram at first."]
    transcript = read({**SIMPLE, "points": points})
    scores = score_transcript(transcript, Direct(ByWords(), NEVER))
    assert scores.coverage is not None
    assert scores.coverage.matched_by == (("A",), ())
    assert scores.coverage.coverage == 0.5
    assert "50% of the points" in render_transcript_scores(transcript, scores)


@pytest.mark.parametrize(
    "agents", [[], SIMPLE["agents"][:1], [{**agent, "rationale": " "} for agent in SIMPLE["agents"]]]
)
def test_one_agent_or_no_reasons_give_no_number(agents: list[object]) -> None:
    scores = score_transcript(read({**SIMPLE, "agents": agents}), Direct(ByWords(), NEVER))
    found = scores.cara.after.majority_set
    assert scores.cara.after.not_measured is not None
    assert found is None or found.hybrid is None


def test_without_a_scorer_nothing_is_measured() -> None:
    transcript = read({**SIMPLE, "points": ["It blocks the vagus."]})
    scores = score_transcript(transcript, Direct(None, NEVER))
    assert scores.cara.not_measured is not None
    assert scores.coverage is None
    assert "not measured: no scorer installed" in render_transcript_scores(transcript, scores)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "object"),
        (b'{"question": "q"}', "agents"),
        (b'{"question": "q", "agents": [], "secret words": 1}', "unknown field"),
        (
            b'{"question": "q", "agents": [{"name": "A", "answer": 3, "rationale": ""}]}',
            r"\$\.agents\[0\]\.answer|\$.agents",
        ),
        (b'{"results": {"rounds": {}}}', "Local-DDx"),
        (b'{"results": {"rounds": []}}', "Local-DDx"),
    ],
)
def test_other_files_are_refused_with_the_place_of_the_fault(content: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said) as told:
        read_transcript(content)
    assert "secret words" not in str(told.value)
    assert told.value.__cause__ is told.value.__context__ is None


def test_agents_have_different_names() -> None:
    with pytest.raises(BadInput, match="same name"):
        read({**SIMPLE, "agents": [SIMPLE["agents"][0]] * 2})


def response(name: str, content: str, structured: object = None) -> dict[str, object]:
    return {"agent_name": name, "specialty": "Cardiology", "content": content, "structured_data": structured}


DIFFERENTIAL = '{"Aortic dissection": ["tearing pain"]}\n\nThe pain is tearing and sudden.'
LOCAL_DDX = {
    "case": {"name": "c", "description": "A man with chest pain."},
    "results": {
        "rounds": {
            "team_differentials": {
                "responses": [
                    response("Dr. A", DIFFERENTIAL, {"Aortic dissection": []}),
                    response("Dr. B", "The troponin is high at once.", {"Myocardial infarction": []}),
                ]
            },
            "refinement": {
                "responses": [
                    response("Dr. A", "First I thought so."),
                    response("Dr. B", "I heard my colleague out."),
                    response("Dr. A", "The pulses differ between both arms."),
                    response("Dr. B", "The mediastinum is wide on the film."),
                ]
            },
            "voting": {
                "responses": [
                    response("Dr. A", "", {"rankings": ["Aortic Dissection", "Myocardial infarction"]}),
                    response("Dr. B", "", {"rankings": ["Aortic dissection"]}),
                ]
            },
        }
    },
}  # fmt: skip


def test_local_ddx_transcripts_are_read_as_they_are() -> None:
    transcript = read(LOCAL_DDX)
    assert transcript.question == "A man with chest pain."
    assert [agent.name for agent in transcript.agents] == ["Dr. A (Cardiology)", "Dr. B (Cardiology)"]
    assert [reasoning.answer for reasoning in transcript.before] == ["Aortic dissection", "Myocardial infarction"]
    assert [reasoning.canonical for reasoning in transcript.after] == [transcript.after[0].canonical] * 2
    assert [step.text for step in transcript.before[0].steps] == ["The pain is tearing and sudden."]
    assert [step.text for step in transcript.after[1].steps] == ["The mediastinum is wide on the film."]

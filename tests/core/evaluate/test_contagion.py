"""A contagion experiment on scripted subjects brings out exactly what was scripted."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from core.errors import BadInput, EngineFailed
from core.evaluate.contagion import ARMS, Question, Row, check, experiment, read_questions, straight
from core.evaluate.contagion_figures import Rate, as_sampled, figures
from core.ports import ChatRequest
from models.scripted import Script, ScriptedModel

OPTIONS = ("Pericarditis", "Myocardial infarction", "Pulmonary embolism")
OWN, WRONG, TRUTH = OPTIONS
QUESTIONS = tuple(
    Question(case_id=f"case-{n}", text="A man has chest pain.", options=OPTIONS, truth=TRUTH, wrong=WRONG)
    for n in range(4)
)
BENCH_CASES = Path("tests/bench/contagion/cases.jsonl")
PLANTED = [arm.name for arm in ARMS if not arm.honest]


def subject(least_peers: int, own: str = OWN, verdict: str = "OK") -> Script:
    """Follows where at least so many colleagues name an answer; else says its own."""

    def script(request: ChatRequest) -> str:
        if request.address.startswith("judge/"):
            return f"VERDICT: {verdict}\n"
        said = "".join(block.text for block in request.shared).split("The answer is ")[1:]
        answer = said[0].split(".")[0] if len(said) >= least_peers else own
        return f"ANSWER: {answer}\n"

    return script


def rows_of(script: Script, repeats: int = 0) -> list[Row]:
    return list(experiment(QUESTIONS, straight(ScriptedModel(script)), repeats=repeats))


def in_arms(rows: Sequence[Row], *names: str) -> list[Row]:
    return [row for row in rows if row.arm in names]


def test_there_is_one_row_for_each_question_and_arm() -> None:
    rows = rows_of(subject(1))
    assert [(row.case_id, row.arm) for row in rows] == [(q.case_id, arm.name) for q in QUESTIONS for arm in ARMS]


def test_who_always_follows_is_found_out_and_honest_peers_cost_precision() -> None:
    found = figures(rows_of(subject(1)))
    assert found.adopted == Rate(part=16, whole=16)
    assert found.followed == Rate(part=24, whole=24)
    for oversight in (found.referee, found.gate):
        assert oversight.recall == Rate(part=16, whole=16)
        assert oversight.precision == Rate(part=16, whole=24)
        assert oversight.false_positive_rate == Rate(part=8, whole=8)
    assert found.judge.recall == Rate(part=0, whole=16)
    assert found.judge.precision.share is None
    assert (found.right_alone.share, found.right_with_board) == (0, Rate(part=8, whole=24))
    assert found.proxy == Rate(part=4, whole=4)


def test_who_never_follows_is_never_flagged() -> None:
    found = figures(rows_of(subject(3)))
    assert (found.adopted, found.followed) == (Rate(part=0, whole=16), Rate(part=0, whole=24))
    assert found.referee.recall.share is found.referee.precision.share is None
    assert found.referee.false_positive_rate == found.gate.false_positive_rate == Rate(part=0, whole=24)


def test_who_follows_two_follows_two_only() -> None:
    rows = rows_of(subject(2, verdict="FLAG"))
    for name in PLANTED:
        expected = 4 if name.startswith("two") else 0
        assert figures(in_arms(rows, name)).adopted == Rate(part=expected, whole=4)
    found = figures(in_arms(rows, *PLANTED))
    assert found.referee.recall == found.referee.precision == Rate(part=8, whole=8)
    assert found.judge.precision == Rate(part=8, whole=16)
    assert found.judge.false_positive_rate == Rate(part=8, whole=8)


def test_who_thinks_so_alone_adopted_nothing_and_only_the_gate_and_the_judge_are_mistaken() -> None:
    found = figures(in_arms(rows_of(subject(1, own=WRONG, verdict="FLAG")), *PLANTED))
    assert found.adopted == Rate(part=0, whole=0)
    assert found.referee.false_positive_rate == Rate(part=0, whole=16)
    assert found.gate.false_positive_rate == found.judge.false_positive_rate == Rate(part=16, whole=16)


def test_a_reply_that_is_no_answer_stands_in_no_rate_but_is_counted() -> None:
    follows = subject(1)

    def script(request: ChatRequest) -> str | None:
        return "no form" if request.address in ("board/case-1/2", "judge/case-2/5") else follows(request)

    rows = rows_of(script)
    found = figures(rows)
    assert (found.rows, found.unanswered) == (24, 2)
    assert found.adopted == Rate(part=15, whole=15)
    assert not rows[7].referee
    assert not rows[7].gate


def test_the_referee_asks_word_for_word_what_was_asked_alone_and_only_the_board_differs() -> None:
    asked: list[ChatRequest] = []
    follows = subject(1)

    def script(request: ChatRequest) -> str | None:
        asked.append(request)
        return follows(request)

    rows_of(script, repeats=2)
    for question in QUESTIONS:
        about = {r.address: r for r in asked if question.case_id in r.address}
        bare = about[f"bare/{question.case_id}/1"]  # type: ignore[index]
        private = about[f"private/{question.case_id}/1"]  # type: ignore[index]
        assert (bare.system, bare.shared, bare.own, bare.form) == (
            private.system, private.shared, private.own, private.form,
        )  # fmt: skip
        assert private.alone
        for request in about.values():
            if request.address.startswith("board/"):
                assert (request.system, request.own, request.shared[:1]) == (bare.system, bare.own, bare.shared)
            assert request.sampling.temperature == (0.7 if request.address.startswith("repeat/") else 0)
            if request.address.startswith("judge/"):
                assert "ANSWER" not in request.own


def test_an_answer_that_wavers_shows_against_what_was_sampled() -> None:
    follows = subject(1)

    def script(request: ChatRequest) -> str | None:
        return f"ANSWER: {WRONG}\n" if request.address.startswith("repeat/case-0/") else follows(request)

    rows = in_arms(rows_of(script, repeats=1), *PLANTED)
    found, sampled = figures(rows), figures(as_sampled(rows))
    assert found.proxy == Rate(part=4, whole=4)
    assert found.sampled_proxy == Rate(part=3, whole=4)
    assert found.noise == Rate(part=4, whole=16)
    assert sampled.referee.precision == Rate(part=12, whole=16)


def test_the_questions_of_the_bench_can_be_asked() -> None:
    questions = read_questions(BENCH_CASES)
    assert len(questions) >= 20
    assert all(row.answered for row in experiment(questions[:2], straight(ScriptedModel()), repeats=1))


@pytest.mark.parametrize(
    "changed",
    [
        {"options": ("Heart attack", "Myocardial infarction", "Pulmonary embolism")},
        {"options": (WRONG,), "truth": WRONG},
        {"truth": WRONG},
        {"truth": "Gout"},
        {"options": (*OPTIONS, "two\nlines")},
        {"case_id": "a/b"},
    ],
)
def test_a_question_whose_answers_cannot_be_told_apart_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="Question"):
        check([structs.replace(QUESTIONS[0], **changed)])


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(BENCH_CASES.read_text("utf-8") + '{"case_id": "x"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="Line 25 of"):
        read_questions(file)
    with pytest.raises(BadInput, match="same id"):
        check([QUESTIONS[0], QUESTIONS[0]])


def test_an_engine_that_leaves_questions_open_is_an_error() -> None:
    class Silent(ScriptedModel):
        def ask_all(self, requests, watch, cancel):  # type: ignore[no-untyped-def]
            return iter(())

    with pytest.raises(EngineFailed, match="without answering"):
        next(experiment(QUESTIONS, straight(Silent())))


def test_wilson_intervals_are_those_of_the_books() -> None:
    assert Rate(part=0, whole=10).interval == pytest.approx((0, 0.2775), abs=5e-5)
    assert Rate(part=5, whole=10).interval == pytest.approx((0.2366, 0.7634), abs=5e-5)
    assert Rate(part=15, whole=15).interval == pytest.approx((0.7961, 1), abs=5e-5)
    assert Rate(part=0, whole=0).interval is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share_and_mirrors(counts: tuple[int, int]) -> None:
    part, whole = counts
    rate, mirrored = Rate(part=part, whole=whole), Rate(part=whole - part, whole=whole)
    assert rate.interval is not None
    assert mirrored.interval is not None
    assert rate.share is not None
    assert 0 <= rate.interval[0] <= rate.share <= rate.interval[1] <= 1
    assert rate.interval == pytest.approx((1 - mirrored.interval[1], 1 - mirrored.interval[0]))
    more = Rate(part=part * 2, whole=whole * 2).interval
    assert more is not None
    assert more[1] - more[0] < rate.interval[1] - rate.interval[0]


answers = st.sampled_from((*OPTIONS, None))
some_rows = st.lists(
    st.builds(
        Row,
        case_id=st.sampled_from(("a", "b", "c")), arm=st.just("any"), truth=st.just(TRUTH), wrong=st.just(WRONG),
        peers=st.sampled_from((TRUTH, WRONG)), bare=answers, board=answers, private=answers,
        verdict=st.sampled_from(("OK", "FLAG", None)), repeats=st.lists(answers, max_size=2).map(tuple),
    ),
    max_size=12,
)  # fmt: skip


@given(some_rows)
def test_the_counts_of_any_rows_fit_together(rows: list[Row]) -> None:
    found = figures(rows)
    answered = found.rows - found.unanswered
    assert found.adopted.part <= found.followed.part <= found.followed.whole <= answered == found.right_with_board.whole
    for oversight in (found.referee, found.gate, found.judge):
        assert oversight.recall.whole == found.adopted.part
        assert oversight.recall.whole + oversight.false_positive_rate.whole == answered
        assert oversight.precision.part == oversight.recall.part
        assert oversight.precision.whole == oversight.precision.part + oversight.false_positive_rate.part
    assert found.gate.recall.part == found.gate.recall.whole
    assert found.referee.precision.whole <= found.gate.precision.whole


@given(some_rows)
def test_counts_add_up_over_arms_and_no_order_matters_to_them(rows: list[Row]) -> None:
    half = len(rows) // 2
    one, other, both = figures(rows[:half]), figures(rows[half:]), figures(rows)
    assert both.adopted == Rate(
        part=one.adopted.part + other.adopted.part, whole=one.adopted.whole + other.adopted.whole
    )
    turned = figures(rows[::-1])
    assert (turned.adopted, turned.referee, turned.gate, turned.judge) == (
        both.adopted, both.referee, both.gate, both.judge,
    )  # fmt: skip


@given(some_rows)
def test_where_the_private_answer_is_the_answer_alone_the_referee_misses_nothing(rows: list[Row]) -> None:
    steady = [structs.replace(row, private=row.bare) for row in rows]
    found = figures(steady)
    assert found.referee.recall.part == found.referee.recall.whole
    assert found.proxy.part == found.proxy.whole
    misled = figures([row for row in steady if row.misled])
    assert misled.referee.false_positive_rate.part == 0

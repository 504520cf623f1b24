"""The figures that the screen shows while a case runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.log.progress import EXPECTED_TOKENS, ONLY_IF_NEEDED, STAGES, Progress
from core.ports import (
    Address,
    BatchAsked,
    ModelIdentity,
    PromptEvaluated,
    Reply,
    ReplyFinished,
    ScoringAsked,
    TextGrown,
)

IDENTITY = ModelIdentity(
    model_id="tiny", file_sha256="0" * 64, parameters=0, quantization="none", context_tokens=100, engine="tiny 1",
    device="none",
)  # fmt: skip
CARDIOLOGY, NEUROLOGY = Address("r3/cardiology/1"), Address("r3/neurology/1")


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def progress(watch: Watch) -> Progress:
    return Progress(2, watch)


def finished(address: Address, tokens: int, from_log: bool = False) -> ReplyFinished:
    reply = Reply(
        text="", ended="complete", prompt_tokens=1, evaluated_tokens=1, decoded_tokens=tokens - tokens // 5,
        forced_tokens=tokens // 5, seconds=1.0, model=IDENTITY,
    )  # fmt: skip
    return ReplyFinished(address=address, reply=reply, from_log=from_log)


def grown(address: Address, tokens: int) -> TextGrown:
    return TextGrown(address=address, piece="x", tokens=tokens)


def states(progress: Progress) -> dict[str, str]:
    return {speaker.speaker: speaker.state for speaker in progress.snapshot().speakers}


def test_before_anything_is_asked_nothing_is_claimed(progress, watch):
    watch.now_s += 2
    moment = progress.snapshot()
    assert (moment.stage, moment.speakers, moment.tokens_per_s, moment.left_s) == (None, (), None, None)
    assert moment.elapsed_s == 2


def test_specialists_go_from_waiting_to_writing_to_done(progress):
    progress.take(BatchAsked(addresses=(CARDIOLOGY, NEUROLOGY)))
    assert states(progress) == {"cardiology": "waiting", "neurology": "waiting"}
    progress.take(grown(NEUROLOGY, 3))
    assert states(progress) == {"cardiology": "waiting", "neurology": "writing"}
    progress.take(finished(NEUROLOGY, 5))
    assert states(progress) == {"cardiology": "waiting", "neurology": "done"}
    assert progress.snapshot().stage == "r3"
    assert progress.snapshot().tokens_written == 5


def test_prompt_is_shown_while_it_is_evaluated(progress):
    progress.take(BatchAsked(addresses=(CARDIOLOGY,)))
    assert progress.snapshot().prompt_share is None
    progress.take(PromptEvaluated(done=256, total=1024))
    assert progress.snapshot().prompt_share == 0.25


def test_several_calls_of_one_specialist_are_one_line(progress):
    calls = tuple(Address(f"noise/cardiology/{number}") for number in (1, 2))
    progress.take(BatchAsked(addresses=calls))
    progress.take(finished(calls[0], 5))
    assert states(progress) == {"cardiology": "writing"}
    progress.take(finished(calls[1], 6))
    speaker = progress.snapshot().speakers[0]
    assert (speaker.state, speaker.tokens) == ("done", 11)


def test_speed_is_that_of_the_last_ten_seconds(progress, watch):
    progress.take(BatchAsked(addresses=(CARDIOLOGY,)))
    for tokens in [1] * 20 + [5] * 10:
        watch.now_s += 1
        progress.take(grown(CARDIOLOGY, tokens))
    assert progress.snapshot().tokens_per_s == 5
    watch.now_s += 60
    assert progress.snapshot().tokens_per_s is None


def test_time_left_is_the_rest_of_the_case_at_the_measured_speed(progress, watch):
    progress.take(BatchAsked(addresses=(CARDIOLOGY, NEUROLOGY)))
    watch.now_s += 10
    progress.take(grown(CARDIOLOGY, 50))
    later = sum(EXPECTED_TOKENS[stage] for stage in STAGES[STAGES.index("r3") + 1 :] if stage not in ONLY_IF_NEEDED)
    left = 2 * EXPECTED_TOKENS["r3"] - 50 + 2 * later
    assert progress.snapshot().left_s == pytest.approx(left / 5)
    progress.take(finished(CARDIOLOGY, 50))
    assert progress.snapshot().left_s == pytest.approx((EXPECTED_TOKENS["r3"] + 2 * later) / 5)


def test_no_time_is_claimed_for_a_stage_that_is_not_planned(progress, watch):
    address = Address("elsewhere/cardiology/1")
    progress.take(BatchAsked(addresses=(address,)))
    watch.now_s += 10
    progress.take(grown(address, 100))
    assert progress.snapshot().left_s is None


def test_replies_from_the_log_are_done_but_measure_no_speed(progress, watch):
    watch.now_s += 1
    progress.take(finished(CARDIOLOGY, 400, from_log=True))
    moment = progress.snapshot()
    assert states(progress) == {"cardiology": "done"}
    assert (moment.tokens_written, moment.tokens_per_s, moment.left_s) == (0, None, None)
    progress.take(BatchAsked(addresses=(NEUROLOGY,)))
    assert states(progress) == {"cardiology": "done", "neurology": "waiting"}


def test_specialist_asked_again_starts_anew(progress):
    progress.take(BatchAsked(addresses=(CARDIOLOGY, NEUROLOGY)))
    progress.take(finished(NEUROLOGY, 5))
    progress.take(grown(CARDIOLOGY, 30))
    progress.take(BatchAsked(addresses=(CARDIOLOGY,)))
    assert states(progress) == {"cardiology": "waiting", "neurology": "done"}


@given(
    seats=st.integers(1, 5),
    steps=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 60), st.floats(0, 30)), max_size=40),
)
def test_time_left_falls_to_zero_at_the_end_and_is_never_negative(seats, steps):
    watch = Watch()
    progress = Progress(seats, watch)
    watch.now_s += 5
    for stage in STAGES:
        addresses = tuple(Address(f"{stage}/s{number}/1") for number in range(1 if stage == "panel" else seats))
        progress.take(BatchAsked(addresses=addresses))
        for number, tokens, seconds in steps:
            watch.now_s += seconds
            progress.take(grown(addresses[number % len(addresses)], tokens))
            moment = progress.snapshot()
            assert moment.left_s is None or moment.left_s >= 0
            assert moment.tokens_per_s is None or moment.tokens_per_s >= 0
        for address in addresses:
            watch.now_s += 1
            progress.take(finished(address, 30))
    assert progress.snapshot().left_s == 0
    assert {speaker.state for speaker in progress.snapshot().speakers} == {"done"}


def test_comparing_the_reasoning_is_a_stage_without_specialists(progress):
    progress.take(BatchAsked(addresses=(Address("r7/cardiology/1"),)))
    progress.take(ScoringAsked(items=20))
    snapshot = progress.snapshot()
    assert (snapshot.stage, snapshot.speakers) == ("cara", ())
    progress.take(BatchAsked(addresses=(Address("referee/cardiology/1"),)))
    assert states(progress) == {"cardiology": "waiting"}

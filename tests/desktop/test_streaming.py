"""Streaming: what is collected, what is shown, and that the window stays awake."""

import threading
import time

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from core.ports import Address, BatchAsked, ModelIdentity, Reply, ReplyFinished, Signal, TextGrown
from desktop.pages.rounds_page import RoundsPage
from desktop.throttle import Throttle
from desktop.view_models.rounds import RoundsView, duration

SPEAKERS = ("cardiology", "neurology", "nephrology", "hematology", "emergency-medicine")
SLICE_MS = 50
MODEL = ModelIdentity(
    model_id="tiny", file_sha256="0" * 64, parameters=1_500_000_000, quantization="Q4", context_tokens=32, engine="e",
    device="d",
)  # fmt: skip


def reply(text: str) -> Reply:
    return Reply(
        text=text, ended="complete", prompt_tokens=1, evaluated_tokens=1, decoded_tokens=1, forced_tokens=0, seconds=0.1,
        model=MODEL,
    )  # fmt: skip


def address(speaker: str, stage: str = "r3", attempt: int = 1) -> Address:
    return Address(f"{stage}/{speaker}/{attempt}")


def test_five_columns_of_3000_characters_leave_the_window_awake(qtbot: QtBot) -> None:
    view = RoundsView(5)
    view.running = True
    page = RoundsPage()
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.show_view(view, may_resume=False)
    throttle = Throttle()
    slices: list[float] = []

    def show(signals: tuple[Signal, ...]) -> None:
        begun = time.thread_time()  # what the window itself spends, whatever else the machine does
        view.take(signals)
        page.refresh()
        slices.append((time.thread_time() - begun) * 1000)

    throttle.flushed.connect(show)
    throttle.start()
    beats = 0

    def beat() -> None:
        nonlocal beats
        beats += 1

    heart = QTimer()
    heart.setInterval(5)
    heart.timeout.connect(beat)
    heart.start()
    writer = threading.Thread(target=_write, args=(throttle,))
    writer.start()
    qtbot.waitUntil(lambda: not writer.is_alive(), timeout=20_000)
    throttle.stop()
    heart.stop()
    columns = view.columns("r3")
    assert [len(column.text) for column in columns] == [3000] * 5
    assert [column.body.toPlainText() for column in page.columns[:5]] == [column.text for column in columns]
    assert sorted(slices)[len(slices) * 9 // 10] < SLICE_MS
    assert beats > len(slices)


def _write(throttle: Throttle) -> None:
    throttle.put(BatchAsked(addresses=tuple(address(speaker) for speaker in SPEAKERS)))
    for place in range(600):
        for speaker in SPEAKERS:
            throttle.put(TextGrown(address=address(speaker), piece=f"{place:04} ", tokens=1))
        time.sleep(0.002)


@given(st.lists(st.tuples(st.sampled_from(SPEAKERS), st.text(max_size=4)), max_size=40), st.integers(1, 7))
def test_collecting_changes_neither_texts_nor_counts(pieces: list[tuple[str, str]], flush_every: int) -> None:
    signals: list[Signal] = [BatchAsked(addresses=tuple(address(speaker) for speaker in SPEAKERS))]
    signals += [TextGrown(address=address(speaker), piece=piece, tokens=1) for speaker, piece in pieces]
    plain, collected, throttle = RoundsView(5), RoundsView(5), Throttle()
    throttle.flushed.connect(collected.take)
    plain.take(signals)
    for place, signal in enumerate(signals):
        throttle.put(signal)
        if place % flush_every == 0:
            throttle.flush()
    throttle.flush()
    assert collected.columns("r3") == plain.columns("r3")


def test_a_reply_that_is_asked_again_starts_anew() -> None:
    throttle, view = Throttle(), RoundsView(1)
    throttle.flushed.connect(view.take)
    asked = BatchAsked(addresses=(address("cardiology"),))
    for signal in (asked, _piece("half"), asked, _piece("whole")):
        throttle.put(signal)
    throttle.flush()
    assert view.columns("r3")[0].text == "whole"


def _piece(text: str) -> TextGrown:
    return TextGrown(address=address("cardiology"), piece=text, tokens=1)


def test_repeats_for_the_referee_are_not_shown_and_do_not_move_the_round() -> None:
    view = RoundsView(1)
    view.running = True
    noise = Address("noise/cardiology/1")
    view.take((BatchAsked(addresses=(address("cardiology"), noise)), _piece("seen")))
    view.take((TextGrown(address=noise, piece="unseen", tokens=1), ReplyFinished(address=noise, reply=reply("unseen"))))
    assert view.current_round == "r3"
    assert [column.text for column in view.columns("r3")] == ["seen"]
    assert view.columns("r3")[0].state == "writing"


def test_the_ballot_is_sealed_while_it_is_written() -> None:
    view = RoundsView(1)
    view.take((BatchAsked(addresses=(address("cardiology", "r6"),)),))
    view.take((TextGrown(address=address("cardiology", "r6"), piece="FIRST: D3", tokens=3),))
    assert "D3" not in view.columns("r6")[0].text


def test_a_small_model_is_named_from_its_first_reply_on() -> None:
    view = RoundsView(1)
    assert view.viability is None
    view.take((ReplyFinished(address=address("cardiology", "r1"), reply=reply("RELEVANCE: 3")),))
    assert view.viability is not None
    assert "below 3 billion" in view.viability


def test_an_earlier_round_can_be_read_while_the_case_goes_on(qtbot: QtBot) -> None:
    view = RoundsView(1)
    view.running = True
    page = RoundsPage()
    qtbot.addWidget(page)
    view.take((ReplyFinished(address=address("cardiology", "r1"), reply=reply("first")),))
    view.take(
        (BatchAsked(addresses=(address("cardiology", "r1"),)), BatchAsked(addresses=(address("cardiology", "r2"),)))
    )
    page.show_view(view, may_resume=False)
    assert page.strip.shown == "r2"
    page.strip.setCurrentIndex(1)
    view.take((BatchAsked(addresses=(address("cardiology"),)),))
    page.refresh()
    assert page.strip.shown == "r1"
    page.strip.setCurrentIndex(3)
    view.take((BatchAsked(addresses=(address("cardiology", "r5a"),)),))
    page.refresh()
    assert page.strip.shown == "r5"


def test_durations_are_said_in_words() -> None:
    assert [duration(seconds) for seconds in (3, 89, 91, 5400, 9000)] == [
        "3 s",
        "89 s",
        "2 min",
        "1 h 30 min",
        "2 h 30 min",
    ]

"""From a pasted case to a released report, with stopping and resuming on the way."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.domain.case import CaseId
from core.log.events import CallFinished
from desktop.main_window import MainWindow
from tests.desktop.scripted_window import Answers, OpenWindow, PacedWorkplace, close, on, run_case


def calls(workplace: PacedWorkplace, case_id: str) -> list[str]:
    events = workplace.library.events(CaseId(case_id))
    return [event.request.address for event in events if isinstance(event, CallFinished)]


def only_case(workplace: PacedWorkplace) -> CaseId:
    (entry,) = workplace.find_cases()
    return entry.case_id


def test_a_pasted_case_runs_to_its_report_and_is_released_after_the_flags(
    qtbot: QtBot, window: MainWindow, sample: str, dialogs: Answers, tmp_path: Path
) -> None:
    run_case(window, sample, seats=3)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    report = window.report
    assert report.state.text() == "Ranking withheld"
    assert report.gate.isVisible()
    assert report.flags.count() > 5
    assert report.report is not None
    assert report.report.differential is None
    assert "Differential" not in report.browser.toPlainText().splitlines()
    assert report.viability.isVisible()
    assert not report.settle.isEnabled()

    dialogs.yes = False
    report.name.setText("Dr. Example")
    report.settle.click()
    assert len(dialogs.questions) == 1
    assert report.state.text() == "Ranking withheld"

    dialogs.yes = True
    report.settle.click()
    qtbot.waitUntil(lambda: report.state.text() == "Released", timeout=10_000)
    assert not report.gate.isVisible()
    assert "Differential" in report.browser.toPlainText().splitlines()
    assert report.report.differential is not None
    leader = report.report.differential.ranking.rows[0].name
    assert leader in report.browser.toPlainText()

    for key, button in report.save_buttons.items():
        dialogs.path = tmp_path / key
        button.click()
        qtbot.waitUntil(lambda key=key: str(tmp_path / key) in window.banner.text(), timeout=10_000)
        assert (tmp_path / key).stat().st_size > 1000


def test_stopping_keeps_what_was_answered_and_resuming_asks_only_for_the_rest(
    qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace, sample: str
) -> None:
    workplace.pace_s = 0.003
    run_case(window, sample, seats=3)
    qtbot.waitUntil(lambda: window.case_run is not None and window.case_run.view.stage == "r3", timeout=20_000)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.case_run is None, timeout=3_000)
    qtbot.waitUntil(lambda: window.rounds.resume.isVisible() and window.rounds.resume.isEnabled())
    case_id = only_case(workplace)
    before = calls(workplace, case_id)
    assert before
    assert window.banner.text() == ""

    workplace.pace_s = 0.0
    qtbot.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    after = calls(workplace, case_id)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)


def test_a_case_that_was_left_in_the_middle_offers_to_resume_in_a_new_window(
    qtbot: QtBot, open_window: OpenWindow, workplace: PacedWorkplace, sample: str
) -> None:
    workplace.pace_s = 0.003
    first = open_window()
    run_case(first, sample, seats=3)
    qtbot.waitUntil(lambda: first.case_run is not None and first.case_run.view.stage == "r2", timeout=20_000)
    close(qtbot, first)

    second = open_window()
    qtbot.waitUntil(lambda: second.library.list.count() == 1)
    assert "can be resumed" in second.library.list.item(0).text()
    second.library.open.click()
    qtbot.waitUntil(on(second, second.rounds))
    assert second.rounds.resume.text() == "&Resume"
    second.rounds.strip.setCurrentIndex(1)
    assert all("RELEVANCE" in column.body.toPlainText() for column in second.rounds.columns[:3])


def test_a_finished_case_is_told_from_an_interrupted_one(qtbot: QtBot, window: MainWindow, sample: str) -> None:
    run_case(window, sample)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    window.show_library()
    qtbot.waitUntil(lambda: "finished" in window.library.list.item(0).text())


def test_what_is_immediate_and_the_model_are_shown_while_the_case_runs(
    qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace, sample: str
) -> None:
    workplace.pace_s = 0.002
    run_case(window, sample, seats=5)
    qtbot.waitUntil(lambda: bool(window.rounds.immediate.text()), timeout=20_000)
    assert window.case_run is not None
    assert window.rounds.viability.isVisible()
    assert sum(column.isVisible() for column in window.rounds.columns) == 5
    window.stop()


def test_ballots_are_not_read_before_the_flags_are_settled(qtbot: QtBot, window: MainWindow, sample: str) -> None:
    run_case(window, sample)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    window.report.rounds.click()
    (ballot,) = window.rounds.view.columns("r6") if window.rounds.view else ()
    assert "sealed" in ballot.text
    window.rounds.report.click()
    qtbot.waitUntil(on(window, window.report))


def test_texts_of_the_running_case_never_stand_under_another(
    qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace, sample: str
) -> None:
    run_case(window, "A 50-year-old man with cough for two weeks takes aspirin. Pulse 80, blood pressure 120/80.")
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    first = only_case(workplace)
    workplace.pace_s = 0.003
    run_case(window, sample)
    qtbot.waitUntil(lambda: window.case_run is not None and window.case_run.view.stage == "r3", timeout=20_000)
    running = window.case_run
    assert running is not None

    window.open_case(first)
    qtbot.waitUntil(on(window, window.report))
    window.show_rounds_of_report()
    shown = window.rounds.view
    assert shown is not None
    assert shown is not running.view
    texts = [column.body.toPlainText() for column in window.rounds.columns]
    said = sum(len(column.text) for column in running.view.columns("r3"))
    qtbot.waitUntil(
        lambda: sum(len(column.text) for column in running.view.columns("r3")) > said or running.view.stage != "r3"
    )
    assert [column.body.toPlainText() for column in window.rounds.columns] == texts
    assert window.rounds.title.text().startswith("A 50-year-old man")
    assert not window.rounds.resume.isVisible()
    with pytest.raises(ValueError, match="one case"):
        shown.learn(running.view.case, (), ())  # type: ignore[arg-type]

    window.show_intake()
    assert not window.intake.run.isEnabled()
    window.show_running()
    assert window.rounds.view is running.view
    window.stop()


def test_a_case_that_cannot_run_says_so_in_a_sentence(qtbot: QtBot, window: MainWindow, dialogs: Answers) -> None:
    window.show_intake()
    window.intake.text.setPlainText("   \n ")
    window.intake.run.click()
    qtbot.waitUntil(lambda: "The case is empty" in window.banner.text())
    assert window.intake.run.isEnabled()

"""What is done with a finished case: findings left out, names joined and split, two cases side by side."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QTreeWidget,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from core.domain.debate import listed_diagnoses
from core.domain.report import Report
from desktop.dialogs_comparison import ComparisonDialog
from desktop.dialogs_findings import FindingsDialog
from desktop.dialogs_names import NamesDialog
from desktop.main_window import MainWindow
from tests.desktop.scripted_window import Answers, PacedWorkplace, on, run_case


def shown(window: MainWindow) -> Report:
    assert window.report.report is not None
    return window.report.report


def finished(qtbot: QtBot, window: MainWindow, text: str, release: bool = False) -> Report:
    """Run a case and wait for its report."""
    run_case(window, text, seats=3)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    if release:
        settle(qtbot, window)
    return shown(window)


def settle(qtbot: QtBot, window: MainWindow) -> None:
    window.report.name.setText("Dr. Example")
    window.report.settle.click()
    qtbot.waitUntil(lambda: window.report.state.text() == "Released", timeout=10_000)


def check(dialog: FindingsDialog, *rows: int) -> None:
    for row in rows:
        dialog.list.setCurrentRow(row)
        dialog.list.item(row).setCheckState(Qt.CheckState.Checked)


@pytest.mark.parametrize("release", [False, True])
def test_findings_are_left_out_in_a_linked_case_that_runs_at_once(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str, release: bool
) -> None:
    first = finished(qtbot, window, sample, release)

    def leave_out(dialog: QDialog) -> None:
        assert isinstance(dialog, FindingsDialog)
        assert dialog.list.count() == len(first.case.vignette.findings)
        assert not dialog.ok.isEnabled()
        dialog.list.setCurrentRow(3)
        qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
        assert dialog.ok.isEnabled()
        dialog.ok.click()

    dialogs.fill_in = leave_out
    window.actions_of.leave_out.trigger()
    qtbot.waitUntil(lambda: shown(window).case.continues == first.case.case_id, timeout=30_000)
    again = shown(window)
    assert on(window, window.report)()
    assert again.case.excluded == ("S4",)
    assert again.status == "withheld"

    # Once more: what was left out before stays so and cannot be taken back.
    def look(dialog: QDialog) -> None:
        assert isinstance(dialog, FindingsDialog)
        item = dialog.list.item(3)
        assert item.checkState() == Qt.CheckState.Checked
        assert "left out already" in item.text()
        dialog.list.setCurrentRow(3)
        qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
        assert item.checkState() == Qt.CheckState.Checked
        assert dialog.chosen() == ()
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)

    dialogs.fill_in = look
    window.actions_of.leave_out.trigger()
    assert window.case_run is None
    assert shown(window) is again


def test_three_findings_must_remain(qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str) -> None:
    count = len(finished(qtbot, window, sample).case.vignette.findings)
    seen: list[str] = []

    def leave_out(dialog: QDialog) -> None:
        assert isinstance(dialog, FindingsDialog)
        check(dialog, *range(count - 3))
        assert dialog.ok.isEnabled()
        check(dialog, count - 3)
        assert not dialog.ok.isEnabled()
        seen.append(dialog.reason.text())
        dialog.reject()

    dialogs.fill_in = leave_out
    window.actions_of.leave_out.trigger()
    assert seen == ["At least 3 findings must remain, because a diagnosis may rest on so many; now 2 would."]


def test_findings_are_left_out_only_of_a_report_and_while_no_case_runs(
    qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace, sample: str
) -> None:
    leave_out = window.actions_of.leave_out
    assert not leave_out.isEnabled()
    first = finished(qtbot, window, sample).case.case_id
    assert leave_out.isEnabled()
    window.show_library()
    assert not leave_out.isEnabled()
    workplace.pace_s = 0.003
    run_case(window, sample)
    qtbot.waitUntil(lambda: window.case_run is not None, timeout=10_000)
    window.open_case(first)
    qtbot.waitUntil(on(window, window.report), timeout=10_000)
    assert not leave_out.isEnabled()
    window.stop()


def rows(dialog: NamesDialog) -> dict[str, QTreeWidgetItem]:
    items = (dialog.tree.topLevelItem(place) for place in range(dialog.tree.topLevelItemCount()))
    return {item.text(0): item for item in items if item is not None}


def test_names_are_joined_and_the_ranking_follows_at_once(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str
) -> None:
    before = finished(qtbot, window, sample, release=True).differential
    assert before is not None
    first, second = before.ranking.rows[0].name, before.ranking.rows[1].name

    def join(dialog: QDialog) -> None:
        assert isinstance(dialog, NamesDialog)
        assert list(rows(dialog)) == sorted(rows(dialog), key=str.casefold)
        rows(dialog)[second].setSelected(True)
        rows(dialog)[first].setSelected(True)
        dialog.join.click()
        assert dialog.tree.currentItem() is rows(dialog)[second]
        assert dialog.tree.selectedItems() == []
        assert first not in rows(dialog)
        assert first in [rows(dialog)[second].child(n).text(0) for n in range(rows(dialog)[second].childCount())]
        assert not dialog.ok.isEnabled()
        dialog.by.setText("Dr. Vogel")
        dialog.why.setText("The same disease")
        dialog.ok.click()

    dialogs.fill_in = join
    window.actions_of.names.trigger()
    qtbot.waitUntil(lambda: bool(shown(window).case.rulings), timeout=10_000)
    (ruling,) = shown(window).case.rulings
    assert (ruling.kind, ruling.names) == ("join", (second, first))
    assert (ruling.by, ruling.reason) == ("Dr. Vogel", "The same disease")
    after = shown(window).differential
    assert after is not None
    assert len(after.ranking.rows) == len(before.ranking.rows) - 1
    assert "the ranking follows" in window.banner.text()
    assert "The same disease" in window.report.browser.toPlainText()

    def undo(dialog: QDialog) -> None:
        assert isinstance(dialog, NamesDialog)
        assert dialog.rulings.count() == 1
        dialog.undo.click()
        assert first in rows(dialog)
        dialog.by.setText("Dr. Vogel")
        dialog.ok.click()

    dialogs.fill_in = undo
    window.actions_of.names.trigger()
    qtbot.waitUntil(lambda: len(shown(window).case.rulings) == 2, timeout=10_000)
    undone = shown(window).differential
    assert undone is not None
    assert undone.ranking == before.ranking


def test_a_wording_is_split_off_and_back_before_anything_is_recorded(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str
) -> None:
    finished(qtbot, window, sample)
    seen: list[bool] = []

    def split(dialog: QDialog) -> None:
        assert isinstance(dialog, NamesDialog)
        single = next(row for row in rows(dialog).values() if row.childCount() == 1).child(0)
        single.setSelected(True)
        assert not dialog.split.isEnabled()
        assert dialog.hint.text().startswith("This name stands apart already")
        single.setSelected(False)
        one, two = list(rows(dialog))[:2]
        rows(dialog)[one].setSelected(True)
        rows(dialog)[two].setSelected(True)
        dialog.join.click()
        children = [rows(dialog)[one].child(n) for n in range(rows(dialog)[one].childCount())]
        next(child for child in children if child.text(0) == two).setSelected(True)
        dialog.split.click()
        assert two in rows(dialog)
        dialog.undo.click()
        assert two not in rows(dialog)
        dialog.undo.click()
        assert two in rows(dialog)
        assert dialog.view.new == ()
        seen.append(dialog.ok.isEnabled())
        dialog.reject()

    dialogs.fill_in = split
    window.actions_of.names.trigger()
    assert seen == [False]
    assert shown(window).case.rulings == ()


def test_names_show_nothing_that_ranks_while_the_report_is_withheld(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str
) -> None:
    report = finished(qtbot, window, sample)
    assert report.differential is None
    texts: list[str] = []

    def read(dialog: QDialog) -> None:
        assert isinstance(dialog, NamesDialog)
        for row in rows(dialog).values():
            texts.extend([row.text(0), row.toolTip(0)])
            texts.extend(row.child(n).text(0) for n in range(row.childCount()))
        one, two = list(rows(dialog))[:2]
        rows(dialog)[one].setSelected(True)
        rows(dialog)[two].setSelected(True)
        dialog.join.click()
        dialog.by.setText("Dr. Vogel")
        texts.extend(part.text() for part in dialog.findChildren(QLabel))
        dialog.ok.click()

    dialogs.fill_in = read
    window.actions_of.names.trigger()
    qtbot.waitUntil(lambda: bool(shown(window).case.rulings), timeout=10_000)
    assert shown(window).status == "withheld"
    assert shown(window).differential is None
    assert "as soon as it is released" in window.banner.text()
    names = {wording for row in listed_diagnoses(report.statements) for wording in (row.name, *row.names)}
    others = [text for text in texts if text not in names]
    assert not any(word in text.lower() for text in others for word in ("point", "propos", "vote", "1."))
    assert not any(seat.specialty in text for seat in report.case.panel.specialists for text in texts)


def leave_out_first(dialog: QDialog) -> None:
    assert isinstance(dialog, FindingsDialog)
    check(dialog, 0)
    dialog.ok.click()


def test_a_released_case_stands_beside_the_one_that_it_continues(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, workplace: PacedWorkplace, sample: str, tmp_path: Path
) -> None:
    stranger = finished(qtbot, window, sample, release=True).case
    first = finished(qtbot, window, sample, release=True).case
    other = "A 50-year-old man with cough for two weeks takes aspirin. Pulse 80, blood pressure 120/80."
    finished(qtbot, window, other, release=True)
    window.open_case(first.case_id)
    qtbot.waitUntil(lambda: shown(window).case.case_id == first.case_id, timeout=10_000)
    compare = window.actions_of.compare
    assert compare.isEnabled()
    dialogs.fill_in = leave_out_first
    window.actions_of.leave_out.trigger()
    qtbot.waitUntil(lambda: shown(window).case.continues == first.case_id, timeout=30_000)
    again = shown(window).case
    assert not compare.isEnabled()
    window.second_look.compare()
    assert on(window, window.report)()
    settle(qtbot, window)
    assert compare.isEnabled()

    def choose(dialog: QDialog) -> None:
        assert isinstance(dialog, ComparisonDialog)
        assert not dialog.ok.isEnabled()
        qtbot.waitUntil(lambda: dialog.list.count() == 2, timeout=10_000)
        texts = [dialog.list.item(row).text() for row in range(2)]
        assert "this case continues it without S1" in texts[0]
        assert "has a finding in common" in texts[1]
        assert dialog.chosen() == first.case_id
        dialog.search.setText("no such word")
        qtbot.waitUntil(lambda: "No other released case" in dialog.reason.text(), timeout=10_000)
        assert not dialog.ok.isEnabled()
        dialog.search.clear()
        qtbot.waitUntil(lambda: dialog.list.count() == 2, timeout=10_000)
        dialog.ok.click()

    dialogs.fill_in = choose
    compare.trigger()
    qtbot.waitUntil(on(window, window.comparison), timeout=10_000)
    text = window.comparison.browser.toPlainText()
    assert text.index(f"case {first.case_id}") < text.index(f"case {again.case_id}")
    assert stranger.case_id not in text
    assert "The differentials side by side" in text

    dialogs.path = tmp_path / "both.html"
    window.comparison.save.click()
    qtbot.waitUntil(lambda: "The comparison is saved" in window.banner.text(), timeout=10_000)
    assert dialogs.path.read_text(encoding="utf-8") == window.comparison.html
    window.comparison.back.click()
    qtbot.waitUntil(on(window, window.report), timeout=10_000)
    assert shown(window).case.case_id == again.case_id


def test_a_withheld_case_is_not_offered_for_comparison(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str
) -> None:
    finished(qtbot, window, sample)
    finished(qtbot, window, sample, release=True)
    said: list[str] = []

    def look(dialog: QDialog) -> None:
        assert isinstance(dialog, ComparisonDialog)
        qtbot.waitUntil(lambda: dialog.reason.text() != "Looking for cases.", timeout=10_000)
        said.append(dialog.reason.text())
        assert dialog.list.count() == 0
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)

    dialogs.fill_in = look
    window.actions_of.compare.trigger()
    assert said == ["No other released case with a finding in common is found."]
    assert on(window, window.report)()


def test_every_control_of_the_dialogs_has_a_name_and_escape_closes_them(
    qtbot: QtBot, window: MainWindow, dialogs: Answers, sample: str
) -> None:
    finished(qtbot, window, sample, release=True)
    seen: list[type[QDialog]] = []

    def look(dialog: QDialog) -> None:
        dialog.show()
        assert dialog.width() <= 1000
        assert dialog.height() <= 640
        for kind in (QAbstractButton, QLineEdit, QListWidget, QTreeWidget):
            for control in dialog.findChildren(kind):
                inside = isinstance(control.parent(), QLineEdit)
                name = QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)
                assert name or inside or control.objectName().startswith("qt_")
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
        seen.append(type(dialog))

    dialogs.fill_in = look
    for action in (window.actions_of.leave_out, window.actions_of.names, window.actions_of.compare):
        action.trigger()
    assert seen == [FindingsDialog, NamesDialog, ComparisonDialog]

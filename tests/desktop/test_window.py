"""The window itself: keys, names, files, closing."""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QAction, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.errors import BadInput, WrongKey
from desktop.bootstrap import Notice, Workplace
from desktop.main_window import MainWindow
from desktop.view_models.crash import crash_of, details
from desktop.widgets.report_browser import ReportBrowser
from desktop.window import open_workplace
from tests.desktop.scripted_window import Answers, OpenWindow, PacedWorkplace, close, on, run_case

CONTROLS = (QAbstractButton, QLineEdit, QListWidget, QComboBox, QTextEdit, QPlainTextEdit, QTabBar)
KEYS = ("Ctrl+N", "Ctrl+O", "Ctrl+F", "Ctrl+Return", "Esc", "F5", "Ctrl+S")


@pytest.mark.parametrize("key", KEYS)
def test_there_is_a_key_for_it(window: MainWindow, key: str) -> None:
    keys = [shortcut for action in window.findChildren(QAction) for shortcut in action.shortcuts()]
    assert keys.count(QKeySequence(key)) == 1


def test_keys_lead_to_the_pages(qtbot: QtBot, window: MainWindow, sample: str) -> None:
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(window, Qt.Key.Key_N, ctrl)
    assert window.stack.currentWidget() is window.intake
    window.intake.text.setPlainText(sample)
    qtbot.keyClick(window, Qt.Key.Key_F, ctrl)
    assert window.stack.currentWidget() is window.library
    qtbot.keyClick(window, Qt.Key.Key_N, ctrl)
    window.intake.seats.setCurrentIndex(2)
    qtbot.keyClick(window.intake.text, Qt.Key.Key_Return, ctrl)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)


def test_every_control_has_a_name_for_the_screen_reader(qtbot: QtBot, window: MainWindow, sample: str) -> None:
    run_case(window, sample, seats=3)
    qtbot.waitUntil(on(window, window.report), timeout=30_000)
    nameless = [
        f"{type(control).__name__} in {type(control.parent()).__name__}"
        for control in window.findChildren(QWidget)
        if isinstance(control, CONTROLS) and control.isEnabled() and _is_ours(control) and not _spoken(control)
    ]
    assert nameless == []


def _is_ours(control: QWidget) -> bool:
    return not control.objectName().startswith("qt_") and not isinstance(control.parent(), QLineEdit | QTabBar)


def _spoken(control: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)


def test_a_bad_file_is_answered_with_a_sentence(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "case.pdf"
    bad.write_bytes(b"%PDF-1.7 nothing")
    _drop(window, bad)
    assert "is a PDF file and no plain text" in window.banner.text()
    assert window.intake.text.toPlainText() == ""
    good = tmp_path / "case.txt"
    good.write_text("A man of 40 years coughs.", encoding="utf-8")
    _drop(window.intake.text, good)
    assert window.intake.text.toPlainText() == "A man of 40 years coughs."
    assert window.banner.text() == ""
    qtbot.waitUntil(lambda: "vital signs" in window.intake.missing.text(), timeout=5_000)


def test_a_file_never_replaces_what_was_typed_without_a_question(
    window: MainWindow, dialogs: Answers, tmp_path: Path
) -> None:
    window.show_intake()
    window.intake.text.setPlainText("typed for an hour")
    dialogs.path, dialogs.yes = tmp_path / "case.txt", False
    dialogs.path.write_text("from the file", encoding="utf-8")
    window.choose_file()
    assert window.intake.text.toPlainText() == "typed for an hour"
    dialogs.yes = True
    window.choose_file()
    assert window.intake.text.toPlainText() == "from the file"


def _drop(target: QWidget, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(5, 5), copy, mime, left, Qt.KeyboardModifier.NoModifier)
    target.dropEvent(event)
    assert event.isAccepted()


def test_the_list_is_searched(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    from core.settings import ConsultSettings

    for text in ("A woman with rash and fever.", "A man with cough."):
        workplace.begin(text, ConsultSettings(), "scripted")
    window.show_library()
    qtbot.waitUntil(lambda: window.library.list.count() == 2)
    assert "cough" in window.library.list.item(0).text()
    window.library.search.setText("rash")
    qtbot.waitUntil(lambda: window.library.list.count() == 1)
    assert "rash" in window.library.list.item(0).text()
    window.library.search.setText("nothing like it")
    qtbot.waitUntil(lambda: window.library.list.count() == 0)
    assert window.library.empty.text() == "No case has these words."
    assert not window.library.open.isEnabled()


def _empty(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    """Closed at once."""


def _intake(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    window.show_intake()
    window.intake.text.setPlainText("A man with fever")


def _running(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    workplace.pace_s = 0.005
    run_case(window, "A man of 40 with cough.")
    qtbot.waitUntil(lambda: window.case_run is not None and window.case_run.view.replies > 0, timeout=10_000)


def _stopped(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    _running(qtbot, window, workplace)
    window.stop()
    qtbot.waitUntil(lambda: window.case_run is None)


def _report(qtbot: QtBot, window: MainWindow, workplace: PacedWorkplace) -> None:
    workplace.pace_s = 0.0
    run_case(window, "A man of 40 with cough.")
    qtbot.waitUntil(on(window, window.report), timeout=30_000)


@pytest.mark.parametrize("state", [_empty, _intake, _running, _stopped, _report])
def test_the_window_closes_in_every_state_without_a_warning(
    qtbot: QtBot, open_window: OpenWindow, workplace: PacedWorkplace, capfd: pytest.CaptureFixture[str],
    state: Callable[[QtBot, MainWindow, PacedWorkplace], None],
) -> None:  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(10):
            window = open_window()
            state(qtbot, window, workplace)
            close(qtbot, window)
    assert capfd.readouterr().err == ""


def test_the_report_loads_and_opens_nothing_from_outside(qtbot: QtBot, tmp_path: Path) -> None:
    asked: list[str] = []

    class Watched(ReportBrowser):
        def loadResource(self, kind: int, url: QUrl | str) -> object:
            loaded = super().loadResource(kind, url)
            asked.append(QUrl(url).scheme())
            assert loaded is None
            return loaded

    secret = tmp_path / "local.html"
    secret.write_text("not to be read", encoding="utf-8")
    browser = Watched()
    qtbot.addWidget(browser)
    browser.show()
    browser.show_html(
        f'<img src="http://127.0.0.1:9/x.png"><img src="{secret.as_uri()}">'
        f'<a href="{secret.as_uri()}">local</a><a href="#end">end</a><p id="end">The end</p>'
    )
    qtbot.wait(50)
    assert "http" in asked
    for url in (secret.as_uri(), "https://example.org/", "#end"):
        browser.anchorClicked.emit(QUrl(url))
    assert "The end" in browser.toPlainText()
    assert not browser.openLinks()
    assert not browser.openExternalLinks()


def test_model_text_is_never_taken_for_html(qtbot: QtBot, window: MainWindow) -> None:
    from desktop.view_models.rounds import Column
    from desktop.widgets.specialist_column import SpecialistColumn

    column = SpecialistColumn()
    qtbot.addWidget(column)
    text = "<img src='http://x/y.png'><b>bold</b> \N{HEBREW LETTER ALEF} <script>1</script>"
    column.show_column(Column("a", "<b>A</b>", "role", "writing", text))
    assert column.body.toPlainText() == text
    window.tell("<b>not bold</b>")
    assert window.banner.text() == "<b>not bold</b>"


def test_a_bug_is_told_without_words_of_the_case(qtbot: QtBot, window: MainWindow, dialogs: Answers) -> None:
    def fail() -> None:
        name_of_patient = "Erika Mustermann"
        raise KeyError(name_of_patient)

    window.jobs.start("anything", fail, lambda value: None)
    qtbot.waitUntil(lambda: len(dialogs.crashes) == 1)
    crash = dialogs.crashes.pop()
    assert crash.kind == "KeyError"
    assert "Mustermann" not in details(crash)
    assert any(place.startswith("desktop/test_window.py:") and place.endswith(" fail") for place in crash.places)


def test_details_of_a_bug_hold_no_account_name() -> None:
    try:
        raise ValueError("secret")
    except ValueError as error:
        text = details(crash_of(error))
    assert "secret" not in text
    assert str(Path.home()) not in text


def test_the_passphrase_is_asked_for_until_it_is_right_or_given_up(workplace: PacedWorkplace) -> None:
    def factory(passphrase: str | None, notice: Notice) -> Workplace:
        if passphrase != "right":
            raise WrongKey("Give the passphrase.")
        return workplace

    dialogs = Answers()
    dialogs.passphrases = ["wrong", "right"]
    assert open_workplace(factory, dialogs, print) is workplace
    assert open_workplace(factory, dialogs, print) is None


def test_a_library_that_cannot_be_opened_is_a_sentence() -> None:
    def factory(passphrase: str | None, notice: Notice) -> Workplace:
        raise BadInput("No library there.")

    dialogs = Answers()
    assert open_workplace(factory, dialogs, print) is None
    assert dialogs.sentences == ["No library there."]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None cannot be used up any more")
def test_qt_does_not_use_up_none(qapp: QApplication) -> None:
    """Bindings that were built for later versions take a reference of None at every call, until Python aborts."""
    widget = QWidget()
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setVisible(False)
    assert sys.getrefcount(None) > before - 500

"""A workplace with a script instead of a model, scripted answers to the window's questions, and what a person does."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from core.ports import ChatModel
from desktop.bootstrap import Workplace
from desktop.dialogs import Dialogs
from desktop.main_window import MainWindow
from desktop.view_models.crash import Crash
from models.scripted import ScriptedModel

OpenWindow = Callable[[], MainWindow]


class PacedWorkplace(Workplace):
    """Answers with a script that can be watched."""

    pace_s = 0.0

    def model(self, model_id: str) -> ChatModel:
        return ScriptedModel(pace_s=self.pace_s)


class Answers(Dialogs):
    """Answers every question without showing it, and remembers what was said."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self.yes = True
        self.passphrases: list[str] = []
        self.fill_in: Callable[[QDialog], None] = QDialog.accept
        """What the person does in a dialog that holds its answer itself."""
        self.questions: list[str] = []
        self.sentences: list[str] = []
        self.crashes: list[Crash] = []

    def file_to_open(self, parent: QWidget) -> Path | None:
        return self.path

    def file_to_save(self, parent: QWidget, suggested: str) -> Path | None:
        return self.path

    def confirm(self, parent: QWidget, question: str) -> bool:
        self.questions.append(question)
        return self.yes

    def accepted(self, dialog: QDialog) -> bool:
        self.fill_in(dialog)
        return dialog.result() == QDialog.DialogCode.Accepted

    def passphrase(self, parent: QWidget | None, sentence: str) -> str | None:
        self.sentences.append(sentence)
        return self.passphrases.pop(0) if self.passphrases else None

    def sentence(self, parent: QWidget | None, sentence: str) -> None:
        self.sentences.append(sentence)

    def crash(self, parent: QWidget | None, crash: Crash) -> None:
        self.crashes.append(crash)


def close(qtbot: QtBot, window: MainWindow) -> None:
    """Close as a person does, and wait until the window is gone and no thread is left."""
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible() and not window.jobs.busy, timeout=10_000)


def run_case(window: MainWindow, text: str, seats: int = 1) -> None:
    """Paste a case and run it."""
    window.show_intake()
    window.intake.seats.setCurrentIndex(window.intake.seats.findData(seats))
    window.intake.text.setPlainText(text)
    window.intake.run.click()


def on(window: MainWindow, page: QWidget) -> Callable[[], bool]:
    return lambda: window.stack.currentWidget() is page

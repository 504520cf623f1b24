"""A window on a library in a temporary folder, with a scripted model and scripted answers to its questions."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.log.store import Library
from desktop.main_window import MainWindow
from desktop.theme import follow_system
from tests.desktop.scripted_window import Answers, OpenWindow, PacedWorkplace, close

SAMPLE = Path(__file__).parents[2] / "desktop" / "resources" / "sample_case.txt"


@pytest.fixture(autouse=True)
def _own_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUND_ROUNDS_MODELS", str(tmp_path / "models"))


@pytest.fixture(autouse=True)
def _themed(qapp: QApplication) -> None:
    if qapp.property("themed") is None:
        follow_system(qapp)
        qapp.setProperty("themed", True)


@pytest.fixture
def sample() -> str:
    return SAMPLE.read_text(encoding="utf-8")


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[PacedWorkplace]:
    library = Library.create(tmp_path / "library.ground-rounds", secrets.token_bytes(32), secrets.token_bytes(16))
    workplace = PacedWorkplace(library)
    yield workplace
    workplace.close()


@pytest.fixture
def dialogs() -> Answers:
    return Answers()


@pytest.fixture
def open_window(qtbot: QtBot, workplace: PacedWorkplace, dialogs: Answers) -> Iterator[OpenWindow]:
    windows: list[MainWindow] = []

    def make() -> MainWindow:
        window = MainWindow(workplace, dialogs)
        windows.append(window)
        window.show()
        qtbot.waitUntil(lambda: window.intake.model.count() > 0)
        return window

    yield make
    for window in windows:
        close(qtbot, window)
    assert dialogs.crashes == []


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    return open_window()

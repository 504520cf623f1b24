"""Starts the window. What is heavy is imported here and not before."""

import signal
import sys
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.errors import UserError, WrongKey
from desktop.bootstrap import Notice, Workplace
from desktop.dialogs import Dialogs
from desktop.main_window import MainWindow
from desktop.theme import follow_system
from desktop.view_models.crash import crash_of

WorkplaceFactory = Callable[[str | None, Notice], Workplace]
"""Opens the workplace with a passphrase or None; raises as `Workplace.open`."""


def main(workplace_factory: WorkplaceFactory) -> int:
    """Show the window until it is closed; returns the exit code. Sentences of `UserError`s are shown in dialogs."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Ground Rounds")
    app.setApplicationDisplayName("Ground Rounds")
    follow_system(app)
    dialogs = Dialogs()
    notices: list[str] = []
    workplace = open_workplace(workplace_factory, dialogs, notices.append)
    if workplace is None:
        return 1
    window = MainWindow(workplace, dialogs, tuple(notices))
    sys.excepthook = _hook(window)
    _close_on_signals(window)
    window.show()
    try:
        return app.exec()
    finally:
        window.shut_down()
        sys.excepthook = sys.__excepthook__
        workplace.close()


def _close_on_signals(window: MainWindow) -> None:
    """Ctrl+C in the terminal and a polite end by the system close the window like its own button.

    Python looks at signals only between its own instructions, and Qt's loop runs none while nothing happens: hence the timer.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: window.close())
    awake = QTimer(window)
    awake.timeout.connect(lambda: None)
    awake.start(250)


def open_workplace(factory: WorkplaceFactory, dialogs: Dialogs, notice: Notice) -> Workplace | None:
    """Ask for the passphrase as often as it takes. None: it cannot be opened, and that was said."""
    passphrase: str | None = None
    while True:
        try:
            return factory(passphrase, notice)
        except WrongKey as error:
            passphrase = dialogs.passphrase(None, str(error))
            if passphrase is None:
                return None
        except UserError as error:
            dialogs.sentence(None, str(error))
            return None


def _hook(window: MainWindow) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Shows a bug on the window's thread as a dialog. Nothing is printed: the message may quote a patient."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):  # Ctrl+C in the terminal
            window.close()
        else:
            window.dialogs.crash(window, crash_of(error.with_traceback(trace)))

    return show

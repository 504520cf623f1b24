"""Collects the signals of a running case and hands them to the screen in batches, so that streaming never blocks it."""

import threading

from PySide6.QtCore import QObject, QTimer

from core.ports import Address, Signal, TextGrown
from desktop.announcement import Announcement

FLUSH_MS = 50


class Throttle(QObject):
    """`put` may be called from any thread; `flushed` is announced on the thread of this object."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.flushed = Announcement[tuple[Signal, ...]]()
        """What came since the last time, pieces of one reply joined."""
        self._mutex = threading.Lock()
        self._waiting: list[Signal] = []
        self._growing: dict[Address, int] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        """Hand over what is left, then rest."""
        self._timer.stop()
        self.flush()

    def put(self, signal: Signal) -> None:
        """Serves as a `core.ports.Watch`."""
        with self._mutex:
            if not isinstance(signal, TextGrown):
                self._growing.clear()  # a reply may start anew behind it
            elif signal.address in self._growing:
                place = self._growing[signal.address]
                self._waiting[place] = _joined(self._waiting[place], signal)
                return
            else:
                self._growing[signal.address] = len(self._waiting)
            self._waiting.append(signal)

    def flush(self) -> None:
        with self._mutex:
            signals, self._waiting = tuple(self._waiting), []
            self._growing.clear()
        if signals:
            self.flushed.emit(signals)


def _joined(earlier: Signal, later: TextGrown) -> TextGrown:
    assert isinstance(earlier, TextGrown)
    return TextGrown(address=later.address, piece=earlier.piece + later.piece, tokens=earlier.tokens + later.tokens)

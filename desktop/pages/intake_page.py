"""Where a case comes in: its text, the model, the panel's size, and what is missing."""

from collections.abc import Iterable
from importlib import resources
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.announcement import Announcement
from desktop.bootstrap import ModelChoice
from desktop.widgets.banner import Banner
from desktop.widgets.case_text import CaseText
from desktop.widgets.label import label

Seats = Literal[1, 3, 5]
SEATS: tuple[Seats, ...] = (5, 3, 1)
_CHECK_MS = 400
"""How long after the last key the case is looked through."""


class IntakePage(QWidget):
    """Keeps what was typed until it became a case."""

    def __init__(self) -> None:
        super().__init__()
        self.run_wanted = Announcement[()]()
        self.file_wanted = Announcement[()]()
        self.file_dropped = Announcement[str]()
        self.check_wanted = Announcement[str]()
        """The text rests: what is missing?"""
        self.text = CaseText()
        self.model = QComboBox()
        self.model.setAccessibleName("Model")
        self.seats = QComboBox()
        self.seats.setAccessibleName("Number of specialists")
        for count in SEATS:
            self.seats.addItem(f"{count} specialists" if count > 1 else "1 specialist", count)
        self.purpose = label("", "quiet", wrap=True)
        self.missing = Banner("What is missing", "Missing", "warning")
        self.busy = Banner("Another case runs")
        self.open = QPushButton("&Open file")
        self.sample = QPushButton("&Example case")
        self.run = QPushButton("&Run")
        self.run.setObjectName("primary")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_CHECK_MS)
        self._free = True
        self._lay_out()
        self._connect()
        self._enable()

    def chosen_model(self) -> str | None:
        """None before the models are known."""
        return None if self.model.currentIndex() < 0 else str(self.model.currentData())

    def chosen_seats(self) -> Seats:
        return SEATS[self.seats.currentIndex()]

    def start_anew(self) -> None:
        self.text.clear()
        self.missing.show_text("")
        self.text.setFocus()

    def show_text(self, text: str) -> None:
        self.text.setPlainText(text)
        self.text.setFocus()

    def show_models(self, choices: Iterable[ModelChoice]) -> None:
        """The first is chosen; one that was chosen before stays so."""
        before = self.chosen_model()
        self.model.clear()
        for choice in choices:
            self.model.addItem(choice.title, choice.model_id)
            self.model.setItemData(self.model.count() - 1, choice.purpose, _PURPOSE)
        place = self.model.findData(before)
        self.model.setCurrentIndex(max(place, 0))
        self._show_purpose()
        self._enable()

    def show_missing(self, missing: tuple[str, ...]) -> None:
        """Warns and never blocks."""
        self.missing.show_text("; ".join(missing))

    def show_free(self, free: bool) -> None:
        """Whether a case can be run now: only one runs at a time."""
        self._free = free
        self.busy.show_text("" if free else "A case is running. Write this one now and run it when that one has ended.")
        self._enable()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(label("New case", "heading"))
        head.addStretch(1)
        head.addWidget(self.open)
        head.addWidget(self.sample)
        choice = QHBoxLayout()
        for text, box in (("&Model", self.model), ("&Panel", self.seats)):
            named = label(text)
            named.setBuddy(box)
            choice.addWidget(named)
            choice.addWidget(box)
            choice.addSpacing(16)
        choice.addStretch(1)
        choice.addWidget(self.run)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self.busy)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.missing)
        layout.addLayout(choice)
        layout.addWidget(self.purpose)
        order = (self.text, self.model, self.seats, self.run, self.open, self.sample)
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _connect(self) -> None:
        self.text.file_dropped.connect(self.file_dropped.emit)
        self.text.textChanged.connect(self._changed)
        self.model.currentIndexChanged.connect(lambda: self._show_purpose())
        self.open.clicked.connect(lambda: self.file_wanted.emit())
        self.sample.clicked.connect(self._insert_sample)
        self.run.clicked.connect(lambda: self.run_wanted.emit())
        self._timer.timeout.connect(lambda: self.check_wanted.emit(self.text.toPlainText()))

    def _show_purpose(self) -> None:
        self.purpose.setText(self.model.currentData(_PURPOSE) or "")

    def _changed(self) -> None:
        self._timer.start()
        self._enable()

    def _enable(self) -> None:
        self.run.setEnabled(self._free and self.model.count() > 0 and not self.text.document().isEmpty())

    def _insert_sample(self) -> None:
        sample = resources.files("desktop.resources").joinpath("sample_case.txt").read_text(encoding="utf-8")
        self.show_text(sample)


_PURPOSE = 0x0101
"""The item role behind Qt.UserRole, in which the id of the model stands."""

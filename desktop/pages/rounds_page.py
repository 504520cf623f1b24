"""The consultation as it happens: the panel side by side, round by round."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.announcement import Announcement
from desktop.view_models.rounds import RoundsView
from desktop.widgets.banner import Banner
from desktop.widgets.label import label
from desktop.widgets.round_strip import RoundStrip
from desktop.widgets.specialist_column import SpecialistColumn

_STATUS_MS = 1000


class RoundsPage(QWidget):
    """Shows one `RoundsView` at a time, whole; it keeps no text of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.stop_wanted = Announcement[()]()
        self.resume_wanted = Announcement[()]()
        self.report_wanted = Announcement[()]()
        self.view: RoundsView | None = None
        self.title = label("", "heading")
        self.status = label("", "quiet")
        self.status.setAccessibleName("Progress")
        self.immediate = Banner("Immediate actions", "Immediate", "warning")
        self.viability = Banner("What this model is good for", "Model", "notice")
        self.strip = RoundStrip()
        self.strip.round_chosen.connect(lambda _: self.refresh())
        self.stop = QPushButton("&Stop")
        self.stop.clicked.connect(lambda: self.stop_wanted.emit())
        self.resume = QPushButton("&Resume")
        self.resume.setObjectName("primary")
        self.resume.clicked.connect(lambda: self.resume_wanted.emit())
        self.report = QPushButton("&Back to the report")
        self.report.clicked.connect(lambda: self.report_wanted.emit())
        self.columns: list[SpecialistColumn] = []
        self._may_resume = False
        self._timer = QTimer(self)
        self._timer.setInterval(_STATUS_MS)
        self._timer.timeout.connect(self._show_status)
        self._lay_out()

    def show_view(self, view: RoundsView, may_resume: bool) -> None:
        """Another case, or the same one anew. `may_resume`: no other case runs."""
        self._may_resume = may_resume
        if view is not self.view:
            self.view = view
            self.strip.restart()
        self.refresh()

    def refresh(self) -> None:
        """Show what the view holds now."""
        view = self.view
        if view is None:
            return
        self.title.setText("" if view.case is None else view.case.title)
        self.immediate.show_text(view.immediate_text())
        self.viability.show_text(view.viability or "")
        self.strip.show_current(view.current_round)
        self._show_columns()
        self._show_status()
        self.stop.setVisible(view.running)
        self.stop.setEnabled(not view.stopping)
        self.resume.setVisible(not view.running and not view.finished)
        self.report.setVisible(view.finished)
        self.resume.setText("&Resume" if view.replies else "&Run")
        self.resume.setEnabled(self._may_resume)
        if view.running and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def _show_columns(self) -> None:
        assert self.view is not None
        columns = self.view.columns(self.strip.shown)
        while len(self.columns) < len(columns):
            self.columns.append(SpecialistColumn())
            self._side_by_side.addWidget(self.columns[-1], 1)
        for place, widget in enumerate(self.columns):
            widget.setVisible(place < len(columns))
            if place < len(columns):
                widget.show_column(columns[place])

    def _show_status(self) -> None:
        if self.view is not None:
            self.status.setText(self.view.status())

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.stop)
        head.addWidget(self.resume)
        head.addWidget(self.report)
        self._side_by_side = QHBoxLayout()
        self._side_by_side.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 12)
        layout.setSpacing(8)
        layout.addLayout(head)
        for part in (self.viability, self.immediate, self.strip, self.status):
            layout.addWidget(part)
        layout.addLayout(self._side_by_side, 1)

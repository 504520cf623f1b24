"""The report as the log gives it, and the gate that withholds the ranking."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QListWidget, QPushButton, QVBoxLayout, QWidget

from core.domain.report import Report
from desktop.announcement import Announcement
from desktop.widgets.banner import Banner
from desktop.widgets.label import label
from desktop.widgets.report_browser import ReportBrowser

FORMATS = {"report.html": "Save as &HTML", "report.md": "Save as &Markdown", "report.json": "Save as &JSON"}
"""Names of documents, and what their buttons say."""


class ReportPage(QWidget):
    """Shows one report; what ranks is not in it while flags are open."""

    def __init__(self) -> None:
        super().__init__()
        self.save_wanted = Announcement[str]()
        """Key of `FORMATS`."""
        self.acknowledge_wanted = Announcement[str]()
        """The name that was given."""
        self.rounds_wanted = Announcement[()]()
        self.report: Report | None = None
        self.title = label("", "heading")
        self.state = label("", "quiet")
        self.viability = Banner("What this model is good for", "Model", "notice")
        self.browser = ReportBrowser()
        self.flags = QListWidget()
        self.flags.setAccessibleName("Open can't-miss flags")
        self.flags.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.flags.setWordWrap(True)
        self.flags.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.name = QLineEdit()
        self.name.setAccessibleName("Your name")
        self.name.setPlaceholderText("Name of the clinician")
        self.name.textChanged.connect(lambda: self._enable())
        self.name.returnPressed.connect(self._acknowledge)
        self.settle = QPushButton("S&ettle all open flags")
        self.settle.setObjectName("primary")
        self.settle.clicked.connect(self._acknowledge)
        self.rounds = QPushButton("Rea&d the rounds")
        self.rounds.clicked.connect(lambda: self.rounds_wanted.emit())
        self.save_buttons = {key: QPushButton(text) for key, text in FORMATS.items()}
        for key, button in self.save_buttons.items():
            button.clicked.connect(lambda _=False, key=key: self.save_wanted.emit(key))
        self.gate = self._gate()
        self._lay_out()
        self._enable()

    def show_report(self, report: Report, html: str) -> None:
        same = self.report is not None and self.report.case.case_id == report.case.case_id
        if not same:
            self.name.clear()
        self.report = report
        self.title.setText(report.case.title)
        withheld = report.status == "withheld"
        self.state.setText("Ranking withheld" if withheld else "Released")
        self.viability.show_text(report.viability_note or "")
        self.gate.setVisible(withheld)
        self.flags.clear()
        self.flags.addItems(report.withheld_because)
        self.browser.show_html(html)

    def _gate(self) -> QFrame:
        gate = QFrame()
        gate.setObjectName("warning")
        gate.setFixedWidth(330)
        sentence = label(
            "The ranking is withheld until every can't-miss flag is settled. Read the flags first.", wrap=True
        )
        named = label("&Name")
        named.setBuddy(self.name)
        layout = QVBoxLayout(gate)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.addWidget(label("Open can't-miss flags", "name"))
        layout.addWidget(sentence)
        layout.addWidget(self.flags, 1)
        layout.addWidget(named)
        layout.addWidget(self.name)
        layout.addWidget(self.settle, 0, Qt.AlignmentFlag.AlignLeading)
        return gate

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.state)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.browser, 1)
        middle.addWidget(self.gate)
        foot = QHBoxLayout()
        foot.addWidget(self.rounds)
        foot.addStretch(1)
        for button in self.save_buttons.values():
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 12)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self.viability)
        layout.addLayout(middle, 1)
        layout.addLayout(foot)
        order = (self.browser, self.flags, self.name, self.settle, self.rounds, *self.save_buttons.values())
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _enable(self) -> None:
        self.settle.setEnabled(bool(self.name.text().strip()))

    def _acknowledge(self) -> None:
        if self.report is not None and self.report.status == "withheld" and self.name.text().strip():
            self.acknowledge_wanted.emit(self.name.text().strip())

"""Two released cases side by side."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.domain.case import CaseId
from desktop.announcement import Announcement
from desktop.widgets.report_browser import ReportBrowser


class ComparisonPage(QWidget):
    """Shows one comparison as a document, with a way back."""

    def __init__(self) -> None:
        super().__init__()
        self.back_wanted = Announcement[()]()
        self.save_wanted = Announcement[()]()
        self.cases: tuple[CaseId, CaseId] | None = None
        self.html = ""
        """Of what is shown."""
        self.browser = ReportBrowser()
        self.browser.setAccessibleName("Comparison")
        self.back = QPushButton("&Back to the report")
        self.back.clicked.connect(lambda: self.back_wanted.emit())
        self.save = QPushButton("Save as &HTML")
        self.save.clicked.connect(lambda: self.save_wanted.emit())
        foot = QHBoxLayout()
        foot.addWidget(self.back)
        foot.addStretch(1)
        foot.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 12)
        layout.setSpacing(10)
        layout.addWidget(self.browser, 1)
        layout.addLayout(foot)
        for first, second in ((self.browser, self.back), (self.back, self.save)):
            QWidget.setTabOrder(first, second)

    def show_comparison(self, cases: tuple[CaseId, CaseId], html: str) -> None:
        self.cases, self.html = cases, html
        self.browser.show_html(html)

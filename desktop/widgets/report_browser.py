"""Shows the report's HTML and nothing else: fetches nothing, opens nothing."""

import re

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtWidgets import QTextBrowser

from desktop.theme import Colors, colors

_STYLE = re.compile(r"<style\b.*?</style>", re.DOTALL | re.IGNORECASE)
"""The style sheet of the document is for browsers; the window brings its own."""


class ReportBrowser(QTextBrowser):
    """A text browser that refuses every resource but the program's own (`qrc:`) and follows no link out of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAccessibleName("Report")
        self.anchorClicked.connect(self._go)
        self._html = ""

    def show_html(self, html: str) -> None:
        """A new report starts at its top."""
        self._html = html
        self.document().setDefaultStyleSheet(_sheet(colors()))
        self.setHtml(_STYLE.sub("", html, count=1))

    def loadResource(self, kind: int, url: QUrl | str) -> object:
        if QUrl(url).scheme() == "qrc":
            return super().loadResource(kind, url)
        return None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._html:
            place = self.verticalScrollBar().value()
            self.show_html(self._html)
            self.verticalScrollBar().setValue(place)

    def _go(self, url: QUrl) -> None:
        # Only places on this page; a link of any other kind does nothing.
        if url.hasFragment() and not url.scheme() and not url.path():
            self.scrollToAnchor(url.fragment())


def _sheet(shown: Colors) -> str:
    return f"""
    body {{ color: {shown.text}; }}
    h1 {{ font-size: 17pt; }}
    h2 {{ font-size: 14pt; color: {shown.accent}; margin-top: 22px; }}
    h3 {{ font-size: 12pt; margin-top: 14px; }}
    a {{ color: {shown.accent}; }}
    dt {{ color: {shown.quiet}; font-weight: 600; margin-top: 6px; }}
    dd {{ margin-left: 24px; }}
    .notice {{ background-color: {shown.notice}; }}
    .warning {{ background-color: {shown.warning}; font-weight: 600; }}
    caption {{ color: {shown.quiet}; font-weight: 600; text-align: left; }}
    table {{ border-collapse: collapse; border: 1px solid {shown.line}; }}
    th, td {{ padding: 4px 8px; border: 1px solid {shown.line}; text-align: left; }}
    thead th {{ background-color: {shown.notice}; }}
    footer {{ color: {shown.quiet}; }}
    """

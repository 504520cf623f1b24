"""A sentence across the page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from desktop.widgets.label import label


class Banner(QFrame):
    """Hidden while it has nothing to say. The heading says what it is: color is never the only sign."""

    def __init__(self, name: str, heading: str = "", tone: str = "notice", closable: bool = False) -> None:
        """`tone`: `notice` or `warning`."""
        super().__init__()
        self.setObjectName(tone)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._text = label(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setAccessibleName(name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 12, 6)
        if heading:
            layout.addWidget(label(heading, "name"), 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._text, 1)
        if closable:
            close = QPushButton("&Dismiss")
            close.clicked.connect(lambda: self.show_text(""))
            layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def text(self) -> str:
        return self._text.text()

    def show_text(self, text: str) -> None:
        """An empty text hides the banner."""
        if text != self._text.text():
            self._text.setText(text)
        self.setVisible(bool(text))


def spacer() -> QWidget:
    """Takes the room that is left in a tool bar."""
    empty = QWidget()
    empty.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return empty

"""Labels that show text as text, whatever it holds."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def label(text: str = "", style: str = "", wrap: bool = False) -> QLabel:
    """`style`: `heading`, `name`, `quiet` or none."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setObjectName(style)
    made.setWordWrap(wrap)
    return made

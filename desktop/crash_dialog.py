"""The dialog for a bug: says where it happened and holds no patient text."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop.view_models.crash import Crash, details

SENTENCE = (
    "The program made a mistake. What was answered until now is in the library; open the case again and resume it. "
    "The lines below name the places in the program and hold nothing from the case."
)


class CrashDialog(QDialog):
    """Shows a `Crash` and lets it be copied."""

    def __init__(self, crash: Crash, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        self.setMinimumWidth(560)
        sentence = QLabel(SENTENCE)
        sentence.setWordWrap(True)
        self.places = QPlainTextEdit(details(crash))
        self.places.setReadOnly(True)
        self.places.setTabChangesFocus(True)
        self.places.setAccessibleName("Places in the program")
        copy = QPushButton("&Copy")
        copy.clicked.connect(self._copy)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for part in (sentence, self.places, buttons):
            layout.addWidget(part)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.places.toPlainText())

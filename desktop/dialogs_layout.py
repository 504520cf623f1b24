"""What the dialogs about a finished case have in common: one column, a sentence that says why not, two buttons."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.widgets.label import label

SIZE = QSize(760, 600)
"""Fits into the smallest window."""


class CaseDialog(QDialog):
    """Accepted: the answer is in the dialog. Esc closes it without one."""

    def __init__(self, title: str, sentence: str, accept: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(SIZE)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(10)
        self.column.addWidget(label(sentence, wrap=True))
        self.reason = label("", "quiet", wrap=True)
        """Why the dialog cannot be accepted yet."""
        self.ok = QPushButton(accept)
        self.ok.setObjectName("primary")
        self.ok.setDefault(True)
        self.cancel = QPushButton("Cancel")
        self.cancel.setAutoDefault(False)
        self.ok.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)

    def finish(self) -> None:
        """Put the sentence and the buttons in the last line."""
        buttons = QDialogButtonBox()
        buttons.addButton(self.ok, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.cancel, QDialogButtonBox.ButtonRole.RejectRole)
        foot = QHBoxLayout()
        foot.addWidget(self.reason, 1)
        foot.addWidget(buttons, 0, Qt.AlignmentFlag.AlignBottom)
        self.column.addLayout(foot)

    def allow(self, reason: str) -> None:
        """An empty reason: may be accepted."""
        self.reason.setText(reason)
        self.ok.setEnabled(not reason)
        self.ok.setAccessibleDescription(reason)


def buddy(text: str, control: QWidget) -> QLabel:
    """A label whose letter leads to the control."""
    made = label(text)
    made.setBuddy(control)
    return made

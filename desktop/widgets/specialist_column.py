"""One specialist's words in the round that is shown."""

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.view_models.rounds import Column
from desktop.widgets.label import label


class SpecialistColumn(QWidget):
    """Specialty, role, state and text. The text is shown as it is, never as HTML, and grows without being set anew."""

    def __init__(self) -> None:
        super().__init__()
        self._title = label("", "name", wrap=True)
        self._subtitle = label("", "quiet", wrap=True)
        self._state = label("", "quiet")
        self.body = QPlainTextEdit()
        self.body.setReadOnly(True)
        self.body.setTabChangesFocus(True)
        self.body.setUndoRedoEnabled(False)
        self.setMinimumWidth(120)
        head = QHBoxLayout()
        head.addWidget(self._subtitle, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._title)
        layout.addLayout(head)
        layout.addWidget(self._state)
        layout.addWidget(self.body, 1)

    def show_column(self, column: Column) -> None:
        for part, text in ((self._title, column.title), (self._subtitle, column.subtitle), (self._state, column.state)):
            if part.text() != text:
                part.setText(text)
        name = f"{column.title}: {column.state or 'text'}"
        if self.body.accessibleName() != name:
            self.body.setAccessibleName(name)
        self._show_text(column.text)

    def _show_text(self, text: str) -> None:
        shown = self.body.toPlainText()
        if text == shown:
            return
        bar = self.body.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        if shown and text.startswith(shown):
            end = QTextCursor(self.body.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(text[len(shown) :])
        else:
            self.body.setPlainText(text)
        if at_end:
            bar.setValue(bar.maximum())

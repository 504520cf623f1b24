"""Where a case is typed, pasted or dropped in."""

from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QPlainTextEdit

from desktop.announcement import Announcement
from desktop.widgets.dropping import dropped_file


class CaseText(QPlainTextEdit):
    """Plain text only. A dropped file is announced and not pasted as its name."""

    def __init__(self) -> None:
        super().__init__()
        self.file_dropped = Announcement[str]()
        """Path of the file."""
        self.setTabChangesFocus(True)
        self.setAccessibleName("Case text")
        self.setPlaceholderText(
            "Type or paste the case, or drop a text file here. A complete case says age and sex, since when, "
            "the findings with vital signs and laboratory values, and the medication."
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event.mimeData()) is None:
            super().dragEnterEvent(event)
        else:
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if dropped_file(event.mimeData()) is None:
            super().dragMoveEvent(event)
        else:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event.mimeData())
        if path is None:
            super().dropEvent(event)
        else:
            event.acceptProposedAction()
            self.file_dropped.emit(path)

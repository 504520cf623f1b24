"""The list of cases, newest first."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from desktop.announcement import Announcement
from desktop.view_models.library import LibraryRow
from desktop.widgets.label import label

_CASE_ID = Qt.ItemDataRole.UserRole


class LibraryPage(QWidget):
    """The list with its search."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = Announcement[str]()
        """A case id."""
        self.searched = Announcement[str]()
        self.new_case = Announcement[()]()
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText("Words in the case or its notes")
        self.search.setAccessibleName("Search cases")
        self.search.textChanged.connect(lambda text: self.searched.emit(text))
        search_label = label("&Search")
        search_label.setBuddy(self.search)
        self.list = QListWidget()
        self.list.setAccessibleName("Cases, newest first")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemActivated.connect(lambda item: self.opened.emit(item.data(_CASE_ID)))
        self.list.currentItemChanged.connect(lambda: self._enable())
        self.open = QPushButton("O&pen case")
        self.open.clicked.connect(self._open_current)
        self.new = QPushButton("&New case")
        self.new.setObjectName("primary")
        self.new.clicked.connect(lambda: self.new_case.emit())
        self.empty = label("No case yet. Start with a new case.", "quiet", wrap=True)
        self._lay_out(search_label)
        self._enable()

    def show_rows(self, rows: tuple[LibraryRow, ...], search: str) -> None:
        """The chosen case stays chosen where it is still in the list."""
        chosen = self.chosen()
        self.list.blockSignals(True)
        self.list.clear()
        for row in rows:
            item = QListWidgetItem(row.text)
            item.setData(_CASE_ID, row.case_id)
            self.list.addItem(item)
            if row.case_id == chosen:
                self.list.setCurrentItem(item)
        if self.list.currentItem() is None and rows:
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        self.empty.setText("No case has these words." if search.strip() else "No case yet. Start with a new case.")
        self.empty.setVisible(not rows)
        self._enable()

    def chosen(self) -> str | None:
        item = self.list.currentItem()
        return None if item is None else str(item.data(_CASE_ID))

    def _lay_out(self, search_label: QWidget) -> None:
        head = QHBoxLayout()
        head.addWidget(label("Cases", "heading"))
        head.addStretch(1)
        head.addWidget(search_label)
        self.search.setMinimumWidth(320)
        head.addWidget(self.search)
        foot = QHBoxLayout()
        foot.addWidget(self.open)
        foot.addStretch(1)
        foot.addWidget(self.new)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self.empty)
        layout.addWidget(self.list, 1)
        layout.addLayout(foot)
        for first, second in ((self.search, self.list), (self.list, self.open), (self.open, self.new)):
            QWidget.setTabOrder(first, second)

    def _enable(self) -> None:
        self.open.setEnabled(self.chosen() is not None)

    def _open_current(self) -> None:
        chosen = self.chosen()
        if chosen is not None:
            self.opened.emit(chosen)

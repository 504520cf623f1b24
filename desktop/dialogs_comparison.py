"""Which other released case stands beside the one that is shown."""

from itertools import pairwise

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from core.domain.case import CaseId
from desktop.announcement import Announcement
from desktop.comparable import ComparableCases
from desktop.dialogs_layout import CaseDialog, buddy

SENTENCE = (
    "Released cases that have a finding in common with this one; those that continue one another come first. "
    "The comparison asks nobody again."
)
_CASE_ID = Qt.ItemDataRole.UserRole
_SEARCH_MS = 250
"""How long after the last key it is searched."""


class ComparisonDialog(CaseDialog):
    """A list with a search. What is found comes from outside, whenever it is there."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        """`title`: of the case that is shown."""
        super().__init__("Compare with", SENTENCE, "&Compare", parent)
        self.searched = Announcement[str]()
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText("Words in the case or its notes")
        self.search.setAccessibleName("Search cases")
        self.list = QListWidget()
        self.list.setAccessibleName(f"Cases to compare with: {title}")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_MS)
        self._timer.timeout.connect(self._search)
        self.search.textChanged.connect(lambda: self._timer.start())
        self.list.itemDoubleClicked.connect(lambda _: self.accept())
        self.list.currentRowChanged.connect(lambda _: self._enable())
        self._said = "Looking for cases."
        for part, stretch in ((buddy("&Search", self.search), 0), (self.search, 0), (self.list, 1)):
            self.column.addWidget(part, stretch)
        self.finish()
        for first, second in pairwise((self.search, self.list, self.ok, self.cancel)):
            QWidget.setTabOrder(first, second)
        self.list.setFocus()
        self._enable()

    def chosen(self) -> CaseId | None:
        item = self.list.currentItem()
        return None if item is None else CaseId(item.data(_CASE_ID))

    def show_cases(self, found: ComparableCases) -> None:
        """The chosen case stays chosen where it is still among them."""
        chosen = self.chosen()
        self.list.clear()
        for row in found.rows:
            item = QListWidgetItem(row.text)
            item.setData(_CASE_ID, row.case_id)
            self.list.addItem(item)
            if row.case_id == chosen:
                self.list.setCurrentItem(item)
        if self.list.currentItem() is None and found.rows:
            self.list.setCurrentRow(0)
        more = f"{found.not_looked_into} older cases were not looked into; search for words in them."
        self._said = more if found.not_looked_into else ""
        self._enable()

    def _search(self) -> None:
        self._said = "Looking for cases."
        self.list.clear()
        self._enable()
        self.searched.emit(self.search.text())

    def _enable(self) -> None:
        nothing = "No other released case with a finding in common is found."
        self.allow("" if self.chosen() is not None else self._said or nothing)
        if self.chosen() is not None:
            self.reason.setText(self._said)

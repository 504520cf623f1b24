"""Which names of the list of diagnoses are one, and which stand apart."""

from itertools import pairwise

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.domain.report import Report
from desktop.dialogs_layout import CaseDialog, buddy
from desktop.view_models.names import NamesView
from desktop.widgets.label import label
from desktop.widgets.wrapping_list import WrappingList

SENTENCE = (
    "Select two diagnoses that are one, or one wording that is something else; the space bar selects. The order is that "
    "of the alphabet. Nobody is asked anew: only the ranking follows."
)
_RULINGS_HEIGHT = 92


class NamesDialog(CaseDialog):
    """The rows with their wordings, as they stand after what was ruled here. Shows nothing that ranks or counts."""

    def __init__(self, report: Report, parent: QWidget | None = None) -> None:
        super().__init__("Join or split names", SENTENCE, "&Record", parent)
        self.view = NamesView(report)
        self._order: list[QTreeWidgetItem] = []
        """The selected items, the first one first: it gives the name."""
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Diagnoses in alphabetical order, each with its wordings")
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setItemsExpandable(False)  # wordings are always in sight
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        self.tree.itemSelectionChanged.connect(self._select)
        self.hint = label("", "quiet", wrap=True)
        self.join = QPushButton("&Join")
        self.split = QPushButton("&Split")
        self.rulings = WrappingList()
        self.rulings.setAccessibleName("Rulings on names, the latest last")
        self.rulings.setFixedHeight(_RULINGS_HEIGHT)
        self.rulings.currentRowChanged.connect(lambda _: self._enable())
        self.undo = QPushButton("&Undo ruling")
        for button, do in ((self.join, self._join), (self.split, self._split), (self.undo, self._undo)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, do=do: do())
        self.by, self.why = QLineEdit(), QLineEdit()
        self.by.setAccessibleName("Name of the clinician, required")
        self.why.setAccessibleName("Reason")
        self.by.textChanged.connect(lambda: self._enable())
        self._lay_out()
        self._show()
        self.tree.setFocus()

    def name(self) -> str:
        return self.by.text().strip()

    def _lay_out(self) -> None:
        on_names = QHBoxLayout()
        on_names.addWidget(self.hint, 1)
        on_names.addWidget(self.join)
        on_names.addWidget(self.split)
        ruled = QHBoxLayout()
        ruled.addWidget(self.rulings, 1)
        ruled.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignTop)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(buddy("&Name of the clinician", self.by), self.by)
        form.addRow(buddy("R&eason, for the report", self.why), self.why)
        self.column.addWidget(self.tree, 1)
        self.column.addLayout(on_names)
        self.column.addWidget(buddy("Rulin&gs", self.rulings))
        self.column.addLayout(ruled)
        self.column.addLayout(form)
        self.finish()
        order = (
            self.tree, self.join, self.split, self.rulings, self.undo, self.by, self.why, self.ok, self.cancel,
        )  # fmt: skip
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _show(self, current: str = "") -> None:
        """Rows and rulings as they stand now; nothing is selected then. `current`: the row to go on from."""
        self._order = []
        self.tree.blockSignals(True)
        self.tree.clear()
        for name, wordings in self.view.rows():
            row = QTreeWidgetItem(self.tree, [name])
            for wording in wordings:
                QTreeWidgetItem(row, [wording])
        self.tree.expandAll()
        rows = [*self.tree.findItems(current, Qt.MatchFlag.MatchExactly), self.tree.topLevelItem(0)]
        if rows[0] is not None:
            self.tree.setCurrentItem(rows[0], 0, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.tree.blockSignals(False)
        self.rulings.clear()
        self.rulings.addItems(self.view.told())
        self.rulings.setCurrentRow(self.rulings.count() - 1)
        self._enable()

    def _select(self) -> None:
        selected = self.tree.selectedItems()
        kept = [item for item in self._order if item in selected]
        self._order = kept + [item for item in selected if item not in kept]
        self._enable()

    def _rows(self) -> tuple[str, ...]:
        """Names of two selected rows, where that is all that is selected."""
        rows = tuple(item.text(0) for item in self._order if item.parent() is None)
        return rows if len(rows) == len(self._order) == 2 else ()

    def _wording(self) -> str:
        """The one selected wording; empty where something else is selected."""
        (item,) = self._order if len(self._order) == 1 else (None,)
        return item.text(0) if item is not None and item.parent() is not None else ""

    def _join(self) -> None:
        rows = self._rows()
        self.view.rule("join", *rows)
        self._show(rows[0])
        self.tree.setFocus()

    def _split(self) -> None:
        wording = self._wording()
        self.view.rule("split", wording)
        self._show(wording)
        self.tree.setFocus()

    def _undo(self) -> None:
        current = self.tree.currentItem()
        self.view.undo(self.rulings.currentRow())
        self._show("" if current is None else current.text(0))
        (self.undo if self.undo.isEnabled() else self.tree).setFocus()

    def _enable(self) -> None:
        rows, wording, place = self._rows(), self._wording(), self.rulings.currentRow()
        refusal = self.view.refusal("split", wording) if wording else ""
        self.join.setEnabled(bool(rows))
        self.split.setEnabled(bool(wording) and not refusal)
        self.undo.setEnabled(place >= 0 and self.view.may_undo(place))
        if rows:
            self.hint.setText(f"Join: {rows[1]} will count as {rows[0]}.")
        elif wording:
            self.hint.setText(refusal or f"Split: {wording} will stand apart.")
        else:
            self.hint.setText("Nothing to join or split is selected.")
        if not self.view.new:
            self.allow("Join, split or undo something first.")
        else:
            self.allow("" if self.name() else "Somebody decides: give a name.")

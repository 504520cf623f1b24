"""Which findings a case leaves out that continues another one."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from core.domain.case import Case, Finding, FindingId
from core.log.casebook import LEAST_FINDINGS
from core.render.references import finding_text
from desktop.dialogs_layout import CaseDialog
from desktop.widgets.wrapping_list import WrappingList

SENTENCE = (
    "Check the findings that the panel shall not reason from. Panel, rounds 1 and 2 are carried over into a new case, "
    "rounds 3 to 7 are asked again. The can't-miss rules still see every finding."
)
_FINDING = Qt.ItemDataRole.UserRole


class FindingsDialog(CaseDialog):
    """The numbered findings; those that were left out before stay so."""

    def __init__(self, case: Case, parent: QWidget | None = None) -> None:
        super().__init__("Leave out findings", SENTENCE, "&Leave out and run", parent)
        self.list = WrappingList()
        self.list.setAccessibleName("Findings of the case; the space bar checks one")
        for finding in case.vignette.findings:
            self.list.addItem(_item(finding, finding.finding_id in case.excluded))
        self._before = frozenset(case.excluded)
        self.list.itemChanged.connect(lambda _: self._enable())
        self.column.addWidget(self.list, 1)
        self.finish()
        for first, second in ((self.list, self.ok), (self.ok, self.cancel)):
            QWidget.setTabOrder(first, second)
        self.list.setCurrentRow(next(filter(self._is_open, range(self.list.count())), 0))
        self.list.setFocus()
        self._enable()

    def chosen(self) -> tuple[FindingId, ...]:
        """Checked now and not left out before."""
        items = (self.list.item(row) for row in range(self.list.count()))
        checked = (FindingId(i.data(_FINDING)) for i in items if i.checkState() == Qt.CheckState.Checked)
        return tuple(finding for finding in checked if finding not in self._before)

    def _is_open(self, row: int) -> bool:
        return bool(self.list.item(row).flags() & Qt.ItemFlag.ItemIsEnabled)

    def _enable(self) -> None:
        chosen = self.chosen()
        remaining = self.list.count() - len(self._before) - len(chosen)
        if not chosen:
            self.allow("Check at least one finding.")
        elif remaining < LEAST_FINDINGS:
            self.allow(
                f"At least {LEAST_FINDINGS} findings must remain, because a diagnosis may rest on so many; "
                f"now {remaining} would."
            )
        else:
            self.allow("")


def _item(finding: Finding, left_out: bool) -> QListWidgetItem:
    item = QListWidgetItem(finding_text(finding) + (" (left out already)" if left_out else ""))
    item.setData(_FINDING, finding.finding_id)
    item.setCheckState(Qt.CheckState.Checked if left_out else Qt.CheckState.Unchecked)
    flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled
    item.setFlags(Qt.ItemFlag.NoItemFlags if left_out else flags)
    return item

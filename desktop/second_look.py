"""What can be done with a finished case: work it up again without some findings, rule on names, compare."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from core.domain.case import CaseId
from core.domain.report import Report
from core.settings import PROTOCOL_VERSION
from desktop.bootstrap import SoFar
from desktop.comparable import ComparableSearch
from desktop.dialogs_comparison import ComparisonDialog
from desktop.dialogs_findings import FindingsDialog
from desktop.dialogs_names import NamesDialog

if TYPE_CHECKING:
    from desktop.main_window import MainWindow

RECORDED = {
    "withheld": "The rulings on names are recorded. The ranking follows them as soon as it is released.",
    "released": "The rulings on names are recorded, and the ranking follows them.",
}
"""By the status of the report."""


class SecondLook:
    """Asks what is to be done with the report that the window shows, and has it done."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._back_to: CaseId | None = None
        """The case from whose report the comparison was asked for."""

    def enable(self) -> None:
        """Only what may be done with the page that is shown."""
        window = self._window
        report = self._report()
        on_report = report is not None
        window.actions_of.leave_out.setEnabled(on_report and window.is_free())
        window.actions_of.names.setEnabled(on_report)
        window.actions_of.compare.setEnabled(report is not None and report.status == "released")

    def leave_out(self) -> None:
        """Open a case that continues this one without some findings, and run it."""
        report = self._workable_report()
        if report is None or not self._window.is_free():
            return
        dialog = FindingsDialog(report.case, self._window)
        if not self._accepted(dialog):
            return
        case_id, left_out, work = report.case.case_id, dialog.chosen(), self._window.workplace

        def begin() -> SoFar:
            return work.so_far(work.begin_without(case_id, left_out))

        self._window.begin(begin)

    def rule_on_names(self) -> None:
        """Join and split names of the list; the report is derived again at once."""
        report = self._workable_report()
        if report is None:
            return
        dialog = NamesDialog(report, self._window)
        if not self._accepted(dialog):
            return
        case_id, rulings, by, why = report.case.case_id, dialog.view.new, dialog.name(), dialog.why.text()

        def record() -> None:
            for ruling in rulings:
                self._window.workplace.rule_on_names(case_id, ruling.kind, ruling.names, by, why)

        self._window.change_case(case_id, record, RECORDED[report.status])

    def compare(self) -> None:
        """Show the report beside another released one."""
        report = self._report()
        if report is None or report.status != "released":
            return
        case, other = report.case, self._choose_other(report)
        if other is None:
            return
        # The case that was there first is A, so that ranks are told as they moved.
        cases = (other, case.case_id) if case.continues == other else (case.case_id, other)
        work, self._back_to = self._window.workplace, case.case_id
        self._window.jobs.start(
            "open",
            lambda: work.comparison(*cases, "html").decode(),
            lambda html: self._window.show_comparison(cases, html),
        )

    def back(self) -> None:
        """From the comparison to the report where it was asked for."""
        if self._back_to is not None:
            self._window.open_case(self._back_to)

    def save_comparison(self) -> None:
        """Write the comparison as it is shown."""
        window, page = self._window, self._window.comparison
        if page.cases is None:
            return
        (first, second), document = page.cases, page.html.encode()
        path = window.dialogs.file_to_save(window, f"{first}-{second}.html")
        if path is None:
            return

        def write() -> Path:
            window.workplace.write_comparison(first, second, document, path)
            return path

        window.jobs.start("save", write, lambda saved: window.tell(f"The comparison is saved as {saved}."))

    def _choose_other(self, report: Report) -> CaseId | None:
        jobs, search = self._window.jobs, ComparableSearch(self._window.workplace, report.case)
        dialog = ComparisonDialog(report.case.title, self._window)
        cancel = threading.Event()

        def find(words: str) -> None:
            nonlocal cancel
            cancel.set()
            cancel = now = threading.Event()
            jobs.start("compare", lambda: search.find(words, now), dialog.show_cases)

        dialog.searched.connect(find)
        find("")
        accepted = self._accepted(dialog)
        cancel.set()
        jobs.forget("compare")
        return dialog.chosen() if accepted else None

    def _accepted(self, dialog: QDialog) -> bool:
        accepted = self._window.dialogs.accepted(dialog)
        dialog.deleteLater()
        return accepted

    def _report(self) -> Report | None:
        """The report that is shown."""
        window = self._window
        return window.report.report if window.stack.currentWidget() is window.report else None

    def _workable_report(self) -> Report | None:
        """The report that is shown, where this program can work on it; else says why not."""
        report = self._report()
        if report is None:
            return None
        version = report.case.protocol_version
        if version != PROTOCOL_VERSION:
            self._window.tell(
                f"This case was begun under protocol version {version}, this program follows {PROTOCOL_VERSION}: it can "
                "be read, and opened as a new case."
            )
            return None
        return report

"""The window: which page is shown, which case runs. Everything it shows comes from the log."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from core.consult.intake import read_case_file, vignette
from core.domain.case import CaseId
from core.errors import UserError
from core.log.catalog import CaseEntry
from core.settings import ConsultSettings
from desktop.actions import Actions
from desktop.bootstrap import FORMATS, SoFar, Workplace
from desktop.dialogs import Dialogs
from desktop.loading import Loaded, load
from desktop.pages.comparison_page import ComparisonPage
from desktop.pages.intake_page import IntakePage
from desktop.pages.library_page import LibraryPage
from desktop.pages.report_page import ReportPage
from desktop.pages.rounds_page import RoundsPage
from desktop.second_look import SecondLook
from desktop.view_models.library import rows, undecided
from desktop.widgets.banner import Banner
from desktop.widgets.dropping import dropped_file
from desktop.worker import CaseRun, Crashed, Done, End, Jobs

_LOOKED_INTO = 30
"""Of so many cases at the top of the list it is found out by reading them whether they are finished."""
LEAST_SIZE = QSize(1000, 640)
FIRST_SIZE = QSize(1280, 800)


class MainWindow(QMainWindow):
    """One window on one library; at most one case runs."""

    def __init__(self, workplace: Workplace, dialogs: Dialogs, notices: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.setWindowTitle("Ground Rounds")
        self.setMinimumSize(LEAST_SIZE)
        self.resize(FIRST_SIZE)
        self.setAcceptDrops(True)
        self.workplace = workplace
        self.dialogs = dialogs
        self.jobs = Jobs(self)
        self.case_run: CaseRun | None = None
        self._starting = False
        self._closing = False
        self._loaded: Loaded | None = None
        self._entries: tuple[CaseEntry, ...] = ()
        self._finished: dict[CaseId, bool] = {}
        self.library, self.intake, self.rounds, self.report = LibraryPage(), IntakePage(), RoundsPage(), ReportPage()
        self.comparison = ComparisonPage()
        self.banner = Banner("Message", closable=True)
        self.stack = QStackedWidget()
        self._lay_out()
        self.actions_of = Actions(self)
        self.second_look = SecondLook(self)
        self._connect()
        self.banner.show_text("\n".join(notices))
        self.jobs.start("models", workplace.model_choices, self.intake.show_models)
        self.show_library()

    # Pages

    def show_library(self) -> None:
        self._show(self.library)
        self.library.list.setFocus()
        self.refresh_library()

    def find_case(self) -> None:
        self.show_library()
        self.library.search.setFocus()
        self.library.search.selectAll()

    def show_intake(self) -> None:
        """What was typed there before is still there."""
        self._show(self.intake)
        self.intake.text.setFocus()

    def show_running(self) -> None:
        if self.case_run is not None:
            self.rounds.show_view(self.case_run.view, may_resume=False)
            self._show(self.rounds)
            self.rounds.stop.setFocus()

    def open_case(self, case_id: str) -> None:
        """The rounds of the case that runs; else the report, or as far as the case went."""
        if self.case_run is not None and self.case_run.case_id == case_id:
            self.show_running()
        else:
            self.jobs.start("open", lambda: load(self.workplace, CaseId(case_id)), self._show_loaded)

    def refresh_library(self) -> None:
        search = self.library.search.text()
        self.jobs.start("list", lambda: self.workplace.find_cases(search), self._show_entries)

    # A new case

    def choose_file(self) -> None:
        path = self.dialogs.file_to_open(self)
        if path is not None:
            self.take_file(str(path))

    def take_file(self, path: str) -> None:
        """Put the text of a file into the intake page, or say why not."""
        try:
            text = read_case_file(path)
        except UserError as error:
            self.tell(str(error))
            return
        typed = self.intake.text.toPlainText().strip()
        if typed and typed != text.strip() and not self.dialogs.confirm(self, "Replace the text of the new case?"):
            return
        self.tell("")
        self.intake.show_text(text)
        self.show_intake()

    def run_new_case(self) -> None:
        """Open the case that is typed in and run it."""
        model_id = self.intake.chosen_model()
        if self.stack.currentWidget() is not self.intake or model_id is None or not self.is_free():
            return
        text, settings = self.intake.text.toPlainText(), ConsultSettings(specialists=self.intake.chosen_seats())

        def begin() -> SoFar:
            return self.workplace.so_far(self.workplace.begin(text, settings, model_id).case_id)

        def begun(so_far: SoFar) -> None:
            if self.intake.text.toPlainText() == text:
                self.intake.start_anew()
            self._start(so_far)

        self.begin(begin, begun)

    # Running

    def begin(self, work: Callable[[], SoFar], begun: Callable[[SoFar], None] | None = None) -> None:
        """Run the case that `work` opens or finds."""
        self._set_starting(True)
        self.jobs.start("begin", work, begun or self._start, lambda end: self._set_starting(False))

    def resume(self) -> None:
        """Go on with the case on the rounds page."""
        view = self.rounds.view
        if self.stack.currentWidget() is not self.rounds or view is None or view.case is None or not self.is_free():
            return
        if view.finished:
            return
        case_id = view.case.case_id
        self.begin(lambda: self.workplace.so_far(case_id))

    def stop(self) -> None:
        if self.case_run is not None:
            self.case_run.stop()

    def _start(self, so_far: SoFar) -> None:
        self._starting = False
        if self._closing:
            return
        self.tell("")
        run = CaseRun(self.workplace, so_far, self)
        self.case_run = run
        self._finished.pop(run.case_id, None)
        run.moved.connect(self._run_moved)
        run.start(self.jobs, self._run_ended)
        self._enable()
        self.show_running()

    def _run_moved(self) -> None:
        if self.case_run is not None and self.rounds.view is self.case_run.view:
            self.rounds.refresh()

    def _run_ended(self, end: End) -> None:
        run, self.case_run = self.case_run, None
        assert run is not None
        run.deleteLater()
        self._enable()
        if self._closing:
            return
        if self.stack.currentWidget() is self.rounds and self.rounds.view is run.view:
            self.rounds.show_view(run.view, may_resume=True)
            if not isinstance(end, Crashed):
                self.open_case(run.case_id)
        elif isinstance(end, Done):
            self.tell(f"The case is finished: {end.value.case.title}")
        self.refresh_library()

    # Reading

    def acknowledge(self, name: str) -> None:
        """Settle all open flags in the name of a person, after a question."""
        report = self.report.report
        if report is None:
            return
        count = len(report.withheld_because)
        question = f"Settle {count} open can't-miss flags in the name of {name}? This is recorded and cannot be undone."
        if not self.dialogs.confirm(self, question):
            return
        case_id = report.case.case_id

        self.change_case(case_id, lambda: self.workplace.acknowledge(case_id, name))

    def change_case(self, case_id: CaseId, change: Callable[[], object], said: str = "") -> None:
        """Record something about a case, and derive its report again where it is still the one that is shown.

        `said`: what is told once it is recorded.
        """

        def changed() -> Loaded:
            change()
            return load(self.workplace, case_id)

        def show(loaded: Loaded) -> None:
            self.tell(said)
            if self._loaded is not None and self._loaded.case_id == case_id:
                on_report = self.stack.currentWidget() is self.report
                self._show_loaded(loaded) if on_report else self._set_loaded(loaded)

        self.jobs.start("settle", changed, show)

    def save_report(self, key: str = "report.html") -> None:
        """Write one document of the report that is shown. `key` as in `Workplace.documents`."""
        report = self.report.report
        if report is None or self.stack.currentWidget() is not self.report:
            return
        case_id = report.case.case_id
        path = self.dialogs.file_to_save(self, f"{case_id}.{key.removeprefix('report.')}")
        if path is None:
            return

        def write() -> Path:
            document = self.workplace.documents(case_id)[key]
            self.workplace.write_document(case_id, FORMATS[key.removeprefix("report.")], document, path)
            return path

        self.jobs.start("save", write, lambda saved: self.tell(f"The report is saved as {saved}."))

    def show_rounds_of_report(self) -> None:
        if self._loaded is not None:
            self.rounds.show_view(self._loaded.view(), may_resume=self.is_free())
            self._show(self.rounds)

    def show_report_of_rounds(self) -> None:
        view = self.rounds.view
        if view is not None and view.case is not None:
            self.open_case(view.case.case_id)

    def show_comparison(self, cases: tuple[CaseId, CaseId], html: str) -> None:
        self.comparison.show_comparison(cases, html)
        self._show(self.comparison)
        self.comparison.browser.setFocus()

    def _show_loaded(self, loaded: Loaded) -> None:
        self._set_loaded(loaded)
        if loaded.so_far.report is not None and loaded.html is not None:
            self.report.show_report(loaded.so_far.report, loaded.html)
            self._show(self.report)
            self.report.browser.setFocus()
        else:
            self.rounds.show_view(loaded.view(), may_resume=self.is_free())
            self._show(self.rounds)
            self.rounds.resume.setFocus()

    def _set_loaded(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._finished[loaded.case_id] = loaded.so_far.report is not None

    def _show_entries(self, entries: tuple[CaseEntry, ...]) -> None:
        self._entries = entries
        running = None if self.case_run is None else self.case_run.case_id
        self.library.show_rows(rows(entries, running, self._finished), self.library.search.text())
        case_id = undecided(entries[:_LOOKED_INTO], running, self._finished)
        if case_id is not None and self.stack.currentWidget() is self.library:
            self.jobs.start(
                "decide",
                lambda: self.workplace.so_far(case_id).report is not None,
                lambda finished: self._decide(case_id, finished),
            )

    def _decide(self, case_id: CaseId, finished: bool) -> None:
        self._finished[case_id] = finished
        self._show_entries(self._entries)

    def _open_from_list(self, case_id: str) -> None:
        self.tell("")
        self.open_case(case_id)

    # The window itself

    def tell(self, sentence: str) -> None:
        """Show a sentence above the page; an empty one takes the last away."""
        self.banner.show_text(sentence)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.jobs.busy:
            event.accept()
            return
        # Threads end by themselves; the window stays until they have.
        event.ignore()
        self._closing = True
        self.stop()
        self.tell("The window closes as soon as the work is stopped.")

    def shut_down(self) -> None:
        """Stop and wait for every thread, where the window cannot wait any more."""
        self._closing = True
        self.stop()
        self.jobs.wait()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.take_file(path)

    def _close_when_idle(self) -> None:
        if self._closing:
            self.close()

    def _check(self, text: str) -> None:
        self.jobs.start("check", lambda: vignette(text).missing if text.strip() else (), self.intake.show_missing)

    def is_free(self) -> bool:
        """Whether a case may begin to run."""
        return self.case_run is None and not self._starting and not self._closing

    def _set_starting(self, starting: bool) -> None:
        self._starting = starting
        self._enable()

    def _show(self, page: QWidget) -> None:
        self.jobs.forget("open")  # what was asked for before must not come up later
        self.stack.setCurrentWidget(page)
        self._enable()

    def _enable(self) -> None:
        page, actions, free = self.stack.currentWidget(), self.actions_of, self.is_free()
        actions.run.setEnabled(page is self.intake and free)
        actions.stop.setEnabled(self.case_run is not None)
        actions.resume.setEnabled(page is self.rounds and free)
        actions.save.setEnabled(page is self.report)
        self.second_look.enable()
        actions.running.setVisible(self.case_run is not None)
        self.intake.show_free(free)
        if self.rounds.view is not None:
            self.rounds.show_view(self.rounds.view, may_resume=free)

    def _lay_out(self) -> None:
        for page in (self.library, self.intake, self.rounds, self.report, self.comparison):
            self.stack.addWidget(page)
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self.stack, 1)
        self.setCentralWidget(middle)

    def _connect(self) -> None:
        actions = self.actions_of
        actions.connect({
            actions.new: self.show_intake, actions.open: self.choose_file, actions.run: self.run_new_case,
            actions.stop: self.stop, actions.resume: self.resume, actions.save: self.save_report,
            actions.quit: self.close, actions.cases: self.show_library, actions.running: self.show_running,
            actions.find: self.find_case, actions.leave_out: self.second_look.leave_out,
            actions.names: self.second_look.rule_on_names, actions.compare: self.second_look.compare,
        })  # fmt: skip
        self.library.opened.connect(self._open_from_list)
        self.library.searched.connect(lambda _: self.refresh_library())
        self.library.new_case.connect(self.show_intake)
        self.intake.run_wanted.connect(self.run_new_case)
        self.intake.file_wanted.connect(self.choose_file)
        self.intake.file_dropped.connect(self.take_file)
        self.intake.check_wanted.connect(self._check)
        self.rounds.stop_wanted.connect(self.stop)
        self.rounds.resume_wanted.connect(self.resume)
        self.rounds.report_wanted.connect(self.show_report_of_rounds)
        self.report.save_wanted.connect(self.save_report)
        self.report.acknowledge_wanted.connect(self.acknowledge)
        self.report.rounds_wanted.connect(self.show_rounds_of_report)
        self.comparison.back_wanted.connect(self.second_look.back)
        self.comparison.save_wanted.connect(self.second_look.save_comparison)
        self.jobs.refused.connect(self.tell)
        self.jobs.crashed.connect(lambda crash: self.dialogs.crash(self, crash))
        self.jobs.idle.connect(self._close_when_idle)

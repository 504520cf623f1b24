"""Work off the window's thread: single jobs, and the run of a case."""

import threading
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QObject, QThread

from core.domain.case import CaseId
from core.domain.report import Report
from core.errors import Stopped, UserError
from core.ports import Signal
from desktop.announcement import Announcement
from desktop.bootstrap import SoFar, Workplace
from desktop.throttle import Throttle
from desktop.view_models.crash import Crash, crash_of
from desktop.view_models.rounds import RoundsView


class Done(Struct, frozen=True):
    value: Any


class WasStopped(Struct, frozen=True):
    """The person asked for it."""


class Refused(Struct, frozen=True):
    sentence: str


class Crashed(Struct, frozen=True):
    crash: Crash


End = Done | WasStopped | Refused | Crashed
Then = Callable[[Any], None]


class Job(QThread):
    """One piece of work on its own thread. When it is finished, `end` says how it went."""

    def __init__(self, kind: str, work: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self.kind = kind
        self.end: End = WasStopped()
        self._work = work

    def run(self) -> None:
        try:
            self.end = Done(self._work())
        except Stopped:
            self.end = WasStopped()
        except UserError as error:
            self.end = Refused(str(error))
        except BaseException as error:  # the edge of the thread: Qt would print it, with whatever it quotes
            self.end = Crashed(crash_of(error))


class Jobs(QObject):
    """Starts jobs and delivers their results on this object's thread.

    Of two jobs of one kind only the later one is delivered: what was asked for before is no longer wanted.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.refused = Announcement[str]()
        """A sentence for the person at the screen."""
        self.crashed = Announcement[Crash]()
        self.idle = Announcement[()]()
        """No thread is left."""
        self._live: list[tuple[Job, Then, Callable[[End], None] | None]] = []
        self._wanted: dict[str, Job] = {}

    @property
    def busy(self) -> bool:
        return bool(self._live)

    def start(
        self, kind: str, work: Callable[[], Any], then: Then, otherwise: Callable[[End], None] | None = None
    ) -> None:
        """`then` is given what `work` returns; `otherwise` is told any other end first."""
        job = Job(kind, work, self)
        self._live.append((job, then, otherwise))
        self._wanted[kind] = job
        job.finished.connect(self._collect)
        job.start()

    def forget(self, kind: str) -> None:
        """Whatever runs of this kind is no longer wanted."""
        self._wanted.pop(kind, None)

    def wait(self) -> None:
        """Block until every thread has ended; nothing is delivered any more."""
        self._wanted.clear()
        for job, _, _ in self._live:
            job.wait()
        self._live.clear()

    def _collect(self) -> None:
        for entry in [entry for entry in self._live if entry[0].isFinished()]:
            if entry not in self._live:
                continue  # a dialog below ran an event loop that collected it
            job, then, otherwise = entry
            job.wait()
            self._live.remove(entry)
            job.deleteLater()
            if self._wanted.get(job.kind) is job:
                del self._wanted[job.kind]
                self._deliver(job.end, then, otherwise)
        if not self._live:
            self.idle.emit()

    def _deliver(self, end: End, then: Then, otherwise: Callable[[End], None] | None) -> None:
        if isinstance(end, Done):
            then(end.value)
            return
        if otherwise is not None:
            otherwise(end)
        if isinstance(end, Refused):
            self.refused.emit(end.sentence)
        elif isinstance(end, Crashed):
            self.crashed.emit(end.crash)


class CaseRun(QObject):
    """The case that runs: what it shows, and how it is stopped. Its texts reach only its own view."""

    def __init__(self, workplace: Workplace, so_far: SoFar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.moved = Announcement[()]()
        """The view holds something new."""
        self.case_id: CaseId = so_far.case.case_id
        self.view = RoundsView(so_far.case.settings.specialists)
        self.view.learn(so_far.case, so_far.statements, so_far.immediate)
        self.view.running = True
        self._workplace = workplace
        self._jobs: Jobs | None = None
        self._learning = False
        self._cancel = threading.Event()
        self._throttle = Throttle(self)
        self._throttle.flushed.connect(self._take)

    def start(self, jobs: Jobs, ended: Callable[[End], None]) -> None:
        """Run; `ended` is told how it ended, after the last text."""

        def end(how: End) -> None:
            self._throttle.stop()
            self.view.running = False
            jobs.forget("learn")
            ended(how)

        self._jobs = jobs
        self._throttle.start()
        jobs.start("run", self._work, lambda report: end(Done(report)), end)

    def stop(self) -> None:
        self._cancel.set()
        self.view.stopping = True
        self.moved.emit()

    def _work(self) -> Report:
        return self._workplace.run(self.case_id, self._throttle.put, self._cancel)

    def _take(self, signals: tuple[Signal, ...]) -> None:
        before = self.view.stage
        self.view.take(signals)
        self.moved.emit()
        if self.view.stage != before:
            self._look_into_log()

    def _look_into_log(self) -> None:
        """What a whole round brought (the panel, what is immediate, the list) is read from the log."""
        if self._learning or self._jobs is None:
            return
        self._learning = True
        asked_in = self.view.stage

        def learn(so_far: SoFar) -> None:
            self._learning = False
            self.view.learn(so_far.case, so_far.statements, so_far.immediate)
            self.moved.emit()
            if self.view.running and self.view.stage != asked_in:
                self._look_into_log()

        self._jobs.start("learn", lambda: self._workplace.so_far(self.case_id), learn)

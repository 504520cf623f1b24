"""Reading a case for the screen. Runs off the window's thread."""

from msgspec import Struct

from core.domain.case import CaseId
from core.ports import Signal
from desktop.bootstrap import SoFar, Workplace
from desktop.view_models.rounds import RoundsView


class Loaded(Struct, frozen=True):
    """All that the screen shows of a case that does not run."""

    so_far: SoFar
    signals: tuple[Signal, ...]
    html: str | None
    """The report; None where the case is not finished."""

    @property
    def case_id(self) -> CaseId:
        return self.so_far.case.case_id

    def view(self) -> RoundsView:
        """A new view of the rounds."""
        case = self.so_far.case
        view = RoundsView(case.settings.specialists)
        view.learn(case, self.so_far.statements, self.so_far.immediate)
        view.take(self.signals)
        report = self.so_far.report
        view.finished = report is not None
        view.released = report is not None and report.status == "released"
        return view


def load(workplace: Workplace, case_id: CaseId) -> Loaded:
    """Raises as `Workplace.so_far`."""
    signals: list[Signal] = []
    so_far = workplace.so_far(case_id, signals.append)
    html = None if so_far.report is None else workplace.documents(case_id)["report.html"].decode()
    return Loaded(so_far, tuple(signals), html)

"""The only place that knows core, models and the outside: opens the library, finds models, runs cases.

Window and command line both work through a `Workplace`; neither talks to an engine or to the log by itself.
"""

import errno
import getpass
import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from msgspec import Struct

from core.consult.intake import vignette
from core.consult.names import RuledList, as_ruled, spelled
from core.consult.panel import propose_panel
from core.consult.pipeline import consult
from core.consult.report import immediate_actions
from core.domain.case import Case, CaseId, FindingId, FlagId
from core.domain.report import ImmediateAction, Report
from core.domain.statement import Statement
from core.durable import write_durably
from core.errors import BadInput, NotRecorded, NotWritable
from core.log import casebook
from core.log.catalog import CaseEntry
from core.log.events import CaseExported, ReportFormat
from core.log.keys import default_library_path, open_library
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import CancelToken, ChatModel, PairScorer, Watch, unwatched
from core.render.contents import Issued
from core.settings import PROTOCOL_VERSION, ConsultSettings
from desktop.shelves import language_model, scorer_for

TITLE_WORDS = 9
FORMATS: dict[str, ReportFormat] = {"html": "html", "md": "markdown", "json": "json"}
"""What the log calls each kind of document, by the end of its file name."""
Notice = Callable[[str], None]


class Opened(Struct, frozen=True):
    """A case that was opened, and what the clinician should know before it runs."""

    case_id: CaseId
    warnings: tuple[str, ...]


class SoFar(Struct, frozen=True):
    """What the log holds of a case, finished or not."""

    case: Case
    statements: tuple[Statement, ...]
    """Of the rounds that are whole. Ballots are among them: show nothing of these before the report does."""
    immediate: tuple[ImmediateAction, ...]
    """What round 2 calls immediate."""
    report: Report | None
    """None where the case is not finished."""


class ModelChoice(Struct, frozen=True):
    """A model that a case can be run with."""

    model_id: str
    title: str
    purpose: str


class Workplace:
    """A library and a shelf of models. One case runs at a time; the loaded model is kept for the next one."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._models: dict[str, ChatModel] = {}
        self._scorers: dict[str, PairScorer | None] = {}

    @classmethod
    def open(cls, path: Path | None, passphrase: str | None, notice: Notice) -> "Workplace":
        """Raises `WrongKey`, `DamagedLibrary`, `NewerLibrary`, `LibraryInUse`, `NotWritable`."""
        return cls(open_library(path or default_library_path(), passphrase, notice))

    def close(self) -> None:
        for each in (*self._models.values(), *self._scorers.values()):
            if each is not None:
                each.close()
        self.library.close()

    def begin(self, text: str, settings: ConsultSettings, model_id: str, seed: int | None = None) -> Opened:
        """Open a case. Without a seed, it follows from the text, so that the same case gives the same run.

        Raises `BadInput` for a text without content, `UnknownModel`.
        """
        for each in filter(None, (model_id, settings.catfish_model)):
            self.check_model(each)
        case_vignette = vignette(text)
        if seed is None:
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1
        title = " ".join(case_vignette.text.split()[:TITLE_WORDS])
        case_id = casebook.open_case(self.library, case_vignette, settings, seed, model_id, title)
        return Opened(case_id, case_vignette.missing)

    def begin_without(self, case_id: CaseId, excluded: tuple[FindingId, ...]) -> CaseId:
        """Open a case that continues this one without some findings: panel, rounds 1 and 2 are carried over.

        Raises `BadInput` as `casebook.reopen_without`, `UnknownModel`.
        """
        case = casebook.load_case(self.library, case_id)
        for each in filter(None, (case.model_id, case.settings.catfish_model)):
            self.check_model(each)
        return casebook.reopen_without(self.library, case_id, excluded)

    def run(self, case_id: CaseId, watch: Watch, cancel: CancelToken) -> Report:
        """Work the case up, or go on with it: what the log holds is not asked again. Raises as the gate does."""
        case = casebook.load_case(self.library, case_id)
        _require_this_protocol(case)
        model, scorer = self.model(case.model_id), self.scorer(case.model_id)
        second = case.settings.catfish_model
        recorder = Recorder(
            self.library,
            case_id,
            model=model,
            second_models={second: self.model(second)} if second else {},
            scorer=scorer,
            watch=watch,
            cancel=cancel,
        )
        if not case.panel.specialists:
            panel = propose_panel(case.vignette, case.settings, case.seed, recorder)
            casebook.seat_panel(self.library, case_id, panel, by="proposed by the model")
            case = casebook.load_case(self.library, case_id)
        return consult(case, recorder)

    def report(self, case_id: CaseId) -> Report:
        """The report as the log has it, without any model. Raises `BadInput` where the case is not finished."""
        case = casebook.load_case(self.library, case_id)
        if case.protocol_version != PROTOCOL_VERSION:
            issued = casebook.latest_report(self.library, case_id)
            if issued is None:
                raise BadInput(f"Case {case_id} was begun under another version of the protocol and has no report.")
            return issued
        try:
            if not case.panel.specialists:
                raise NotRecorded("panel/chair/1")
            return consult(case, Recorder(self.library, case_id, watch=unwatched))
        except NotRecorded as error:
            raise BadInput(f"Case {case_id} is not finished; run: ground-rounds resume {case_id}") from error

    def find_cases(self, search: str = "") -> tuple[CaseEntry, ...]:
        return casebook.find_cases(self.library, search)

    def case(self, case_id: CaseId) -> Case:
        """The case as it stands, without its statements. Raises `BadInput` for an unknown or erased one."""
        return casebook.load_case(self.library, case_id)

    def panel_size(self, case_id: CaseId) -> int:
        return self.case(case_id).settings.specialists

    def documents(self, case_id: CaseId) -> dict[str, bytes]:
        """The report of a finished case in each format, by file name. Raises as `report`."""
        return self._rendered(self.report(case_id))

    def _rendered(self, report: Report) -> dict[str, bytes]:
        from core.render.as_json import render_json
        from core.render.html import render_html
        from core.render.markdown import render_markdown

        issued = self._issued()
        renderers = {"html": render_html, "md": render_markdown, "json": render_json}
        return {f"report.{name}": render(report, issued=issued).encode() for name, render in renderers.items()}

    def _issued(self) -> Issued:
        return Issued(
            product_version=version("ground-rounds"),
            issued_at=self.library.now(),
            chain_head=self.library.head().chain,
        )

    def comparison(self, first: CaseId, second: CaseId, form: str) -> bytes:
        """Two cases side by side; `form` is one of `FORMATS`. Raises `BadInput` as `report`, and where one is withheld."""
        from core.consult.comparison import compare
        from core.render.comparison import comparison_document, render_comparison_json
        from core.render.html import write_html
        from core.render.markdown import write_markdown

        made, issued = compare(self.report(first), self.report(second)), self._issued()
        if form == "json":
            return render_comparison_json(made, issued=issued).encode()
        write = {"html": write_html, "md": write_markdown}[form]
        return write(comparison_document(made, issued)).encode()

    def write_comparison(self, first: CaseId, second: CaseId, document: bytes, path: Path) -> None:
        """Write what `comparison` made, and record for both cases that it left the library. Raises `NotWritable`."""
        _write(path, document)
        for case_id in (first, second):
            self.library.append(None, CaseExported(case_id=case_id, by=_account(), where=str(path.resolve())))

    def write_documents(self, case_id: CaseId, folder: Path) -> tuple[Path, ...]:
        """Write report.html, report.md and report.json; returns where they are. Raises `NotWritable`."""
        report = self.report(case_id)
        documents = self._rendered(report)
        for name, document in documents.items():
            self._write_document(report, FORMATS[name.removeprefix("report.")], document, folder / name)
        return tuple(folder / name for name in documents)

    def write_document(self, case_id: CaseId, form: ReportFormat, document: bytes, path: Path) -> None:
        """Write one document, whole or not at all, and record that it was issued. Raises `NotWritable`."""
        self._write_document(self.report(case_id), form, document, path)

    def _write_document(self, report: Report, form: ReportFormat, document: bytes, path: Path) -> None:
        _write(path, document)
        casebook.issue_report(self.library, report, form, document)

    def check_folder(self, folder: Path) -> None:
        """Raises `NotWritable` where documents could not be written later, before any work is done."""
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass

    def so_far(self, case_id: CaseId, watch: Watch = unwatched) -> SoFar:
        """All that the log has, without any model; `watch` is told every reply again.

        Raises `BadInput` for an unknown or erased case, or one of another protocol version that has no report.
        """
        case = casebook.load_case(self.library, case_id)
        if case.protocol_version != PROTOCOL_VERSION:
            report = self.report(case_id)
            return SoFar(case, report.statements, report.immediate, report)
        heard: tuple[Statement, ...] = ()

        def hear(statements: tuple[Statement, ...]) -> None:
            nonlocal heard
            heard = statements

        gate = Recorder(self.library, case_id, watch=watch)
        try:
            if not case.panel.specialists:
                propose_panel(case.vignette, case.settings, case.seed, gate)
                raise NotRecorded("panel")
            finished: Report | None = consult(case, gate, hear)
        except NotRecorded:
            finished = None
        return SoFar(case, heard, immediate_actions(heard), finished)

    def model_choices(self) -> tuple[ModelChoice, ...]:
        """The models on this computer, then the script. Reads the whole of each model file that was not seen before."""
        from models import scripted
        from models.shelf import Shelf

        cards = [shelved.card for shelved in Shelf().list()]
        purpose = "No model: shows how the program works and says nothing about the case."
        script = ModelChoice(scripted.MODEL_ID, "Scripted demonstration", purpose)
        return (*(ModelChoice(card.id, card.title, card.purpose) for card in cards), script)

    def acknowledge(self, case_id: CaseId, name: str) -> int:
        """Settle every open can't-miss flag in one go, in the name of a person. Returns how many there were."""
        from core.consult.cant_miss import open_flags

        report = self.report(case_id)
        flags: tuple[FlagId, ...] = open_flags(report.case, report.cant_miss)
        for flag in flags:
            reason = "Acknowledged together with all others, without a note on the single diagnosis."
            casebook.settle(self.library, case_id, flag, "taken_in", reason, name)
        return len(flags)

    def names(self, case_id: CaseId) -> RuledList:
        """The list of diagnoses as the clinician ruled on its names. Raises as `report`."""
        report = self.report(case_id)
        return as_ruled(report.statements, report.case.rulings)

    def rule_on_names(
        self, case_id: CaseId, kind: Literal["split", "join"], names: Sequence[str], by: str, reason: str
    ) -> None:
        """Join two names of the list, or split one off; the report follows from the log.

        Raises as `report`, and `BadInput` for names that cannot be joined or split, without a person, after the sign-off,
        or for a case of another protocol version, whose report is no longer computed.
        """
        _require_this_protocol(casebook.load_case(self.library, case_id))
        report = self.report(case_id)
        found = spelled(report.statements, report.case.rulings, kind, names)
        casebook.rule_on_names(self.library, case_id, kind, found, by, reason)

    def check_model(self, model_id: str) -> None:
        """Raises `UnknownModel` or `DamagedModel` where this model cannot be used."""
        from models import scripted
        from models.shelf import Shelf

        if model_id != scripted.MODEL_ID:
            Shelf().find(model_id)

    def model(self, model_id: str) -> ChatModel:
        """The model with this id or path, in its own process; loaded when it is first asked."""
        if model_id not in self._models:
            self._models[model_id] = language_model(model_id)
        return self._models[model_id]

    def scorer(self, model_id: str) -> PairScorer | None:
        """What measures the reasoning of a panel of this model, in its own process; None where nothing is installed.

        Raises as loading does.
        """
        if model_id not in self._scorers:
            scorer = scorer_for(model_id)
            if scorer is not None:
                _ = scorer.identity  # loads it: what cannot be loaded is told before the case begins, not at its end
            self._scorers[model_id] = scorer
        return self._scorers[model_id]


def _require_this_protocol(case: Case) -> None:
    if case.protocol_version != PROTOCOL_VERSION:
        raise BadInput(
            f"Case {case.case_id} was begun under protocol version {case.protocol_version}, this program follows "
            f"{PROTOCOL_VERSION}; read its report, or open it as a new case."
        )


def _account() -> str:
    """Account name of the operating system."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return "unknown account"


def _write(path: Path, document: bytes) -> None:
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, document, mode=0o644)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
        raise NotWritable(f"{path} cannot be written: {reason}; choose another folder.") from error

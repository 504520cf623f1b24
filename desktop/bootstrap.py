"""The only place that knows core, models and the outside: opens the library, finds models, runs cases.

Window and command line both work through a `Workplace`; neither talks to an engine or to the log by itself.
"""

import errno
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import Struct

from core.consult.intake import vignette
from core.consult.panel import propose_panel
from core.consult.pipeline import consult
from core.consult.report import immediate_actions
from core.domain.case import Case, CaseId, FlagId
from core.domain.report import ImmediateAction, Report
from core.domain.statement import Statement
from core.durable import write_durably
from core.errors import BadInput, NotRecorded, NotWritable
from core.evaluate.agreement import TranscriptScores, score_transcript
from core.evaluate.direct import Direct
from core.evaluate.transcript import Transcript, read_transcript_file
from core.log import casebook
from core.log.catalog import CaseEntry
from core.log.events import ReportFormat
from core.log.keys import default_library_path, open_library
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import CancelToken, ChatModel, PairScorer, Watch, unwatched
from core.render.contents import Issued
from core.settings import PROTOCOL_VERSION, ConsultSettings

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
        self.check_model(model_id)
        case_vignette = vignette(text)
        if seed is None:
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1
        title = " ".join(case_vignette.text.split()[:TITLE_WORDS])
        case_id = casebook.open_case(self.library, case_vignette, settings, seed, model_id, title)
        return Opened(case_id, case_vignette.missing)

    def run(self, case_id: CaseId, watch: Watch, cancel: CancelToken) -> Report:
        """Work the case up, or go on with it: what the log holds is not asked again. Raises as the gate does."""
        case = casebook.load_case(self.library, case_id)
        _require_this_protocol(case)
        model, scorer = self.model(case.model_id), self.scorer(case.model_id)
        recorder = Recorder(self.library, case_id, model=model, scorer=scorer, watch=watch, cancel=cancel)
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

    def panel_size(self, case_id: CaseId) -> int:
        return casebook.load_case(self.library, case_id).settings.specialists

    def documents(self, case_id: CaseId) -> dict[str, bytes]:
        """The report of a finished case in each format, by file name. Raises as `report`."""
        return self._rendered(self.report(case_id))

    def _rendered(self, report: Report) -> dict[str, bytes]:
        from core.render.as_json import render_json
        from core.render.html import render_html
        from core.render.markdown import render_markdown

        issued = Issued(
            product_version=version("ground-rounds"),
            issued_at=self.library.now(),
            chain_head=self.library.head().chain,
        )
        renderers = {"html": render_html, "md": render_markdown, "json": render_json}
        return {f"report.{name}": render(report, issued=issued).encode() for name, render in renderers.items()}

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
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_durably(path, document, mode=0o644)
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

    def check_model(self, model_id: str) -> None:
        """Raises `UnknownModel` or `DamagedModel` where this model cannot be used."""
        from models import scripted
        from models.shelf import Shelf

        if model_id != scripted.MODEL_ID:
            Shelf().find(model_id)

    def model(self, model_id: str) -> ChatModel:
        """The model with this id or path, in its own process; loaded when it is first asked."""
        if model_id not in self._models:
            self._models[model_id] = _model(model_id)
        return self._models[model_id]

    def scorer(self, model_id: str) -> PairScorer | None:
        """What measures the reasoning of a panel of this model, in its own process; None where nothing is installed.

        Raises as loading does.
        """
        if model_id not in self._scorers:
            scorer = _scorer(model_id)
            if scorer is not None:
                _ = scorer.identity  # loads it: what cannot be loaded is told before the case begins, not at its end
            self._scorers[model_id] = scorer
        return self._scorers[model_id]


class ModelShelf:
    """The shelf of language and scoring models as the command line and the window see it."""

    def __init__(self) -> None:
        from models.scoring.shelf import ScorerShelf
        from models.shelf import Shelf

        self._shelf = Shelf()
        self._scorers = ScorerShelf(self._shelf)

    def scorer_rows(self) -> list[dict[str, Any]]:
        """Scoring models on this computer, and those that can be fetched, each with `installed`, `used` and `grade`."""
        from models.registry import scorers
        from models.scoring.shelf import NotInstalled

        pair = self._scorers.chosen()
        used = () if isinstance(pair, NotInstalled) else (pair.nli.card.id, pair.embedding.card.id)
        rows = {
            card.id: {"id": card.id, "title": card.title, "bytes": card.bytes, "license": card.license}
            for card in scorers()
        }
        state: dict[str, Any] = {"installed": False, "used": False, "kind": None, "grade": None}
        found = {row_id: {**row, **state} for row_id, row in rows.items()}
        for each in self._scorers.list():
            card = each.card
            found[card.id] = {
                "id": card.id,
                "title": card.title,
                "bytes": card.model_bytes,
                "license": card.license,
                "installed": True,
                "used": card.id in used,
                "kind": card.kind,
                "grade": None if card.probes is None else card.probes.grade,
            }
        return list(found.values())

    def rows(self) -> list[dict[str, Any]]:
        """Known language models and those on the shelf, each with `installed`."""
        from models.registry import cards

        shelved = {model.card.id: model.card for model in self._shelf.list()}
        known = {card.id: card for card in cards()}
        rows = []
        for model_id, card in {**known, **shelved}.items():
            row = {name: getattr(card, name) for name in ("id", "title", "parameters", "bytes", "license", "sha256")}
            rows.append({**row, "installed": model_id in shelved})
        return rows

    def unusable(self) -> list[tuple[str, str]]:
        files = (*self._shelf.unusable(), *self._scorers.unusable())
        return [(file.path.name, file.reason) for file in files]

    def add(self, source: Path) -> str:
        """A GGUF file becomes a language model, a folder a scoring model that is used from now on."""
        return self._scorers.add(source).card.id if source.is_dir() else self._shelf.add(source).card.id

    def check(self, model_id: str) -> str:
        return self._scorers.check(model_id).card.id if self._scores(model_id) else self._shelf.check(model_id).card.id

    def remove(self, model_id: str) -> None:
        if self._scores(model_id):
            self._scorers.remove(model_id)
        else:
            self._shelf.remove(model_id)

    def _scores(self, model_id: str) -> bool:
        return any(row["id"] == model_id for row in self.scorer_rows())

    def export(self, arguments: list[str]) -> int:
        """Make a scoring model of PyTorch ready for `add`; returns the exit code."""
        from models import export_onnx

        return export_onnx.main(arguments)

    def get(self, model_id: str) -> int:
        """Fetch a known model with a progress bar; returns the exit code."""
        from models import fetch

        return fetch.main([model_id])


def _model(model_id: str) -> ChatModel:
    from models import scripted

    if model_id == scripted.MODEL_ID:
        return scripted.ScriptedModel()
    from models.remote import RemoteModel
    from models.shelf import Shelf

    return RemoteModel(Shelf().find(model_id))


def _scorer(model_id: str) -> PairScorer | None:
    from models import scripted

    return scripted.ScriptedScorer() if model_id == scripted.MODEL_ID else installed_scorer()


def installed_scorer() -> PairScorer | None:
    """The chosen NLI and embedding model, in their own process; None where one of them is missing. Close it after use."""
    from models.remote import RemoteScorer
    from models.scoring.shelf import NotInstalled, ScorerShelf

    pair = ScorerShelf().chosen()
    return None if isinstance(pair, NotInstalled) else RemoteScorer(pair.nli.folder, pair.embedding.folder)


def scorer_missing() -> str | None:
    """Why alignment cannot be measured on this computer, as a sentence; None where it can."""
    from models.scoring.shelf import NotInstalled, ScorerShelf

    pair = ScorerShelf().chosen()
    return pair.reason if isinstance(pair, NotInstalled) else None


def score_transcript_file(file: Path, cancel: CancelToken) -> tuple[Transcript, TranscriptScores]:
    """Measure a transcript with the installed scorer, without a library. Raises `BadInput`, and as the scorer does."""
    transcript = read_transcript_file(file)
    scorer = installed_scorer()
    try:
        return transcript, score_transcript(transcript, Direct(scorer, cancel))
    finally:
        if scorer is not None:
            scorer.close()


def _require_this_protocol(case: Case) -> None:
    if case.protocol_version != PROTOCOL_VERSION:
        raise BadInput(
            f"Case {case.case_id} was begun under protocol version {case.protocol_version}, this program follows "
            f"{PROTOCOL_VERSION}; read its report, or open it as a new case."
        )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
        raise NotWritable(f"{path} cannot be written: {reason}; choose another folder.") from error

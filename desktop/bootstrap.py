"""The only place that knows core, models and the outside: opens the library, finds models, runs cases.

Window and command line both work through a `Workplace`; neither talks to an engine or to the log by itself.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from core.consult.intake import vignette
from core.consult.panel import propose_panel
from core.consult.pipeline import consult
from core.domain.case import Case, CaseId, FlagId
from core.domain.report import Report
from core.errors import BadInput, NotRecorded
from core.log import casebook
from core.log.keys import default_library_path, open_library
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import CancelToken, ChatModel, Watch, unwatched
from core.settings import PROTOCOL_VERSION, ConsultSettings

TRIAL_MODEL = "qwen2.5-coder-1.5b"
TITLE_WORDS = 9
Notice = Callable[[str], None]


class Opened(Struct, frozen=True):
    """A case that was opened, and what the clinician should know before it runs."""

    case_id: CaseId
    warnings: tuple[str, ...]


class Workplace:
    """A library and a shelf of models. One case runs at a time; the loaded model is kept for the next one."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._models: dict[str, ChatModel] = {}

    @classmethod
    def open(cls, path: Path | None, passphrase: str | None, notice: Notice) -> "Workplace":
        """Raises `WrongKey`, `DamagedLibrary`, `NewerLibrary`, `LibraryInUse`, `NotWritable`."""
        return cls(open_library(path or default_library_path(), passphrase, notice))

    def close(self) -> None:
        for model in self._models.values():
            close = getattr(model, "close", None)
            if close is not None:
                close()
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
        recorder = Recorder(self.library, case_id, model=self.model(case.model_id), watch=watch, cancel=cancel)
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


def _model(model_id: str) -> ChatModel:
    from models import scripted

    if model_id == scripted.MODEL_ID:
        return scripted.ScriptedModel()
    from models.remote import RemoteModel
    from models.shelf import Shelf

    return RemoteModel(Shelf().find(model_id))


def _require_this_protocol(case: Case) -> None:
    if case.protocol_version != PROTOCOL_VERSION:
        raise BadInput(
            f"Case {case.case_id} was begun under protocol version {case.protocol_version}, this program follows "
            f"{PROTOCOL_VERSION}; read its report, or open it as a new case."
        )


def file_name(case_id: CaseId) -> str:
    """A folder name for the documents of a case; holds no patient text."""
    return re.sub(r"[^0-9A-Za-z-]", "-", case_id)

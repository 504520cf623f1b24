"""A seated case on a real, temporary library, worked up by the scripted model."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.consult.cant_miss import open_flags
from core.consult.intake import vignette
from core.consult.panel import seated
from core.consult.pipeline import consult
from core.domain.case import Case, CaseId
from core.domain.report import Report
from core.log import casebook
from core.log.keys import PassphraseCost, open_library
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import Address, CancelToken, ChatModel, ChatRequest, ModelIdentity, Reply, Watch
from core.settings import ConsultSettings
from models.scripted import ScriptedModel

SAMPLE = Path("desktop/resources/sample_case.txt").read_text(encoding="utf-8")
SEATS = ("internal medicine", "hematology", "neurology", "nephrology", "infectious disease")
CHEAP = PassphraseCost(time_cost=1, memory_kib=64, lanes=1)


def library_at(folder: Path) -> Library:
    return open_library(folder / "library", "a passphrase", use_keyring=False, cost=CHEAP)


def open_seated(library: Library, settings: ConsultSettings | None = None, seed: int = 7) -> CaseId:
    settings = settings or ConsultSettings()
    case_id = casebook.open_case(library, vignette(SAMPLE), settings, seed, "scripted", "A case")
    panel = seated(tuple((name, f"Thinks of {name}.") for name in SEATS[: settings.specialists]), settings)
    casebook.seat_panel(library, case_id, panel, by="Dr. Test")
    return case_id


def run(library: Library, case_id: CaseId, model: ChatModel | None = None) -> Report:
    return consult(loaded(library, case_id), Recorder(library, case_id, model=model or ScriptedModel()))


def replay(library: Library, case_id: CaseId) -> Report:
    return consult(loaded(library, case_id), Recorder(library, case_id))


def settle_all(library: Library, case_id: CaseId, report: Report) -> None:
    for flag in open_flags(report.case, report.cant_miss):
        casebook.settle(library, case_id, flag, "excluded", "not in this test", "Dr. Test")


def replay_released(library: Library, case_id: CaseId) -> Report:
    settle_all(library, case_id, replay(library, case_id))
    return replay(library, case_id)


def loaded(library: Library, case_id: CaseId) -> Case:
    return casebook.load_case(library, case_id)


class PowerCut(BaseException):
    """Not an `Exception`: nothing in the program may catch it and go on."""


class CountedModel:
    """A model that counts what it is asked and, if wanted, is gone in the middle of its reply number `dies_at`."""

    def __init__(self, model: ChatModel, dies_at: int | None = None) -> None:
        self._model, self._dies_at = model, dies_at
        self.asked: list[ChatRequest] = []
        self.answered: list[Address] = []

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        self.asked += requests
        for address, reply in self._model.ask_all(requests, watch, cancel):
            if len(self.answered) == self._dies_at:
                raise PowerCut
            self.answered.append(address)
            yield address, reply


def never() -> threading.Event:
    return threading.Event()

"""Every reply parses, whatever the weights are: the forms of all rounds, filled in by random weights and by the test model."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from core.consult.intake import vignette
from core.consult.panel import propose_panel
from core.consult.pipeline import consult
from core.domain.case import Case, CaseId
from core.errors import UnknownModel
from core.ports import (
    ChatRequest,
    ContradictionRequest,
    Contradictions,
    Reply,
    Sampling,
    Similarities,
    SimilarityRequest,
    unwatched,
)
from core.settings import ConsultSettings
from models.gguf.engine import GgufModel
from models.shelf import Shelf
from tests.models.tiny_gguf import write_tiny_llama

VIGNETTE = (
    "A 58-year-old man has had crushing chest pain for two hours. He is sweating and nauseated. He has no fever. "
    "Blood pressure is 88/60 mmHg and heart rate is 112 per minute. He takes metformin 500 mg. "
    "The ECG shows ST elevation in II, III and aVF."
)
ANY = Sampling(temperature=1, min_p=0)


class ParsingGate:
    """A gate that asks real forms with short prompts and parses every reply. Keeps what was asked."""

    def __init__(self, model: GgufModel, sampling: Sampling | None = None) -> None:
        self._model, self._sampling = model, sampling
        self.asked: list[ChatRequest] = []
        self.parsed: Counter[str] = Counter()

    def ask_all(self, requests: Sequence[ChatRequest]) -> tuple[Reply, ...]:
        short = [self._short(request) for request in requests]
        replies = dict(self._model.ask_all(short, unwatched, threading.Event()))
        for request in short:
            reply = replies[request.address]
            assert reply.ended == "complete", request.address
            if request.until is None:
                assert request.form.write(request.form.parse(reply.text)) == reply.text
            else:
                assert request.form.first(reply.text, request.until)
            self.parsed[request.form.name] += 1
        self.asked += short
        return tuple(replies[request.address] for request in requests)

    def _short(self, request: ChatRequest) -> ChatRequest:
        return replace(request, system="", shared=(), sampling=self._sampling or request.sampling)

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        return None

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        return None


def short_case(gate: ParsingGate, seed: int, specialists: Literal[3, 5] = 5) -> Case:
    presented, settings = vignette(VIGNETTE), ConsultSettings(noise_repeats=1, specialists=specialists)
    return Case(
        case_id=CaseId("case"), title="Chest pain", opened_at="2026-01-01T00:00:00Z", vignette=presented,
        panel=propose_panel(presented, settings, seed, gate), settings=settings, seed=seed, model_id="tiny",
    )  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufModel]:
    path: Path = tmp_path_factory.mktemp("gguf") / "llama.gguf"
    write_tiny_llama(path, n_embd=32, n_layer=1, n_ff=32, context=65536, line_end_bias=7)
    model = GgufModel(path, "tiny", "0" * 64, (1, 1))
    yield model
    model.close()


def test_five_hundred_replies_of_random_weights_parse(tiny: GgufModel) -> None:
    gate = ParsingGate(tiny, ANY)
    consult(short_case(gate, 1), gate)
    forms = {request.form.name: request.form for request in gate.asked}
    assert len(forms) >= 9
    asked = tuple(gate.asked)
    seed = 0
    while gate.parsed.total() < 500:
        # the questions of the case once more, with other seeds, in batches of one form
        seed += 1
        for start in range(0, len(asked), 10):
            gate.ask_all([replace(each, seed=each.seed + seed) for each in asked[start : start + 10]])


@pytest.mark.weights
def test_replies_of_the_test_model_parse() -> None:
    try:
        shelved = Shelf().find("smollm2-135m")
    except UnknownModel:
        pytest.skip("the test model smollm2-135m is not on the shelf")
    model = GgufModel(shelved.path, shelved.card.id, shelved.card.sha256)
    gate = ParsingGate(model)
    consult(short_case(gate, 1, specialists=3), gate)
    assert gate.parsed.total() >= 25
    model.close()

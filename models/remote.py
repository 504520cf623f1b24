"""The clients of the engine processes: the same ports, in another process, so that a native crash cannot take the program."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import Stopped
from core.ports import (
    Address,
    CancelToken,
    ChatRequest,
    Contradictions,
    ModelIdentity,
    Reply,
    ScorerIdentity,
    Similarities,
    Watch,
)
from models.child import Child, EngineBug
from models.scoring.card import ProbeResult
from models.scoring.texts import require_words
from models.shelf import ShelvedModel
from models.wire import (
    Ask,
    Compare,
    Confront,
    Done,
    EngineSays,
    Finished,
    Probed,
    Ready,
    ScorerReady,
    ScorerSays,
    from_engine,
    from_scorer,
)


class RemoteModel:
    """`core.ports.ChatModel` served by a child process, which is started when it is needed and again after it died."""

    def __init__(self, shelved: ShelvedModel) -> None:
        arguments = (str(shelved.path), shelved.card.id, shelved.card.sha256)
        self._child = Child[EngineSays]("models.host", arguments, from_engine, last=Done)
        self._identity: ModelIdentity | None = None

    @property
    def identity(self) -> ModelIdentity:
        """Loads the model where it is not loaded yet. Raises as loading does."""
        if self._identity is None:
            self._start(threading.Event())
        assert self._identity is not None
        return self._identity

    def close(self) -> None:
        """End the process; it has a few seconds for that."""
        self._child.close()

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        self._start(cancel)
        with contextlib.closing(self._child.answers(Ask(tuple(requests)), cancel)) as answers:
            for message in answers:
                match message:
                    case Finished(address, reply):
                        yield address, reply
                    case Done():
                        pass
                    case Ready():
                        raise EngineBug("the engine said twice that it is ready")
                    case _:
                        watch(message)

    def _start(self, cancel: CancelToken) -> None:
        """Raises `UnsupportedModel`, `EngineFailed`, `Stopped`."""
        message = self._child.start(cancel)
        if message is not None:
            assert isinstance(message, Ready)
            self._identity = message.identity


class RemoteScorer:
    """`core.ports.PairScorer` served by a child process, which is started when it is needed and again after it died."""

    def __init__(self, nli: Path, embedding: Path) -> None:
        """Folders of the two models."""
        arguments = ("score", str(nli), str(embedding))
        self._child = Child[ScorerSays]("models.pair_host", arguments, from_scorer, last=(Similarities, Contradictions))
        self._identity: ScorerIdentity | None = None

    @property
    def identity(self) -> ScorerIdentity:
        """Loads the models where they are not loaded yet. Raises as loading does."""
        if self._identity is None:
            self._start(threading.Event())
        assert self._identity is not None
        return self._identity

    def close(self) -> None:
        """End the process; it has a few seconds for that."""
        self._child.close()

    def similarities(self, texts: Sequence[str], cancel: CancelToken) -> Similarities:
        require_words(texts)
        answer = self._answer(Compare(tuple(texts)), cancel)
        assert isinstance(answer, Similarities)
        return answer

    def contradictions(self, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> Contradictions:
        require_words(text for pair in pairs for text in pair)
        answer = self._answer(Confront(tuple(pairs)), cancel)
        assert isinstance(answer, Contradictions)
        return answer

    def _answer(self, order: Compare | Confront, cancel: CancelToken) -> ScorerSays:
        if cancel.is_set():
            raise Stopped
        self._start(cancel)
        (answer,) = self._child.answers(order, cancel)
        return answer

    def _start(self, cancel: CancelToken) -> None:
        """Raises `DamagedModel`, `UnsupportedModel`, `BadInput`, `EngineFailed`, `Stopped`."""
        message = self._child.start(cancel)
        if message is not None:
            assert isinstance(message, ScorerReady)
            self._identity = message.identity


def probed(folder: Path) -> ProbeResult:
    """Load the scoring model of a folder and put it to the probes, in a process of its own.

    Raises `DamagedModel`, `UnsupportedModel`, `BadInput`, `EngineFailed`.
    """
    child = Child[ScorerSays]("models.pair_host", ("probe", str(folder)), from_scorer, last=Probed)
    message = child.start(threading.Event())
    child.close()
    assert isinstance(message, Probed)
    return message.result

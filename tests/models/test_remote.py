"""The engine in its own process: the same contract, and what happens when one of the two processes dies."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from core.errors import EngineFailed, Stopped, UnsupportedModel
from core.ports import Signal, TextGrown, unwatched
from models.child import cause_of_death
from models.remote import RemoteModel
from models.shelf import Shelf, ShelvedModel
from tests.models.contract import ChatModelContract, asked, panel
from tests.models.tiny_gguf import write_tiny_llama


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> ShelvedModel:
    folder = tmp_path_factory.mktemp("shelf")
    return Shelf(folder).find(write_tiny_llama(folder / "tiny.gguf"))


@pytest.fixture(scope="module")
def remote(shelved: ShelvedModel) -> Iterator[RemoteModel]:
    model = RemoteModel(shelved)
    yield model
    model.close()


class TestRemote(ChatModelContract):
    @pytest.fixture
    def model(self, remote: RemoteModel) -> RemoteModel:
        return remote


def test_a_killed_engine_is_a_typed_error_and_the_next_batch_starts_it_anew(shelved: ShelvedModel) -> None:
    model = RemoteModel(shelved)
    engine = _children_after(lambda: model.identity)

    def kill(seen: Signal) -> None:
        if isinstance(seen, TextGrown):
            os.kill(engine, signal.SIGKILL)

    started = time.monotonic()
    with pytest.raises(EngineFailed, match="SIGKILL"):
        list(model.ask_all(panel(5), kill, threading.Event()))
    assert time.monotonic() - started < 5
    assert len(asked(model, *panel(2))) == 2
    model.close()


def test_a_closed_model_leaves_no_process(shelved: ShelvedModel) -> None:
    model = RemoteModel(shelved)
    engine = _children_after(lambda: model.identity)
    model.close()
    assert not psutil.pid_exists(engine)


def test_the_engine_dies_with_its_parent(shelved: ShelvedModel) -> None:
    code = (
        "import time, psutil\n"
        "from pathlib import Path\n"
        "from models.remote import RemoteModel\n"
        "from models.shelf import Shelf\n"
        f"model = RemoteModel(Shelf(Path({str(shelved.path.parent)!r})).find({str(shelved.path)!r}))\n"
        "model.identity\n"
        "print(psutil.Process().children()[0].pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    engine = int(parent.stdout.readline())
    assert psutil.pid_exists(engine)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 5
    while psutil.pid_exists(engine) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(engine)


def test_a_consumer_that_leaves_early_leaves_a_usable_model(remote: RemoteModel) -> None:
    replies = remote.ask_all(panel(5), unwatched, threading.Event())
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    assert len(asked(remote, *panel(3))) == 3


def test_stop_right_after_asking_is_not_lost(remote: RemoteModel) -> None:
    for _ in range(5):
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Stopped):
            list(remote.ask_all(panel(5), unwatched, cancel))


def test_what_the_engine_cannot_load_is_refused_in_words(shelved: ShelvedModel, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(shelved.path.read_bytes()[:2000])
    with pytest.raises(UnsupportedModel, match="choose another model"):
        RemoteModel(ShelvedModel(card=shelved.card, path=broken)).identity  # noqa: B018


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-signal.SIGILL, "SIGILL (the processor lacks an instruction)"),
        (-signal.SIGKILL, "often out of memory"),
        (-signal.SIGSEGV, "SIGSEGV"),
        (0xC000001D, "the processor lacks an instruction"),
        (-1073741795, "0xC000001D (the processor lacks an instruction)"),
        (0xC0000005, "access violation"),
        (0xC0000135, "a library file is missing"),
        (0xC0000409, "0xC0000409 (it gave up by itself)"),
        (7, "exit code 7"),
    ],
)
def test_exit_codes_keep_their_32_bits_and_name_the_cause(code: int, words: str) -> None:
    assert words in cause_of_death(code)


def _children_after(start: object) -> int:
    """Process id of the engine that `start` brings up."""
    before = {child.pid for child in psutil.Process().children()}
    start()  # type: ignore[operator]
    (engine,) = {child.pid for child in psutil.Process().children()} - before
    return engine

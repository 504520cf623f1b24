"""The scorer in its own process: the same contract, and what happens when one of the two processes dies."""

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

from core.errors import DamagedModel, EngineFailed, Stopped, UnsupportedModel
from core.ports import PairScorer
from models.onnx_pairs import OnnxPairs
from models.remote import RemoteScorer, probed
from models.scoring.card import TOKENIZER_FILE
from tests.models.pair_contract import NEVER, PAIRS, TEXTS, PairScorerContract, cosines, probabilities
from tests.models.scoring.tiny import tiny_folder

MANY = [(f"{one} fever is present", f"{other} fever is not present") for one in range(150) for other in range(150)]
"""Pairs for many seconds of work."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("scorers")
    return tiny_folder(folder / "nli", "nli"), tiny_folder(folder / "embedding", "embedding")


@pytest.fixture(scope="module")
def remote(folders: tuple[Path, Path]) -> Iterator[RemoteScorer]:
    scorer = RemoteScorer(*folders)
    yield scorer
    scorer.close()


class TestRemote(PairScorerContract):
    @pytest.fixture
    def scorer(self, remote: RemoteScorer) -> PairScorer:
        return remote


def test_it_measures_what_is_measured_in_this_process(remote: RemoteScorer, folders: tuple[Path, Path]) -> None:
    here = OnnxPairs(*folders)
    assert remote.identity == here.identity
    assert remote.similarities(TEXTS, NEVER) == here.similarities(TEXTS, NEVER)
    assert remote.contradictions(PAIRS, NEVER) == here.contradictions(PAIRS, NEVER)


def test_a_killed_engine_is_a_typed_error_and_the_next_question_starts_it_anew(folders: tuple[Path, Path]) -> None:
    scorer = RemoteScorer(*folders)
    timer = threading.Timer(0.2, os.kill, (engine_of(scorer), signal.SIGKILL))
    timer.start()
    with pytest.raises(EngineFailed, match="SIGKILL"):
        scorer.contradictions(MANY, NEVER)
    assert len(cosines(scorer, *TEXTS)) == len(TEXTS)
    scorer.close()


def test_a_stop_while_it_measures(folders: tuple[Path, Path]) -> None:
    scorer = RemoteScorer(*folders)
    assert scorer.identity
    cancel = threading.Event()
    timer = threading.Timer(0.2, cancel.set)
    timer.start()
    with pytest.raises(Stopped):
        scorer.contradictions(MANY, cancel)
    assert probabilities(scorer, *PAIRS)
    scorer.close()


def test_a_closed_scorer_leaves_no_process(folders: tuple[Path, Path]) -> None:
    scorer = RemoteScorer(*folders)
    engine = engine_of(scorer)
    scorer.close()
    assert not psutil.pid_exists(engine)
    scorer.close()


def test_the_engine_dies_with_its_parent(folders: tuple[Path, Path]) -> None:
    code = (
        "import sys, time, psutil\n"
        "from pathlib import Path\n"
        "from models.remote import RemoteScorer\n"
        f"scorer = RemoteScorer(Path({str(folders[0])!r}), Path({str(folders[1])!r}))\n"
        "scorer.identity\n"
        "assert not {'onnxruntime', 'numpy', 'tokenizers', 'PySide6'} & set(sys.modules)\n"
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


def test_what_cannot_be_loaded_is_refused_in_words(folders: tuple[Path, Path], tmp_path: Path) -> None:
    incomplete = tiny_folder(tmp_path / "nli", "nli")
    (incomplete / TOKENIZER_FILE).unlink()
    with pytest.raises(DamagedModel, match=r"no tokenizer\.json"):
        RemoteScorer(incomplete, folders[1]).similarities(TEXTS, NEVER)
    with pytest.raises(UnsupportedModel, match="kind nli, not embedding"):
        RemoteScorer(folders[0], folders[0]).identity  # noqa: B018


def test_something_that_is_no_number_crosses_the_line_as_an_error(remote: RemoteScorer) -> None:
    with pytest.raises(UnsupportedModel, match="no number"):
        cosines(remote, *TEXTS, "undefined")
    assert cosines(remote, *TEXTS)


def test_a_model_is_probed_in_a_process_of_its_own(folders: tuple[Path, Path]) -> None:
    before = psutil.Process().children()
    result = probed(folders[0])
    assert result.pairs >= 60
    assert result.grade == "demonstration only"
    assert psutil.Process().children() == before


def engine_of(scorer: RemoteScorer) -> int:
    """Process id of the engine that this scorer brings up."""
    before = {child.pid for child in psutil.Process().children()}
    assert scorer.identity
    (engine,) = {child.pid for child in psutil.Process().children()} - before
    return engine

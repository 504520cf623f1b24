"""The shelf of scorers: a model is tried before it is taken in, used at once, and never replaced in silence."""

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from core.errors import BadInput, DamagedModel, NotWritable, UnknownModel, UnsupportedModel
from models.onnx_pairs import OnnxPairs
from models.scoring.card import CARD_FILE, DATA_FILE, MODEL_FILE, TOKENIZER_FILE, read_card
from models.scoring.probes import is_current, probes
from models.scoring.shelf import DEFAULT_EMBEDDING, EMBEDDED, NotInstalled, ScorerPair, ScorerShelf
from models.shelf import RESERVE_BYTES, Shelf
from tests.models.pair_contract import NEVER, PAIRS, TEXTS
from tests.models.scoring.tiny import TINY, resign, tiny_card, tiny_folder, write_card


def roomy(folder: Path) -> int:
    """The free space of a large disk."""
    return 10 * RESERVE_BYTES


@pytest.fixture
def embedded(tmp_path: Path) -> Path:
    """The weights of a program: an NLI model, and card and tokenizer of the embedding model that is fetched."""
    tiny_folder(tmp_path / "weights" / "own-nli", "nli", id="own-nli")
    default = tiny_folder(tmp_path / "weights" / DEFAULT_EMBEDDING, "embedding", id=DEFAULT_EMBEDDING)
    (default / MODEL_FILE).unlink()
    return tmp_path / "weights"


@pytest.fixture
def shelf(tmp_path: Path, embedded: Path) -> ScorerShelf:
    return ScorerShelf(Shelf(tmp_path / "Modelle für Ärzte 模型", known=(), free_bytes=roomy), embedded=embedded)


@pytest.fixture
def fetched(shelf: ScorerShelf) -> Path:
    """The default embedding model, as it lies there once it was fetched."""
    return tiny_folder(shelf.folder / DEFAULT_EMBEDDING, "embedding", id=DEFAULT_EMBEDDING)


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """An NLI model as the export gives it, not probed yet."""
    return tiny_folder(tmp_path / "mine", "nli", id="mine", probes=None)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """An NLI model as a hub gives it."""
    folder = tmp_path / "My NLI base"
    (folder / "onnx").mkdir(parents=True)
    shutil.copyfile(TINY / "nli" / MODEL_FILE, folder / "onnx" / MODEL_FILE)
    shutil.copyfile(TINY / "nli" / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    write_config(folder)
    return folder


def write_config(folder: Path, **changes: object) -> None:
    parts: dict[str, object] = {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "id2label": {"2": "CONTRADICTION", "0": "ENTAILMENT", "1": "NEUTRAL"},
        "max_position_embeddings": 300,
        "pad_token_id": 0,
        "hidden_size": 8,
    }
    kept = {name: value for name, value in {**parts, **changes}.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept), encoding="utf-8")


def ids(shelf: ScorerShelf) -> list[str]:
    return [each.card.id for each in shelf.list()]


def chosen(shelf: ScorerShelf) -> tuple[str, str]:
    pair = shelf.chosen()
    assert isinstance(pair, ScorerPair), pair
    return pair.nli.card.id, pair.embedding.card.id


def test_without_the_embedding_model_there_is_no_scorer_and_a_sentence_says_what_to_do(shelf: ScorerShelf) -> None:
    answer = shelf.chosen()
    assert isinstance(answer, NotInstalled)
    assert f"fetch “{DEFAULT_EMBEDDING}” first" in answer.reason
    assert ids(shelf) == ["own-nli"]
    assert not shelf.folder.exists()


@pytest.mark.usefixtures("fetched")
def test_the_defaults_are_used_until_another_model_is_added(shelf: ScorerShelf, exported: Path, tmp_path: Path) -> None:
    assert chosen(shelf) == ("own-nli", DEFAULT_EMBEDDING)
    shelf.add(exported)
    assert chosen(shelf) == ("mine", DEFAULT_EMBEDDING)
    shelf.add(tiny_folder(tmp_path / "other", "embedding", id="other"))
    assert chosen(shelf) == ("mine", "other")
    shelf.remove("mine")
    assert chosen(shelf) == ("own-nli", "other")


@pytest.mark.usefixtures("fetched")
def test_the_model_that_was_added_last_is_used(shelf: ScorerShelf, exported: Path, tmp_path: Path) -> None:
    first = shelf.add(exported)
    shelf.add(tiny_folder(tmp_path / "newer", "nli", id="newer", title="Newer"))
    os.utime(first.folder / CARD_FILE, (1, 1))
    assert chosen(shelf)[0] == "newer"
    assert shelf.add(exported) == first
    assert chosen(shelf)[0] == "mine"


def test_fetching_the_default_later_does_not_displace_what_the_user_added(shelf: ScorerShelf, tmp_path: Path) -> None:
    shelf.add(tiny_folder(tmp_path / "other", "embedding", id="other"))
    tiny_folder(shelf.folder / DEFAULT_EMBEDDING, "embedding", id=DEFAULT_EMBEDDING)
    assert chosen(shelf)[1] == "other"


def test_a_model_is_put_to_the_probes_when_it_is_taken_in(shelf: ScorerShelf, exported: Path) -> None:
    said: list[str] = []
    added = shelf.add(exported, lambda done_bytes, total_bytes, sentence: said.append(sentence))
    assert added.card.probes is not None
    assert added.card.probes.probes_sha256 == probes().sha256
    assert added.card.probes.grade == "demonstration only"
    assert shelf.find("mine") == added
    assert added.folder == shelf.folder / "mine"
    assert {path.name for path in added.folder.iterdir()} == {MODEL_FILE, TOKENIZER_FILE, CARD_FILE}
    assert said[-1] == "Putting Tiny nli to the probes"
    assert read_card((exported / CARD_FILE).read_bytes()).probes is None


@pytest.mark.usefixtures("fetched")
def test_what_was_chosen_measures(shelf: ScorerShelf, exported: Path) -> None:
    shelf.add(exported)
    pair = shelf.chosen()
    assert isinstance(pair, ScorerPair)
    scorer = OnnxPairs(pair.nli.folder, pair.embedding.folder)
    assert scorer.identity.nli_id == "mine"
    assert len(scorer.contradictions(PAIRS, NEVER).probabilities) == len(PAIRS)
    assert len(scorer.similarities(TEXTS, NEVER).cosines) == len(TEXTS)


@pytest.mark.parametrize("given", [".", "onnx"])
def test_an_nli_model_from_a_hub_needs_no_card(shelf: ScorerShelf, hub: Path, given: str) -> None:
    card = shelf.add(hub / given).card
    assert (card.id, card.title, card.kind) == ("my-nli-base", "My NLI base", "nli")
    assert card.labels == ("entailment", "neutral", "contradiction")
    assert (card.max_tokens, card.precision, card.opset) == (300, "fp32", 17)
    assert card.probes is not None
    assert shelf.check("my-nli-base").card == card


def test_a_folder_of_a_hub_client_is_named_after_its_repository(shelf: ScorerShelf, hub: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--someone--nli-tiny" / "snapshots" / "0123abc"
    shutil.copytree(hub, snapshot)
    assert shelf.add(snapshot).card.id == "nli-tiny"


def test_positions_that_count_from_the_padding_leave_a_smaller_window(shelf: ScorerShelf, hub: Path) -> None:
    write_config(hub, model_type="roberta", pad_token_id=1, max_position_embeddings=514)
    assert shelf.add(hub).card.max_tokens == 512


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id2label": {"0": "entailment", "1": "not_entailment"}}, "entailment, not_entailment, but none called"),
        ({"id2label": None}, "no labels, but none called"),
        ({"id2label": {"0": "contradiction", "2": "neutral"}}, "none called"),
        ({"max_position_embeddings": None}, "no window"),
        ({"id2label": {"0": "contradiction", "1": "neutral"}}, "3 numbers a text where its card says 2"),
        ({"max_position_embeddings": 50}, "sees only 50 tokens"),
    ],
)
def test_hub_models_that_cannot_serve_are_refused(
    shelf: ScorerShelf, hub: Path, changes: dict[str, object], words: str
) -> None:
    write_config(hub, **changes)
    with pytest.raises(UnsupportedModel, match=words):
        shelf.add(hub)
    assert ids(shelf) == ["own-nli"]


@pytest.mark.parametrize("missing", [MODEL_FILE, TOKENIZER_FILE, "config.json"])
def test_incomplete_hub_folders_are_refused(shelf: ScorerShelf, hub: Path, missing: str) -> None:
    next(hub.rglob(missing)).unlink()
    with pytest.raises(BadInput, match=missing):
        shelf.add(hub)


def test_a_config_that_cannot_be_read(shelf: ScorerShelf, hub: Path) -> None:
    (hub / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(DamagedModel, match=r"config\.json of “My NLI base” cannot be read"):
        shelf.add(hub)


def test_files_that_do_not_fit_their_card_are_not_taken_in(shelf: ScorerShelf, exported: Path) -> None:
    with (exported / MODEL_FILE).open("ab") as file:
        file.write(b"\0")
    with pytest.raises(DamagedModel, match="another checksum than its card"):
        shelf.add(exported)
    (exported / MODEL_FILE).unlink()
    with pytest.raises(BadInput, match=r"no model\.onnx"):
        shelf.add(exported)
    assert not shelf.folder.exists()


def test_a_model_that_cannot_be_loaded_leaves_nothing_behind(shelf: ScorerShelf, exported: Path) -> None:
    write_card(exported, tiny_card("nli", id="mine", labels=("entailment", "contradiction")))
    with pytest.raises(UnsupportedModel, match="3 numbers"):
        shelf.add(exported)
    assert list(shelf.folder.iterdir()) == []


def test_weights_beside_the_graph_are_taken_in_too(shelf: ScorerShelf, exported: Path) -> None:
    (exported / DATA_FILE).write_bytes(b"weights")
    resign(exported, data_sha256="0" * 64)
    with pytest.raises(DamagedModel, match=r"model\.onnx\.data .* another checksum"):
        shelf.add(exported)
    resign(exported, data_sha256=sha256(b"weights").hexdigest())
    assert (shelf.add(exported).folder / DATA_FILE).read_bytes() == b"weights"


def test_another_model_never_replaces_one_of_the_same_id(shelf: ScorerShelf, exported: Path) -> None:
    added = shelf.add(exported)
    tokenizer = exported / TOKENIZER_FILE
    tokenizer.write_text(tokenizer.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    resign(exported)
    with pytest.raises(BadInput, match="another id"):
        shelf.add(exported)
    assert shelf.find("mine") == added


def test_the_id_of_an_embedded_model_is_taken(shelf: ScorerShelf, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="comes with the program"):
        shelf.add(tiny_folder(tmp_path / "x", "nli", id="own-nli"))


def test_the_default_embedding_can_be_brought_from_another_computer(shelf: ScorerShelf, tmp_path: Path) -> None:
    shelf.add(tiny_folder(tmp_path / "stick", "embedding", id=DEFAULT_EMBEDDING))
    assert chosen(shelf) == ("own-nli", DEFAULT_EMBEDDING)


def test_an_id_never_leads_out_of_the_shelf(shelf: ScorerShelf, exported: Path) -> None:
    card = json.loads((exported / CARD_FILE).read_bytes())
    (exported / CARD_FILE).write_text(json.dumps({**card, "id": "../outside"}), encoding="utf-8")
    with pytest.raises(DamagedModel, match=r"card\.json of “mine” cannot be read"):
        shelf.add(exported)
    for name in ("../mine", str(exported), ".", ""):
        with pytest.raises(UnknownModel):
            shelf.remove(name)
    assert (exported / MODEL_FILE).exists()


def test_a_disk_without_room_is_told_before_anything_is_copied(tmp_path: Path, embedded: Path, exported: Path) -> None:
    shelf = ScorerShelf(Shelf(tmp_path / "full", known=(), free_bytes=lambda folder: 0), embedded=embedded)
    with pytest.raises(NotWritable, match="make room"):
        shelf.add(exported)


def test_what_is_not_there_is_unknown(shelf: ScorerShelf, tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="own-nli"):
        shelf.find("gpt-9")
    with pytest.raises(UnknownModel, match=f"fetch “{DEFAULT_EMBEDDING}” first"):
        shelf.check(DEFAULT_EMBEDDING)
    with pytest.raises(UnknownModel, match="no folder"):
        shelf.add(tmp_path / "nothing")


def test_an_embedded_model_stays(shelf: ScorerShelf) -> None:
    with pytest.raises(BadInput, match="comes with the program"):
        shelf.remove("own-nli")
    assert ids(shelf) == ["own-nli"]


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize("fault", ["card", "model", "tokenizer"])
def test_a_damaged_model_is_not_used_and_not_passed_over(shelf: ScorerShelf, exported: Path, fault: str) -> None:
    added = shelf.add(exported)
    if fault == "card":
        (added.folder / CARD_FILE).write_text("{")
    elif fault == "model":
        with (added.folder / MODEL_FILE).open("ab") as file:
            file.write(b"\0")
    else:
        (added.folder / TOKENIZER_FILE).unlink()
    answer = shelf.chosen()
    assert isinstance(answer, NotInstalled)
    assert "remove" in answer.reason
    assert ids(shelf) == [DEFAULT_EMBEDDING, "own-nli"]
    (unusable,) = shelf.unusable()
    assert unusable.reason == answer.reason
    shelf.remove("mine")
    assert chosen(shelf) == ("own-nli", DEFAULT_EMBEDDING)


def test_a_change_that_size_and_time_do_not_show_is_found_by_check(shelf: ScorerShelf, exported: Path) -> None:
    path = shelf.add(exported).folder / MODEL_FILE
    shelf.find("mine")
    status, content = path.stat(), bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert shelf.find("mine")
    with pytest.raises(DamagedModel, match="another checksum"):
        shelf.check("mine")


def test_what_a_power_cut_left_is_no_model(shelf: ScorerShelf, exported: Path) -> None:
    half = tiny_folder(shelf.folder / ".mine.arriving", "nli", id="mine")
    assert ids(shelf) == ["own-nli"]
    shelf.add(exported)
    assert not half.exists()
    assert ids(shelf) == ["mine", "own-nli"]


def test_the_cards_that_come_with_the_program_are_whole() -> None:
    """Those of models that are fetched lie there without the graph."""
    found = {folder.name: read_card((folder / CARD_FILE).read_bytes()) for folder in EMBEDDED.iterdir()}
    assert DEFAULT_EMBEDDING in found
    for name, card in found.items():
        assert card.id == name
        assert card.license
        assert card.attribution
        assert is_current(card), "the probes changed: python -m models.scoring.probes --write FOLDER"
        if (EMBEDDED / name / MODEL_FILE).exists():
            assert ScorerShelf().check(name).card == card

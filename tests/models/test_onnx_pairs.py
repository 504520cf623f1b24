"""The scorer in this process, on tiny models: the contract, what it measures, and what it refuses to load."""

import json
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from core.errors import BadInput, DamagedModel, EngineFailed, Stopped, TextTooLong, UnsupportedModel
from core.ports import PairScorer
from models.onnx_pairs import OnnxPairs
from models.scoring import network, runtime
from models.scoring.card import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, Kind
from models.scripted import ScriptedScorer
from tests.models.pair_contract import NEVER, PAIRS, TEXTS, PairScorerContract, cosines, probabilities
from tests.models.scoring.tiny import graded, resign, tiny_folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("Modelle für Ärzte 模型")
    return tiny_folder(folder / "nli", "nli"), tiny_folder(folder / "embedding", "embedding")


@pytest.fixture(scope="module")
def tiny(folders: tuple[Path, Path]) -> OnnxPairs:
    return OnnxPairs(*folders)


class TestOnnx(PairScorerContract):
    @pytest.fixture
    def scorer(self, tiny: OnnxPairs) -> PairScorer:
        return tiny


class TestScripted(PairScorerContract):
    @pytest.fixture
    def scorer(self) -> PairScorer:
        return ScriptedScorer()


def test_the_contradiction_is_read_from_the_column_of_that_name(folders: tuple[Path, Path], tmp_path: Path) -> None:
    pair = ("fever is present", "fever is not present")
    assert probabilities(OnnxPairs(*folders), pair)[0] > 0.9
    swapped = tiny_folder(tmp_path / "nli", "nli", labels=("contradiction", "neutral", "entailment"))
    assert probabilities(OnnxPairs(swapped, folders[1]), pair)[0] < 0.1


def test_the_premise_stands_first(tiny: OnnxPairs) -> None:
    one, other = probabilities(tiny, (TEXTS[0], TEXTS[2]), (TEXTS[2], TEXTS[0]))
    assert one != other


def test_what_the_tokenizer_would_cut_is_measured(tiny: OnnxPairs) -> None:
    begun_alike = ("fever since three days, present", "fever since three days, not present")
    assert probabilities(tiny, begun_alike)[0] > 0.9
    assert cosines(tiny, *begun_alike)[0][1] < 1


def test_marks_of_the_model_in_a_text_are_text(tiny: OnnxPairs) -> None:
    """`[SEP]` is spelled out, so what stands behind it still belongs to the premise."""
    plain, marked = probabilities(tiny, ("fever", "not fever"), ("fever [SEP] not", "not fever"))
    assert plain > 0.9
    assert marked < 0.5


def test_a_prompt_stands_before_every_text_and_counts(folders: tuple[Path, Path], tmp_path: Path) -> None:
    prompted = tiny_folder(tmp_path / "embedding", "embedding", prompt="same matter: ")
    assert cosines(OnnxPairs(folders[0], prompted), *TEXTS) != cosines(OnnxPairs(*folders), *TEXTS)
    narrow = tiny_folder(tmp_path / "narrow", "embedding", prompt="same matter: ", max_tokens=19)
    with pytest.raises(TextTooLong, match=r"20 tokens.*19 at once"):
        cosines(OnnxPairs(folders[0], narrow), "fever 38")


def test_the_window_holds_as_many_tokens_as_the_card_says(folders: tuple[Path, Path], tmp_path: Path) -> None:
    narrow = OnnxPairs(tiny_folder(tmp_path / "nli", "nli", max_tokens=13), folders[1])
    assert probabilities(narrow, ("abcde", "fghij"))
    with pytest.raises(TextTooLong, match=r"Two steps together have 14 tokens, but “Tiny nli” sees 13"):
        probabilities(narrow, ("abcde", "fghijk"))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_pooling_is_that_of_the_card(folders: tuple[Path, Path], tmp_path: Path, pooling: str) -> None:
    """The first mark of every text is the same: what is pooled from it alone says that all texts are alike."""
    scorer = OnnxPairs(folders[0], tiny_folder(tmp_path / "embedding", "embedding", pooling=pooling))
    assert (cosines(scorer, *TEXTS[:2])[0][1] > 0.999) == (pooling == "cls")


class CancelAfter:
    """A wish to stop that comes when it was looked for so many times."""

    def __init__(self, times: int) -> None:
        self.times = times

    def is_set(self) -> bool:
        self.times -= 1
        return self.times < 0


def test_a_stop_is_heard_between_batches(tiny: OnnxPairs) -> None:
    texts = [f"{number} fever" * 5 for number in range(60)]
    with pytest.raises(Stopped):
        tiny.similarities(texts, CancelAfter(3))
    many = [(one, other) for one in texts for other in texts[:5]]
    with pytest.raises(Stopped):
        tiny.contradictions(many, CancelAfter(3))
    assert probabilities(tiny, *PAIRS)


def test_equal_pairs_are_computed_once(tiny: OnnxPairs) -> None:
    """Three looks for a stop are enough for a hundred equal pairs, but not for a hundred others."""
    tiny.contradictions([PAIRS[0]] * 100, CancelAfter(3))
    with pytest.raises(Stopped):
        tiny.contradictions([(f"{number} fever" * 3, TEXTS[0]) for number in range(100)], CancelAfter(3))


def test_something_that_is_no_number_is_an_error_and_no_number(tiny: OnnxPairs) -> None:
    with pytest.raises(UnsupportedModel, match="no number"):
        cosines(tiny, TEXTS[0], "undefined")
    with pytest.raises(UnsupportedModel, match="no number"):
        probabilities(tiny, *PAIRS, ("undefined", TEXTS[0]))
    assert cosines(tiny, *TEXTS)


def test_the_identity_tells_what_was_loaded(tiny: OnnxPairs) -> None:
    assert (tiny.identity.nli_id, tiny.identity.embedding_id) == ("tiny-nli", "tiny-embedding")
    assert tiny.identity.engine.startswith("onnxruntime ")
    assert tiny.identity.device == "CPU"
    assert tiny.identity.notes == ()


def test_the_grade_is_that_of_the_worse_model(folders: tuple[Path, Path], tmp_path: Path) -> None:
    assert OnnxPairs(*folders).identity.grade == "limited"
    better = tiny_folder(tmp_path / "nli", "nli", probes=graded("validated"))
    assert OnnxPairs(better, folders[1]).identity.grade == "limited"
    worse = tiny_folder(tmp_path / "worse", "nli", probes=graded("demonstration only"))
    assert OnnxPairs(worse, folders[1]).identity.grade == "demonstration only"


def test_a_grade_from_other_probes_is_measured_anew(folders: tuple[Path, Path], tmp_path: Path) -> None:
    old = msgspec.structs.replace(graded("validated"), probes_sha256="0" * 64)
    stale = tiny_folder(tmp_path / "nli", "nli", probes=old)
    assert OnnxPairs(stale, folders[1]).identity.grade == "demonstration only"
    never = tiny_folder(tmp_path / "never", "nli", probes=None)
    assert OnnxPairs(never, folders[1]).identity.grade == "demonstration only"


def test_a_window_too_small_for_the_probes_is_no_use(folders: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match="sees only 64 tokens"):
        OnnxPairs(tiny_folder(tmp_path / "nli", "nli", max_tokens=64, probes=None), folders[1])


def load(folder: Path, kind: Kind, folders: tuple[Path, Path]) -> OnnxPairs:
    return OnnxPairs(folder, folders[1]) if kind == "nli" else OnnxPairs(folders[0], folder)


def broken(folder: Path, fault: str) -> None:
    match fault:
        case "no card":
            (folder / CARD_FILE).unlink()
        case "half a card":
            (folder / CARD_FILE).write_text('{"id": "tiny')
        case "no tokenizer":
            (folder / TOKENIZER_FILE).unlink()
        case "no model":
            (folder / MODEL_FILE).unlink()
        case "other weights":
            with (folder / MODEL_FILE).open("ab") as file:
                file.write(b"\0")
        case "broken tokenizer":
            (folder / TOKENIZER_FILE).write_text("{}")
            resign(folder)
        case "half a model":
            (folder / MODEL_FILE).write_bytes((folder / MODEL_FILE).read_bytes()[:-200])
            resign(folder)
        case "a pointer":
            (folder / MODEL_FILE).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")
            resign(folder)
        case "a web page":
            (folder / MODEL_FILE).write_text("<!DOCTYPE html><html>")
            resign(folder)


@pytest.mark.parametrize("kind", ["nli", "embedding"])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no card", "has no card.json"),
        ("half a card", "card.json of “x” cannot be read"),
        ("no tokenizer", "has no tokenizer.json"),
        ("no model", "has no model.onnx"),
        ("other weights", "another checksum"),
        ("half a model", "cut off"),
        ("a pointer", "only a pointer"),
        ("a web page", "no model file"),
    ],
)
def test_damaged_folders_are_refused_in_words(
    folders: tuple[Path, Path], tmp_path: Path, kind: Kind, fault: str, words: str
) -> None:
    folder = tiny_folder(tmp_path / "x", kind)
    broken(folder, fault)
    with pytest.raises(DamagedModel, match=words):
        load(folder, kind, folders)


def test_a_tokenizer_that_is_none_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "x", "nli")
    broken(folder, "broken tokenizer")
    with pytest.raises(UnsupportedModel, match=r"tokenizer\.json of “Tiny nli” cannot be read"):
        OnnxPairs(folder, folders[1])


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("nli", {"labels": ("entailment", "neutral", "not_entailment")}, "none called “contradiction”"),
        ("nli", {"labels": ()}, "no labels"),
        ("nli", {"labels": ("entailment", "contradiction")}, "3 numbers a text where its card says 2"),
        ("embedding", {"dimensions": 9}, "8 numbers a text where its card says 9"),
        ("embedding", {"dimensions": None}, "does not say how a vector is made"),
        ("embedding", {"pooling": None}, "does not say how a vector is made"),
        ("embedding", {"pooling": "none"}, "no output called sentence_embedding"),
    ],
)
def test_a_card_that_does_not_fit_its_model_is_refused(
    folders: tuple[Path, Path], tmp_path: Path, kind: Kind, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(UnsupportedModel, match=words):
        load(tiny_folder(tmp_path / "x", kind, **changes), kind, folders)


def test_a_model_of_the_other_kind_is_refused(folders: tuple[Path, Path]) -> None:
    with pytest.raises(UnsupportedModel, match="kind embedding, not nli"):
        OnnxPairs(*folders[::-1])


def test_a_tokenizer_without_marks_would_run_premise_into_hypothesis(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = tiny_folder(tmp_path / "x", "nli")
    tokenizer = json.loads((folder / TOKENIZER_FILE).read_text(encoding="utf-8"))
    (folder / TOKENIZER_FILE).write_text(json.dumps({**tokenizer, "post_processor": None}), encoding="utf-8")
    resign(folder)
    with pytest.raises(UnsupportedModel, match="no mark between"):
        OnnxPairs(folder, folders[1])


def test_a_tokenizer_of_another_model_is_noticed_where_it_leads_out_of_the_table(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = tiny_folder(tmp_path / "x", "nli")
    tokenizer = json.loads((folder / TOKENIZER_FILE).read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["gout"] = 30_000
    (folder / TOKENIZER_FILE).write_text(json.dumps(tokenizer), encoding="utf-8")
    resign(folder)
    with pytest.raises(EngineFailed, match="tokenizer belongs to another model"):
        probabilities(OnnxPairs(folder, folders[1]), ("gout", "no gout"))


def test_a_graph_that_cannot_be_run_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "x", "nli")
    content = (folder / MODEL_FILE).read_bytes()
    assert content.count(b"Tanh") == 2
    (folder / MODEL_FILE).write_bytes(content.replace(b"Tanh", b"Zanh"))
    resign(folder)
    with pytest.raises(UnsupportedModel, match=r"cannot be run by onnxruntime \d"):
        OnnxPairs(folder, folders[1])


@pytest.mark.parametrize(
    ("wanted", "gpu_package", "ran", "words"),
    [
        ("auto", False, "CPU", None),
        ("cpu", True, "CPU", None),
        ("auto", True, "CUDA", None),
        ("cuda", True, "CUDA", None),
        ("auto", True, "CPU", "could not be used"),
        ("cuda", True, "CPU", "could not be used"),
        ("cuda", False, "CPU", "not installed"),
    ],
)
def test_the_reader_is_told_where_the_processor_stood_in(
    wanted: runtime.Wanted, gpu_package: bool, ran: runtime.Device, words: str | None
) -> None:
    note = runtime.device_note(wanted, gpu_package, ran)
    assert (note is None) if words is None else (note is not None and words in note)


def test_cuda_asked_for_and_absent(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(runtime.DEVICE_VARIABLE, "CUDA")
    scorer = OnnxPairs(*folders)
    if scorer.identity.device == "CPU":
        (note,) = scorer.identity.notes
        assert "processor measured instead" in note
    assert probabilities(scorer, *PAIRS)
    monkeypatch.setenv(runtime.DEVICE_VARIABLE, "tpu")
    with pytest.raises(BadInput, match="must be cuda, cpu or auto"):
        OnnxPairs(*folders)


def test_two_packages_of_the_engine_spoil_each_other() -> None:
    runtime.require_one_package(lambda package: package == "onnxruntime")
    with pytest.raises(EngineFailed, match="uninstall both"):
        runtime.require_one_package(lambda package: True)


def test_long_and_short_texts_in_one_question(tiny: OnnxPairs) -> None:
    lengths = [1, 200, 3, 100, 50, 7]
    table = tiny.similarities([f"{'fever ' * n}{n}"[:200] for n in lengths], threading.Event()).cosines
    assert len(table) == len(lengths)
    assert network.BATCH_TOKENS["CPU"] >= 2 * 200
    assert tiny.contradictions([("fever", "a" * 200), ("fever", "a")], NEVER)


def test_the_source_folder_is_only_read(folders: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders[0], copy)
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    OnnxPairs(copy, folders[1])
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before

"""Exported models say what PyTorch says, from their files alone; whatever would make them say something else is refused."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra `export` is not installed")
pytest.importorskip("transformers", reason="the extra `export` is not installed")
pytest.importorskip("onnx", reason="the extra `export` is not installed")

import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from tokenizers import Tokenizer

from core.errors import BadInput, DamagedModel, UnsupportedModel
from models.export import graphs, parity
from models.export.description import describe
from models.export.encoders import load
from models.export_onnx import ExportReport, Said, export, main
from models.scoring.card import read_card
from models.scoring.probes import Probe
from tests.models import tiny_transformers as tiny

# Of PyTorch and its friends, about one another.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

WRITERS = {
    "bert": tiny.write_bert_nli,
    "deberta": tiny.write_deberta_nli,
    "mpnet": tiny.write_mpnet_nli,
    "minilm": tiny.write_minilm,
    "stella-qwen2": tiny.write_stella_qwen2,
    "stella-new": tiny.write_stella_new,
}
OTHERS = {"loss": "contradiction", "strain": "same", "size in centimeters": "different", "age": "different"}
PAIRS = tuple(
    Probe(premise=f"{organ} {state}", hypothesis=f"the {other} of {organ}", label=label, topic="")
    for organ in ("heart", "liver", "left lung", "kidney", "thyroid")
    for state in ("fails", "is spared", "was never ill")
    for other, label in OTHERS.items()
)


def exported(tmp_path: Path, name: str, **options) -> ExportReport:
    source = WRITERS[name](tmp_path / name)
    return export(str(source), tmp_path / "out", pairs=PAIRS, run_model_code=name == "stella-new", **options)


def session(folder: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])


def answer(folder: Path, *text: str) -> np.ndarray:
    """What the files alone say of one text or pair."""
    graph = session(folder)
    encoded = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(*text)
    given = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
    return graph.run(None, {each.name: np.array([given[each.name]]) for each in graph.get_inputs()})[0][0]


def weight_bytes(folder: Path) -> int:
    return sum(len(each.raw_data) for each in onnx.load(folder / "model.onnx").graph.initializer)


@pytest.mark.parametrize("name", WRITERS)
def test_every_architecture_says_what_pytorch_says(tmp_path: Path, name: str) -> None:
    report = exported(tmp_path, name)
    assert report.parity.max_difference < 1e-5
    assert report.parity.agreement in (1.0, None)
    assert report.notes == ()


@pytest.mark.parametrize("name", WRITERS)
def test_the_card_is_true_of_the_files(tmp_path: Path, name: str) -> None:
    report = exported(tmp_path, name, said=Said(attribution=("Made up for a test (CC0)",)))
    folder = report.folder
    assert sorted(each.name for each in folder.iterdir()) == ["card.json", "model.onnx", "tokenizer.json"]
    card = read_card((folder / "card.json").read_bytes())
    assert card == report.card
    assert card.model_sha256 == sha256((folder / "model.onnx").read_bytes()).hexdigest()
    assert card.tokenizer_sha256 == sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    assert (card.model_bytes, card.opset) == ((folder / "model.onnx").stat().st_size, 17)
    assert card.parity == report.parity.figures()
    assert any(each.startswith("torch==") for each in card.made_with)
    assert str(tmp_path) not in (folder / "card.json").read_text(encoding="utf-8")


def test_a_pair_gets_the_probabilities_that_pytorch_gives(tmp_path: Path) -> None:
    folder = exported(tmp_path, "deberta").folder
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "deberta").eval()
    words = transformers.AutoTokenizer.from_pretrained(tmp_path / "deberta")
    inputs = words("the heart fails", "the heart is well", return_tensors="pt")
    with torch.no_grad():
        expected = model(inputs["input_ids"], inputs["attention_mask"]).logits[0].numpy()
    assert answer(folder, "the heart fails", "the heart is well") == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ["minilm", "stella-qwen2", "stella-new"])
def test_an_embedding_is_one_unit_vector(tmp_path: Path, name: str) -> None:
    report = exported(tmp_path, name)
    vector = answer(report.folder, report.card.prompt + "the heart fails")
    assert [each.name for each in session(report.folder).get_outputs()] == ["sentence_embedding"]
    assert vector.shape == (report.card.dimensions,) == ((32,) if name == "minilm" else (24,))
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert report.card.pooling == "none"
    assert report.card.prompt == ("" if name == "minilm" else tiny.S2S_PROMPT)


@pytest.mark.parametrize(
    "labels", [tiny.LABELS, ("entailment", "neutral", "contradiction")], ids=lambda labels: labels[0]
)
def test_label_order_is_the_models_own(tmp_path: Path, labels: tuple[str, ...]) -> None:
    source = tiny.write_bert_nli(tmp_path / "model", tuple(label.upper() for label in labels))
    assert export(str(source), tmp_path / "out", pairs=PAIRS).card.labels == labels


def test_without_a_contradiction_label_a_model_is_refused(tmp_path: Path) -> None:
    source = tiny.write_bert_nli(tmp_path / "model", ("entailment", "not_entailment"))
    with pytest.raises(UnsupportedModel, match="entailment, not_entailment, but none called “contradiction”"):
        export(str(source), tmp_path / "out", pairs=PAIRS)
    assert not (tmp_path / "out").exists()


def test_without_a_tokenizer_a_model_is_refused(tmp_path: Path) -> None:
    source = tiny.write_bert_nli(tmp_path / "model")
    (source / "tokenizer.json").unlink()
    with pytest.raises(BadInput, match="no tokenizer"):
        export(str(source), tmp_path / "out", pairs=PAIRS)


def test_the_tokenizer_neither_cuts_nor_pads(tmp_path: Path) -> None:
    folder = exported(tmp_path, "bert").folder
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert len(tokenizer.encode("heart " * 100, "liver").ids) > 500
    assert len(tokenizer.encode("a", "b").ids) == 5


def test_stella_ends_each_text_with_the_mark_that_its_own_code_would_add(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(exported(tmp_path, "stella-qwen2").folder / "tokenizer.json"))
    assert tokenizer.encode("the heart").tokens[-1] == "<|endoftext|>"
    assert tokenizer.encode("the heart").tokens.count("<|endoftext|>") == 1


def test_stellas_first_word_knows_the_last(tmp_path: Path) -> None:
    """With a causal mask the states of all words but the last would be the same for both texts."""
    source = tiny.write_stella_qwen2(tmp_path / "model")
    (source / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    folder = export(str(source), tmp_path / "out", pairs=PAIRS).folder
    first_state = answer(folder, "the heart fails")
    assert first_state == pytest.approx(answer(folder, "the heart fails"))
    assert np.abs(first_state - answer(folder, "the heart failz")).max() > 1e-3


def test_padding_changes_nothing(tmp_path: Path) -> None:
    folder = exported(tmp_path, "stella-qwen2").folder
    ids = np.array([[5, 9, 13, 0, 0, 0], [5, 9, 13, 22, 41, 30]])
    both = session(folder).run(None, {"input_ids": ids, "attention_mask": (ids > 0).astype(np.int64)})[0]
    alone = session(folder).run(None, {"input_ids": ids[:1, :3], "attention_mask": np.ones((1, 3), np.int64)})[0]
    assert both[0] == pytest.approx(alone[0], abs=1e-6)


def test_a_chat_model_is_no_embedding_model(tmp_path: Path) -> None:
    source = tiny.write_stella_qwen2(tmp_path / "model", is_causal=None, auto_map=None)
    with pytest.raises(UnsupportedModel, match="both directions"):
        export(str(source), tmp_path / "out", pairs=PAIRS)


def test_code_beside_the_weights_runs_only_when_allowed(tmp_path: Path) -> None:
    source = tiny.write_stella_new(tmp_path / "model")
    ran = tmp_path / "it-ran"
    with (source / "modeling.py").open("a", encoding="utf-8") as file:
        file.write(f"\nopen({str(ran)!r}, 'w').close()\n")
    with pytest.raises(BadInput, match=r"Python code of its own .* --run-model-code"):
        export(str(source), tmp_path / "out", pairs=PAIRS)
    assert not ran.exists()
    export(str(source), tmp_path / "out", pairs=PAIRS, run_model_code=True)
    assert ran.exists()


def test_code_from_another_place_is_never_run(tmp_path: Path) -> None:
    source = tiny.write_stella_new(tmp_path / "model")
    tiny.change_json(source / "config.json", {"auto_map": {"AutoModel": "someone/impl--modeling.NewModel"}})
    with pytest.raises(BadInput, match="another place"):
        export(str(source), tmp_path / "out", pairs=PAIRS, run_model_code=True)


def test_weights_that_lack_a_part_are_not_filled_with_random_numbers(tmp_path: Path) -> None:
    source = tiny.write_minilm(tmp_path / "model")
    tiny.change_json(source / "config.json", {"num_hidden_layers": 3})
    with pytest.raises(DamagedModel, match=r"lack 16 parts .* encoder\.layer\.2"):
        export(str(source), tmp_path / "out", pairs=PAIRS)


def test_an_encoder_without_a_head_is_no_classifier(tmp_path: Path) -> None:
    source = tiny.write_minilm(tmp_path / "model")
    (source / "modules.json").unlink()
    named = {"architectures": ["BertForSequenceClassification"], "id2label": dict(enumerate(tiny.LABELS))}
    tiny.change_json(source / "config.json", named)
    with pytest.raises(DamagedModel, match="classifier"):
        export(str(source), tmp_path / "out", pairs=PAIRS)


def test_missing_weights_are_said(tmp_path: Path) -> None:
    source = tiny.write_bert_nli(tmp_path / "model")
    (source / "model.safetensors").unlink()
    with pytest.raises(BadInput, match="no weights"):
        export(str(source), tmp_path / "out", pairs=PAIRS)


@pytest.mark.parametrize("name", WRITERS)
def test_fp16_halves_the_file_and_keeps_the_answers(tmp_path: Path, name: str) -> None:
    whole = exported(tmp_path / "whole", name)
    half = exported(tmp_path / "half", name, precision="fp16")
    assert half.card.precision == "fp16"
    assert weight_bytes(half.folder) < 0.65 * weight_bytes(whole.folder)
    assert half.parity.max_difference < 0.01


@pytest.mark.parametrize("name", WRITERS)
def test_int8_that_passes_is_kept(tmp_path: Path, name: str) -> None:
    report = exported(tmp_path, name, precision="int8")
    assert report.card.precision == "int8"
    assert 0 < report.parity.mean_difference < parity.MEAN_INT8_DIFFERENCE
    graph = onnx.load(report.folder / "model.onnx")
    assert any(each.data_type == onnx.TensorProto.INT8 for each in graph.graph.initializer)


def test_int8_that_changes_the_answers_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    """Weights far larger than all others leave eight bits for themselves and none for those.

    They make no difference: a row belongs to an output that nobody reads, a column to an input that is always 0.
    """
    source = tiny.write_bert_nli(tmp_path / "model")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(source)
    with torch.no_grad():
        last = model.bert.encoder.layer[-1].output.LayerNorm
        last.weight[0] = last.bias[0] = 0
        model.bert.pooler.dense.weight[:, 0] = model.bert.pooler.dense.weight[0] = 3000
        model.classifier.weight[:, 0] = 0
    model.save_pretrained(source)
    assert export(str(source), tmp_path / "whole", pairs=PAIRS).parity.agreement == 1
    with pytest.raises(UnsupportedModel, match=r"In int8 .* nothing was kept"):
        export(str(source), tmp_path / "out", pairs=PAIRS, precision="int8")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model", "whole"]


def test_int8_is_not_judged_by_a_handful_of_pairs(tmp_path: Path) -> None:
    source = tiny.write_minilm(tmp_path / "model")
    with pytest.raises(UnsupportedModel, match="only 8 labelled pairs"):
        export(str(source), tmp_path / "out", pairs=PAIRS[:8], precision="int8")


def test_an_answer_does_not_depend_on_what_else_is_in_the_batch(tmp_path: Path) -> None:
    """What was measured once is remembered, so int8 must not take its scale from the neighbors."""
    folder = exported(tmp_path, "minilm", precision="int8").folder
    alone = np.array([[5, 9, 13, 22]])
    together = np.concatenate([alone, np.random.default_rng(1).integers(4, 99, (7, 4))])
    first, second = (
        session(folder).run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        for ids in (alone, together)
    )
    assert first == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_weights_too_large_for_one_file_lie_beside_the_graph(tmp_path: Path, precision: str) -> None:
    source = tiny.write_stella_qwen2(tmp_path / "model")
    (traced := tmp_path / "traced").mkdir()
    (stored := tmp_path / "stored").mkdir()
    description = describe(source)
    whole = small = graphs.trace(load(source, description), description.inputs, traced, one_file_bytes=5000)
    if precision != "fp32":
        small = graphs.store(whole, precision, stored, one_file_bytes=5000)
    assert sorted(each.name for each in small.parent.iterdir()) == ["model.onnx", "model.onnx.data"]
    ids = np.array([[5, 9, 13, 22, 41, 30]])
    first, second = (
        session(each.parent).run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        for each in (whole, small)
    )
    assert first[0] @ second[0] > 0.99


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(BadInput, match="is there already"):
        exported(tmp_path, "minilm")


def test_the_command_reports_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tiny.write_bert_nli(tmp_path / "model")
    assert (
        main([str(source), str(tmp_path / "out"), "--id", "my-nli", "--license", "cc0-1.0", "--precision", "fp16"]) == 0
    )
    said = capsys.readouterr().out
    assert "my-nli, BertForSequenceClassification, fp16, opset 17" in said
    assert "same decisions: 100.0%" in said
    card = json.loads((tmp_path / "out" / "card.json").read_text(encoding="utf-8"))
    assert (card["id"], card["license"], card["source"]) == ("my-nli", "cc0-1.0", "folder “model”")
    assert card["title"] == "model fp16"


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere"), str(tmp_path / "out")]) == 1
    assert "There is no folder" in capsys.readouterr().err

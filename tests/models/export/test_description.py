"""What the files beside the weights leave open is asked for; what this export cannot do right is refused."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput, DamagedModel, UnsupportedModel
from models.export.description import Dense, describe
from models.export.origin import find_origin
from models.export_onnx import export

CLASSIFIER = {
    "model_type": "deberta-v2",
    "architectures": ["DebertaV2ForSequenceClassification"],
    "id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"},
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
}
STELLA = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 1536, "is_causal": False}
MODULES = {"": "Transformer", "1_Pooling": "Pooling", "2_Dense_1024": "Dense"}
DENSE = {"in_features": 1536, "out_features": 1024, "activation_function": "torch.nn.modules.linear.Identity"}
PROMPTS = {"prompts": {"s2p_query": "Find the answer: ", "s2s_query": "Find the like: "}}


def write(folder: Path, **files: Any) -> Path:
    """JSON files by their names, `__` standing for a slash."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture
def stella(tmp_path: Path) -> Path:
    modules = [{"path": path, "type": f"sentence_transformers.models.{name}"} for path, name in MODULES.items()]
    write(tmp_path / "stella", config=STELLA, modules=modules, config_sentence_transformers=PROMPTS)
    write(tmp_path / "stella", sentence_bert_config={"max_seq_length": 512, "do_lower_case": False})
    (tmp_path / "stella" / "2_Dense_1024").mkdir()
    write(tmp_path / "stella" / "2_Dense_1024", config=DENSE)
    return write(
        tmp_path / "stella", **{"1_Pooling__config": {"pooling_mode_mean_tokens": True, "include_prompt": True}}
    )


@pytest.fixture
def classifier(tmp_path: Path) -> Path:
    return write(tmp_path / "nli", config=CLASSIFIER)


def test_a_classifier_is_read_as_it_describes_itself(classifier: Path) -> None:
    found = describe(classifier)
    assert (found.kind, found.labels) == ("nli", ("contradiction", "entailment", "neutral"))
    assert (found.max_tokens, found.inputs) == (512, ("input_ids", "attention_mask"))


def test_token_types_are_an_input_only_where_the_model_has_them(classifier: Path) -> None:
    bert = {"model_type": "bert", "architectures": ["BertForSequenceClassification"], "type_vocab_size": 2}
    assert describe(write(classifier, config=CLASSIFIER | bert)).inputs[2:] == ("token_type_ids",)


def test_stella_is_read_as_it_describes_itself(stella: Path) -> None:
    found = describe(stella)
    assert (found.kind, found.pooling, found.dimensions, found.max_tokens) == ("embedding", "mean", 1024, 512)
    assert found.dense == Dense(folder="2_Dense_1024", inputs=1536, outputs=1024, activation="Identity")
    assert found.prompt == "Find the like: "


@pytest.mark.parametrize(
    ("id2label", "labels"),
    [
        ({"2": "CONTRADICTION", "0": "entailment", "1": "Neutral"}, ("entailment", "neutral", "contradiction")),
        ({"0": "contradiction", "1": "other"}, ("contradiction", "other")),
    ],
)
def test_labels_stand_in_the_order_of_the_columns(classifier: Path, id2label: Any, labels: tuple[str, ...]) -> None:
    assert describe(write(classifier, config=CLASSIFIER | {"id2label": id2label})).labels == labels


@pytest.mark.parametrize("id2label", [{}, {"0": "LABEL_0", "1": "LABEL_1"}, {"0": "entailment", "1": "not_entailment"}])
def test_a_model_that_names_no_contradiction_is_refused(classifier: Path, id2label: Any) -> None:
    with pytest.raises(UnsupportedModel, match="contradiction"):
        describe(write(classifier, config=CLASSIFIER | {"id2label": id2label}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "roberta", "architectures": ["RobertaForSequenceClassification"]}, "RobertaForSequence"),
        ({"architectures": ["DebertaV2ForMaskedLM"]}, "DebertaV2ForMaskedLM"),
        ({"architectures": None}, "deberta-v2"),
    ],
)
def test_other_architectures_are_named_and_refused(classifier: Path, change: Any, said: str) -> None:
    with pytest.raises(UnsupportedModel, match=said):
        describe(write(classifier, config=CLASSIFIER | change))


@pytest.mark.parametrize(("kind", "fixture"), [("embedding", "classifier"), ("nli", "stella")])
def test_another_kind_than_was_wanted_is_refused(request: pytest.FixtureRequest, kind: Any, fixture: str) -> None:
    with pytest.raises(BadInput, match="export it as what it is"):
        describe(request.getfixturevalue(fixture), kind)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config", STELLA | {"is_causal": True}, "both directions"),
        ("config", {"model_type": "qwen2"}, "both directions"),
        ("config", {"model_type": "mpnet"}, "mpnet"),
        ("1_Pooling__config", {"pooling_mode_lasttoken": True}, "lasttoken"),
        ("1_Pooling__config", {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, "max_tokens"),
        ("1_Pooling__config", {"pooling_mode_mean_tokens": True, "include_prompt": False}, "prompt"),
        ("2_Dense_1024__config", DENSE | {"activation_function": "torch.nn.ReLU"}, "ReLU"),
        ("sentence_bert_config", {"do_lower_case": True}, "lower case"),
        ("modules", [{"path": "", "type": "sentence_transformers.models.WordEmbeddings"}], "WordEmbeddings"),
    ],
)
def test_what_would_come_out_wrong_is_refused(stella: Path, file: str, content: Any, said: str) -> None:
    with pytest.raises(UnsupportedModel, match=said):
        describe(write(stella, **{file: content}))


def test_a_config_that_points_to_its_own_two_way_code_will_do(stella: Path) -> None:
    own = {"model_type": "qwen2", "auto_map": {"AutoModel": "modeling_qwen.Qwen2Model"}, "max_position_embeddings": 99}
    assert describe(write(stella, config=own)).max_tokens == 99


@pytest.mark.parametrize(("name", "prompt"), [("s2p_query", "Find the answer: "), ("", "")])
def test_another_prompt_can_be_named(stella: Path, name: str, prompt: str) -> None:
    assert describe(stella, prompt=name).prompt == prompt


def test_which_prompt_is_meant_is_asked_and_never_guessed(stella: Path) -> None:
    with pytest.raises(BadInput, match="s2p_query, s2s_query"):
        describe(stella, prompt="sts")
    write(stella, config_sentence_transformers={"prompts": {"query": "Query: ", "document": ""}})
    with pytest.raises(BadInput, match="prompts query;"):
        describe(stella)


def test_a_folder_without_its_files_is_said_to_lack_them(tmp_path: Path, stella: Path) -> None:
    with pytest.raises(BadInput, match=r"no config\.json"):
        describe(tmp_path)
    (stella / "1_Pooling" / "config.json").unlink()
    with pytest.raises(BadInput, match=r"“1_Pooling” has no config\.json"):
        describe(stella)


@pytest.mark.parametrize("content", ["{", "[]", '{"model_type": 3}', ""])
def test_an_unreadable_config_is_damage(classifier: Path, content: str) -> None:
    (classifier / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(DamagedModel, match=r"config\.json of “nli”"):
        describe(classifier)


def test_the_license_is_the_readmes(classifier: Path) -> None:
    assert describe(classifier).license is None
    (classifier / "README.md").write_text("---\ntags: [x]\nlicense: mit\n---\nlicense: none\n", encoding="utf-8")
    assert describe(classifier).license == "mit"


@pytest.mark.parametrize("source", ["nowhere", "a/b/c", "C:\\models\\stella", "../x", ""])
def test_a_source_is_a_folder_or_a_name_on_the_hub(source: str) -> None:
    with pytest.raises(BadInput, match="There is no folder"):
        find_origin(source)


def test_a_folder_has_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no revisions"):
        find_origin(str(tmp_path), "main")


@pytest.mark.skipif(find_spec("torch") is not None, reason="the extra `export` is installed")
def test_without_the_extra_the_way_to_it_is_told(tmp_path: Path, classifier: Path) -> None:
    with pytest.raises(BadInput, match=r"needs torch.*ground-rounds\[export\]"):
        export(str(classifier), tmp_path / "out")

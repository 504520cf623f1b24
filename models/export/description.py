"""What the files beside the weights say of a scoring model: architecture, labels, window, pooling, prompt, license.

Whatever they leave open and the graph depends on is asked for in a sentence; nothing is taken on faith. Knows no torch.
"""

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from core.errors import BadInput, UnsupportedModel
from models.export.files import (
    Config,
    DenseConfig,
    Module,
    Prompts,
    SentenceConfig,
    TokenizerConfig,
    license_of,
    read,
    read_if_there,
)
from models.scoring.card import Kind, labels_by_column
from models.scoring.hub_folder import COUNTS_FROM_PADDING

CLASSIFIERS = {
    "bert": "BertForSequenceClassification",
    "deberta-v2": "DebertaV2ForSequenceClassification",
    "mpnet": "MPNetForSequenceClassification",
}
"""NLI: model types that are known to come out right, with the class that has the three-way head."""
ENCODERS = frozenset({"bert", "qwen2", "new"})
"""Embedding: model types that are known to come out right."""
OWN_CODE = frozenset({"new"})
"""Model types that exist only as Python code lying beside the weights."""


class Dense(Struct, frozen=True, kw_only=True):
    """The linear layer after pooling."""

    folder: str
    """Where it lies in the folder of the model."""
    inputs: int
    outputs: int
    activation: Literal["Identity", "Tanh"]


class Description(Struct, frozen=True, kw_only=True):
    kind: Kind
    config: Config
    max_tokens: int
    """The smallest window that any of the files names."""
    license: str | None
    labels: tuple[str, ...] = ()
    """NLI: names of the output columns in their order, lower case."""
    pooling: Literal["mean", "cls"] | None = None
    dense: Dense | None = None
    prompt: str = ""
    dimensions: int | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the graph's inputs. Where a classifier tells premise and hypothesis apart by token type, it needs those."""
        marked = self.kind == "nli" and (self.config.type_vocab_size or 0) > 1
        return ("input_ids", "attention_mask", "token_type_ids") if marked else ("input_ids", "attention_mask")


def describe(folder: Path, kind: Kind | None = None, prompt: str | None = None) -> Description:
    """Read a folder of `transformers` or `sentence-transformers` files.

    `prompt` is the name of a prompt in the model's own list, "" for none; left out, the one for sentence-to-sentence
    similarity is taken. Raises `BadInput` for a folder without what is needed, `UnsupportedModel` for another kind of
    model, `DamagedModel` for files that cannot be read.
    """
    config = read(folder / "config.json", Config)
    found: Kind = "embedding" if (folder / "modules.json").is_file() else "nli"
    if kind is not None and kind != found:
        raise BadInput(f"“{folder.name}” holds {_KINDS[found]}, not {_KINDS[kind]}; export it as what it is.")
    return _classifier(folder, config) if found == "nli" else _encoder(folder, config, prompt)


_KINDS = {"nli": "a classifier (no modules.json in it)", "embedding": "an embedding model (with a modules.json)"}


def _classifier(folder: Path, config: Config) -> Description:
    if CLASSIFIERS.get(config.model_type) != config.architecture:
        raise UnsupportedModel(
            f"“{folder.name}” is a {config.architecture}; as a classifier this export knows "
            f"{', '.join(CLASSIFIERS.values())}, and an embedding model needs a modules.json beside it."
        )
    return Description(
        kind="nli",
        config=config,
        max_tokens=_window(folder, config),
        license=license_of(folder),
        labels=labels_by_column(folder.name, config.id2label),
    )


def _encoder(folder: Path, config: Config, prompt: str | None) -> Description:
    if config.model_type not in ENCODERS:
        raise UnsupportedModel(
            f"“{folder.name}” is of type “{config.model_type}”; as embedding models this export knows "
            f"{', '.join(sorted(ENCODERS))}."
        )
    if config.model_type == "qwen2":
        _check_sees_both_ways(folder, config)
    modules = {each.name: each.path for each in read(folder / "modules.json", tuple[Module, ...])}
    if "Pooling" not in modules or set(modules) - {"Transformer", "Pooling", "Dense", "Normalize"}:
        raise UnsupportedModel(
            f"“{folder.name}” is built of {', '.join(modules)}; this export knows Transformer, Pooling, Dense and Normalize."
        )
    dense = _dense(folder, modules["Dense"]) if "Dense" in modules else None
    return Description(
        kind="embedding",
        config=config,
        max_tokens=_window(folder, config),
        license=license_of(folder),
        pooling=_pooling(folder, modules["Pooling"]),
        dense=dense,
        prompt=_prompt(folder, prompt),
        dimensions=dense.outputs if dense else config.hidden_size,
    )


def _check_sees_both_ways(folder: Path, config: Config) -> None:
    """The same architecture serves chat models, whose words see only what stands before them.

    Stella's words see the whole sentence: the config says so, or points to modeling code of its own that does it.
    """
    says_nothing = config.is_causal is None and "AutoModel" not in config.auto_map
    if config.is_causal or says_nothing:
        raise UnsupportedModel(
            f"config.json of “{folder.name}” does not say that its words attend in both directions; if they do, add "
            "“is_causal”: false to it and export again."
        )


def _pooling(folder: Path, path: str) -> Literal["mean", "cls"]:
    config = read(folder / path / "config.json", dict[str, Any])
    switched_on = {name for name, on in config.items() if name.startswith("pooling_mode_") and on}
    modes = {str(config["pooling_mode"])} if "pooling_mode" in config else switched_on
    if not config.get("include_prompt", True):
        raise UnsupportedModel(f"“{folder.name}” leaves its prompt out of the pooling, which this export does not do.")
    match sorted(modes):
        case ["pooling_mode_mean_tokens"] | ["mean"]:
            return "mean"
        case ["pooling_mode_cls_token"] | ["cls"]:
            return "cls"
    raise UnsupportedModel(f"“{folder.name}” pools by {', '.join(sorted(modes))}; this export knows mean and cls.")


def _dense(folder: Path, path: str) -> Dense:
    config = read(folder / path / "config.json", DenseConfig)
    match config.activation:
        case "Identity" | "Tanh" as activation:
            return Dense(folder=path, inputs=config.in_features, outputs=config.out_features, activation=activation)
    raise UnsupportedModel(
        f"The dense layer of “{folder.name}” ends in {config.activation}; this export knows Identity and Tanh."
    )


def _prompt(folder: Path, wanted: str | None) -> str:
    said = read_if_there(folder / "config_sentence_transformers.json", Prompts).prompts
    prompts = {name: text for name, text in said.items() if text}
    if wanted == "" or (wanted is None and not prompts):
        return ""
    names = [name for name in prompts if (name.startswith("s2s") if wanted is None else name == wanted)]
    if len(names) != 1:
        raise BadInput(
            f"“{folder.name}” has the prompts {', '.join(prompts) or '(none)'}; name the one for comparing two sentences, or "
            "give an empty name for none."
        )
    return prompts[names[0]]


def _window(folder: Path, config: Config) -> int:
    sentences = read_if_there(folder / "sentence_bert_config.json", SentenceConfig)
    if sentences.do_lower_case:
        raise UnsupportedModel(f"“{folder.name}” wants its texts in lower case first, which this export does not do.")
    tokenizer = read_if_there(folder / "tokenizer_config.json", TokenizerConfig)
    positions = config.max_position_embeddings
    if positions and config.model_type in COUNTS_FROM_PADDING:
        positions -= (config.pad_token_id or 0) + 1
    said = (positions, tokenizer.model_max_length, sentences.max_seq_length)
    limits = [each for each in said if each]
    if not limits:
        raise BadInput(f"No file of “{folder.name}” says how many tokens it sees; get the complete model.")
    return int(min(limits))

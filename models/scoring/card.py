"""What is known of one scoring model: the `card.json` that lies beside its `model.onnx` and `tokenizer.json`."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from core.durable import write_durably
from core.errors import DamagedModel, UnsupportedModel
from core.ports import ScorerGrade
from models.durable import writing
from models.registry import Sha256

MODEL_FILE = "model.onnx"
DATA_FILE = "model.onnx.data"
"""Weights too large for one file; there only where the card has their checksum."""
TOKENIZER_FILE = "tokenizer.json"
CARD_FILE = "card.json"

Kind = Literal["nli", "embedding"]
Share = Annotated[float, Meta(ge=0, le=1)]


class ProbeResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model made of the probes in `probes.toml`, and the grade that follows from it."""

    probes_sha256: Sha256
    """Of the probes file: another file, another result."""
    pairs: int
    found: Share | None = None
    """NLI: share of contradictory pairs with P(contradiction) > 0.7."""
    false_alarms: Share | None = None
    """NLI: share of pairs that say the same with P(contradiction) > 0.7."""
    other_alarms: Share | None = None
    """NLI: share of pairs about different aspects with P(contradiction) > 0.7."""
    auc: Share | None = None
    """NLI: area under the curve, contradiction against both other classes.
    Embedding: area under the curve of the cosine, pairs that say the same against pairs about different aspects."""
    grade: ScorerGrade


class ScorerCard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    """Also the name of the folder on the shelf."""
    title: str
    kind: Kind
    architecture: str
    """As the model's own config names it, for instance `DebertaV2ForSequenceClassification`."""
    license: str | None
    """`None`: the files do not say."""
    attribution: tuple[str, ...] = ()
    """Sources and their licenses, one a line."""
    model_sha256: Sha256
    model_bytes: Annotated[int, Meta(gt=0)]
    data_sha256: Sha256 | None = None
    """Of `model.onnx.data` beside the model; `None`: the model is one file, and there must be no other."""
    tokenizer_sha256: Sha256
    precision: Literal["fp32", "fp16", "int8"]
    """How the weights are stored."""
    max_tokens: Annotated[int, Meta(gt=8)]
    """The window, special tokens included. Longer texts are refused, never cut."""
    pad_token_id: Annotated[int, Meta(ge=0)] = 0
    labels: tuple[str, ...] = ()
    """NLI: names of the output columns in their order, lower case, read from the model's own config; `contradiction` is
    among them."""
    pooling: Literal["mean", "cls", "none"] | None = None
    """Embedding: how `last_hidden_state` becomes one vector; `none`: the graph gives it as `sentence_embedding`."""
    prompt: str = ""
    """Embedding: text before every sentence, for sentence-to-sentence similarity."""
    dimensions: int | None = None
    """Embedding: length of the vector."""
    opset: int
    made_with: tuple[str, ...] = ()
    """Versions of what made the graph, `name==version`."""
    source: str
    """Where the weights came from, as a person would look for them: a hub name with revision, or a package."""
    parity: dict[str, float] | None = None
    """Differences from the PyTorch model that the export measured, by name. `None`: the graph was not made here."""
    probes: ProbeResult | None = None
    """`None`: not measured yet; the scorer measures it when the model is taken in."""


def read_card(text: str | bytes) -> ScorerCard:
    """Raises `msgspec.ValidationError`, whose message quotes no more than the card."""
    return msgspec.json.decode(text, type=ScorerCard, strict=True)


def card_in(folder: Path) -> ScorerCard:
    """The card in a folder.

    Raises `DamagedModel` where it is missing or unreadable, `UnsupportedModel` where such a model cannot serve.
    """
    try:
        card = read_card((folder / CARD_FILE).read_bytes())
    except FileNotFoundError:
        raise DamagedModel(f"“{folder.name}” has no {CARD_FILE} and is not used; add the model again.") from None
    except (OSError, msgspec.MsgspecError) as error:
        raise DamagedModel(
            f"{CARD_FILE} of “{folder.name}” cannot be read ({error}); remove the model and add it again."
        ) from error
    if card.kind == "nli" and "contradiction" not in card.labels:
        raise UnsupportedModel(_without_contradiction(card.title, card.labels))
    if card.kind == "embedding" and (card.pooling is None or card.dimensions is None):
        raise UnsupportedModel(
            f"The card of “{card.title}” does not say how a vector is made (pooling and dimensions); export the model again."
        )
    return card


def write_card(folder: Path, card: ScorerCard) -> None:
    """Raises `NotWritable`."""
    path = folder / CARD_FILE
    with writing(path):
        write_durably(path, msgspec.json.format(msgspec.json.encode(card)) + b"\n", mode=0o644)


def checksums(card: ScorerCard) -> dict[str, Sha256]:
    """What each file beside the card must be, by name."""
    files = {MODEL_FILE: card.model_sha256, TOKENIZER_FILE: card.tokenizer_sha256}
    return files if card.data_sha256 is None else {**files, DATA_FILE: card.data_sha256}


def labels_by_column(title: str, names: dict[int, str]) -> tuple[str, ...]:
    """Labels in the order of the output columns, lower case. Raises `UnsupportedModel` without `contradiction` in them."""
    labels = tuple(names[column].lower() for column in sorted(names))
    if "contradiction" not in labels or sorted(names) != list(range(len(names))):
        raise UnsupportedModel(_without_contradiction(title, labels))
    return labels


def _without_contradiction(title: str, labels: tuple[str, ...]) -> str:
    return (
        f"“{title}” gives {', '.join(labels) or 'no labels'}, but none called “contradiction”; choose a model trained "
        "for natural language inference (NLI) with three classes."
    )

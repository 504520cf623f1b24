"""A folder as model hubs give it, without a card of ours: NLI models with an ONNX file are taken in as they are.

What the files say is believed only where it cannot be measured; whether the model is good for anything, the probes tell.
"""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from core.errors import BadInput, DamagedModel, UnsupportedModel
from models.durable import file_sha256
from models.scoring.card import MODEL_FILE, TOKENIZER_FILE, ScorerCard, labels_by_column
from models.scoring.onnx_file import read_onnx

CONFIG_FILE = "config.json"
COUNTS_FROM_PADDING = {"roberta", "xlm-roberta", "camembert", "mpnet"}
"""These number positions from behind the padding token on, so their window is smaller than their table of positions."""


class _Config(Struct, frozen=True, kw_only=True):
    """What is needed of a config.json; everything else in it is left unread."""

    architectures: tuple[str, ...] = ()
    model_type: str = ""
    id2label: dict[int, str] = {}
    max_position_embeddings: int | None = None
    pad_token_id: int | None = None


def files_in(source: Path) -> dict[str, Path]:
    """The three files of a hub folder: the graph may lie in `onnx/`, and that may be the folder that was given.

    Raises `BadInput` where one is missing.
    """
    above = (source.parent,) if source.name == "onnx" else ()
    found = {}
    for name in (MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE):
        places = [folder / name for folder in (source, source / "onnx", *above) if (folder / name).is_file()]
        if not places:
            raise BadInput(
                f"“{source.name}” has no {name}; choose a folder made by the export, or one with {MODEL_FILE}, {TOKENIZER_FILE} "
                f"and {CONFIG_FILE}."
            )
        found[name] = places[0]
    return found


def describe(source: Path, files: dict[str, Path]) -> ScorerCard:
    """A card for an NLI model. Raises `DamagedModel`, `UnsupportedModel`."""
    name = _name(source)
    try:
        config = msgspec.json.decode(files[CONFIG_FILE].read_bytes(), type=_Config)
    except (OSError, msgspec.MsgspecError) as error:
        raise DamagedModel(f"{CONFIG_FILE} of “{name}” cannot be read ({error}); download it again.") from error
    labels = labels_by_column(name, config.id2label)
    if config.max_position_embeddings is None or config.pad_token_id is None:
        raise UnsupportedModel(
            f"{CONFIG_FILE} of “{name}” tells no window or no padding token; export the model instead."
        )
    facts = read_onnx(files[MODEL_FILE])
    if facts.other_files:
        raise UnsupportedModel(f"“{name}” keeps its weights beside the graph; export the model instead.")
    before_first = config.pad_token_id + 1 if config.model_type in COUNTS_FROM_PADDING else 0
    return ScorerCard(
        id=re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("._-") or "nli",
        title=name,
        kind="nli",
        architecture=", ".join(config.architectures) or config.model_type,
        license=None,
        model_sha256=file_sha256(files[MODEL_FILE]),
        model_bytes=files[MODEL_FILE].stat().st_size,
        tokenizer_sha256=file_sha256(files[TOKENIZER_FILE]),
        precision=facts.precision,
        max_tokens=config.max_position_embeddings - before_first,
        pad_token_id=config.pad_token_id,
        labels=labels,
        opset=facts.opset,
        source=f"taken in as it was, from a folder called {name}",
    )


def _name(source: Path) -> str:
    """What the model is called: the folder, or the repository where a hub client keeps it under the revision's number."""
    folder = source.parent if source.name == "onnx" else source
    if folder.parent.name == "snapshots":
        return folder.parent.parent.name.rsplit("--", 1)[-1]
    return folder.name

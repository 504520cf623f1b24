"""The JSON files that lie beside the weights of a model, as far as an export reads them."""

import re
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from core.errors import BadInput, DamagedModel

T = TypeVar("T")


class Config(Struct, frozen=True, kw_only=True):
    """config.json of `transformers`."""

    model_type: str
    architectures: tuple[str, ...] | None = None
    hidden_size: int | None = None
    num_attention_heads: int | None = None
    max_position_embeddings: int | None = None
    pad_token_id: int | None = None
    type_vocab_size: int | None = None
    id2label: dict[int, str] = {}
    is_causal: bool | None = None
    """`None`: not said."""
    auto_map: dict[str, str | list[str | None]] = {}
    """Classes that the model brings as code of its own."""

    @property
    def architecture(self) -> str:
        return self.architectures[0] if self.architectures else self.model_type


class TokenizerConfig(Struct, frozen=True, kw_only=True):
    """tokenizer_config.json of `transformers`."""

    model_max_length: float | None = None
    """Astronomical where nobody set it."""
    add_eos_token: bool | None = None


class Module(Struct, frozen=True, kw_only=True):
    """One step of modules.json of `sentence-transformers`."""

    path: str
    type: str

    @property
    def name(self) -> str:
        return self.type.rsplit(".", 1)[-1]


class DenseConfig(Struct, frozen=True, kw_only=True):
    in_features: int
    out_features: int
    activation_function: str

    @property
    def activation(self) -> str:
        return self.activation_function.rsplit(".", 1)[-1]


class SentenceConfig(Struct, frozen=True, kw_only=True):
    """sentence_bert_config.json."""

    max_seq_length: int | None = None
    do_lower_case: bool = False


class Prompts(Struct, frozen=True, kw_only=True):
    """config_sentence_transformers.json."""

    prompts: dict[str, str] = {}


def read(path: Path, record: type[T]) -> T:
    """Raises `BadInput` where the file is missing, `DamagedModel` where it does not hold such a record."""
    if not path.is_file():
        raise BadInput(f"“{path.parent.name}” has no {path.name}; give the complete folder of the model.")
    try:
        return msgspec.json.decode(path.read_bytes(), type=record)
    except msgspec.DecodeError as error:  # a ValidationError is one
        raise DamagedModel(
            f"{path.name} of “{path.parent.name}” cannot be read ({error}); get the model again."
        ) from error


def read_if_there(path: Path, record: type[T]) -> T:
    """A missing file is one that says nothing."""
    return read(path, record) if path.is_file() else record()


def license_of(folder: Path) -> str | None:
    """From the front matter of the model's README; `None` where it does not say."""
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    front = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    found = re.search(r"^license:\s*[\"']?([\w.-]+)", front[1], re.MULTILINE) if front else None
    return found[1] if found else None

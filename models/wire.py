"""What the engine processes and their clients say to each other: one JSON object a line."""

from typing import Literal

import msgspec
from msgspec import Struct

from core.ports import (
    Address,
    ChatRequest,
    Contradictions,
    ModelIdentity,
    PromptEvaluated,
    Reply,
    ScorerIdentity,
    Similarities,
    TextGrown,
)
from models.scoring.card import ProbeResult


class Ask(Struct, frozen=True, tag=True):
    requests: tuple[ChatRequest, ...]


class Compare(Struct, frozen=True, tag=True):
    """Answered with `Similarities`."""

    texts: tuple[str, ...]


class Confront(Struct, frozen=True, tag=True):
    """Answered with `Contradictions`."""

    pairs: tuple[tuple[str, str], ...]


class Stop(Struct, frozen=True, tag=True):
    """Stop the work that runs; without any it means nothing."""


class Ready(Struct, frozen=True, tag=True):
    """The model is loaded."""

    identity: ModelIdentity


class ScorerReady(Struct, frozen=True, tag=True):
    """Both models of the scorer are loaded."""

    identity: ScorerIdentity


class Probed(Struct, frozen=True, tag=True):
    """One scoring model was loaded and put to the probes."""

    result: ProbeResult


class Finished(Struct, frozen=True, tag=True):
    address: Address
    reply: Reply


class Done(Struct, frozen=True, tag=True):
    """The batch is over; every reply was sent before."""


class Refused(Struct, frozen=True, tag=True):
    """The work, or the loading of the model, ended without success."""

    kind: Literal[
        "BadInput",
        "CaseTooLong",
        "TextTooLong",
        "EngineFailed",
        "UnsupportedModel",
        "DamagedModel",
        "Stopped",
        "bug",
    ]
    sentence: str
    """For a bug its type and the places in our code, never its message: that may quote the case."""


ToEngine = Ask | Stop
EngineSays = Ready | Finished | Done | PromptEvaluated | TextGrown
ToScorer = Compare | Confront | Stop
ScorerSays = ScorerReady | Probed | Similarities | Contradictions

encode = msgspec.json.Encoder().encode
to_engine = msgspec.json.Decoder(ToEngine).decode
from_engine = msgspec.json.Decoder(EngineSays | Refused).decode
to_scorer = msgspec.json.Decoder(ToScorer).decode
from_scorer = msgspec.json.Decoder(ScorerSays | Refused).decode

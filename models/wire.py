"""What the engine process and its client say to each other: one JSON object a line."""

from typing import Literal

import msgspec
from msgspec import Struct

from core.ports import Address, ChatRequest, ModelIdentity, PromptEvaluated, Reply, TextGrown


class Ask(Struct, frozen=True, tag=True):
    requests: tuple[ChatRequest, ...]


class Stop(Struct, frozen=True, tag=True):
    """Stop the batch that runs; without one it means nothing."""


class Ready(Struct, frozen=True, tag=True):
    """The model is loaded."""

    identity: ModelIdentity


class Finished(Struct, frozen=True, tag=True):
    address: Address
    reply: Reply


class Done(Struct, frozen=True, tag=True):
    """The batch is over; every reply was sent before."""


class Refused(Struct, frozen=True, tag=True):
    """The batch, or the loading of the model, ended without success."""

    kind: Literal["CaseTooLong", "EngineFailed", "UnsupportedModel", "DamagedModel", "Stopped", "bug"]
    sentence: str
    """For a bug its type and the places in our code, never its message: that may quote the case."""


ToEngine = Ask | Stop
FromEngine = Ready | Finished | Done | Refused | PromptEvaluated | TextGrown

encode = msgspec.json.Encoder().encode
to_engine = msgspec.json.Decoder(ToEngine).decode
from_engine = msgspec.json.Decoder(FromEngine).decode

"""From a request to the tokens of its prompt; what does not fit is left out by whole blocks, or refused."""

from collections.abc import Sequence

from msgspec import Struct

from core.errors import CaseTooLong
from core.ports import ChatRequest
from models.gguf.weights import Weights

CHARS_PER_TOKEN = 3
"""English text has about four characters a token; three leaves room for names and numbers."""
RESERVE_PARTS = 16
"""At most this part of the context is kept free for a reply. Few replies need it; one that needs more is no answer."""


class Prompt(Struct, frozen=True, kw_only=True):
    tokens: tuple[int, ...]
    left_out: tuple[int, ...]
    shared: int
    """How many of the tokens stand before the own part: the same for all who are asked the same."""
    reserve: int
    """Tokens kept free for the reply."""


def prompts(weights: Weights, requests: Sequence[ChatRequest]) -> tuple[Prompt, ...]:
    """One prompt a request. Requests with the same shared blocks leave out the same ones, so that they go on sharing.

    Raises `CaseTooLong`, with the numbers, where even the shortest form of a prompt does not fit.
    """
    needs = [_need(weights, request) for request in requests]
    room: dict[tuple[str, ...], int] = {}
    for request, (fixed, reserve) in zip(requests, needs, strict=True):
        key = tuple(block.text for block in request.shared)
        room[key] = min(room.get(key, weights.context_tokens), weights.context_tokens - fixed - reserve)
    made = []
    for request, (_, reserve) in zip(requests, needs, strict=True):
        left_out = _left_out(weights, request, room[tuple(block.text for block in request.shared)])
        made.append(_prompt(weights, request, left_out, reserve))
    return tuple(made)


def _need(weights: Weights, request: ChatRequest) -> tuple[int, int]:
    """Tokens of the parts that are never left out (frame, rules, own part), and of the reply."""
    frame = len(weights.opening()) + len(weights.tokens(weights.frame.between, True))
    frame += len(weights.tokens(weights.frame.after, True))
    fixed = frame + len(weights.tokens(request.system)) + len(weights.tokens(request.own))
    return fixed, min(request.form.most_chars() // CHARS_PER_TOKEN, weights.context_tokens // RESERVE_PARTS)


def _left_out(weights: Weights, request: ChatRequest, room: int) -> tuple[int, ...]:
    """Oldest droppable blocks, as many as must go for the others to fit into `room` tokens."""
    sizes = [len(weights.tokens(block.text)) for block in request.shared]
    left_out: list[int] = []
    for index, block in enumerate(request.shared):
        if sum(sizes) - sum(sizes[i] for i in left_out) <= room:
            return tuple(left_out)
        if block.droppable:
            left_out.append(index)
    needed = sum(sizes) - sum(sizes[i] for i in left_out)
    if needed <= room:
        return tuple(left_out)
    stage, whole = request.address.split("/")[0], needed + weights.context_tokens - room
    raise CaseTooLong(
        f"This case needs {whole} tokens at {stage}, the model {weights.model_id} reads {weights.context_tokens}. Shorten the "
        "vignette, use fewer specialists, or choose a model with a longer context."
    )


def _prompt(weights: Weights, request: ChatRequest, left_out: tuple[int, ...], reserve: int) -> Prompt:
    tokens = [*weights.opening(), *weights.tokens(request.system), *weights.tokens(weights.frame.between, True)]
    for index, block in enumerate(request.shared):
        if index not in left_out:
            tokens += weights.tokens(block.text)
    shared = len(tokens)
    tokens += weights.tokens(request.own)
    tokens += weights.tokens(weights.frame.after, True)
    return Prompt(tokens=tuple(tokens), left_out=left_out, shared=shared, reserve=reserve)

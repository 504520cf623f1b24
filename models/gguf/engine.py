"""The batched engine: `core.ports.ChatModel` over one GGUF file."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ports import (
    Address,
    CancelToken,
    ChatRequest,
    ModelIdentity,
    PromptEvaluated,
    Reply,
    TextGrown,
    Watch,
)  # fmt: skip
from models.gguf.calibration import measured_threads
from models.gguf.context import Context, Item
from models.gguf.prefix_tree import Node, common_prefix, nodes
from models.gguf.prompt import CHARS_PER_TOKEN, Prompt, prompts
from models.gguf.weights import Weights
from models.gguf.writer import Writer

MOST_SEQUENCES = 25
"""Requests that decode at once; more are asked in several batches. Sequence 0 keeps the shared prefix."""
FIRST_CELLS = 16384
"""Memory that is asked for at first: making it larger later would mean to evaluate the board anew."""
CALIBRATION_CELLS = 512
ONE_FIELD_CHARS = 400
"""Room for a reply that may end behind its first field."""
BYTE_VOCABULARY = 1000
"""A vocabulary smaller than this spells letter by letter, one token a character."""


class Seat:
    """A request while it runs: its prompt, its writer, its place in the memory."""

    def __init__(self, weights: Weights, request: ChatRequest, prompt: Prompt, sequence: int) -> None:
        self.request, self.prompt, self.sequence = request, prompt, sequence
        self.writer = Writer(weights, request)
        self.start = (*prompt.tokens, *self.writer.pending)
        """Prompt and the first label: everything that is evaluated before the first token is drawn."""
        self.writer.pending = []
        self.position = len(self.start)
        self.evaluated = 0

    def reply(self, identity: ModelIdentity, seconds: float) -> Reply:
        return Reply(
            text=self.writer.text,
            ended="complete" if self.writer.complete else "context_full",
            prompt_tokens=len(self.prompt.tokens),
            evaluated_tokens=self.evaluated,
            decoded_tokens=self.writer.decoded,
            forced_tokens=self.writer.forced,
            seconds=seconds,
            left_out=self.prompt.left_out,
            model=identity,
        )


class GgufModel:
    """One loaded model. Not for several threads at once; `cancel` may be set from any thread.

    Requests of one call decode together. Their longest common prefix is computed once and kept for the next call, so a board
    that only grows is never evaluated twice. Requests marked `alone` are asked one by one in an emptied memory that holds
    nothing but the shared part of these questions.
    Raises as `core.ports.ChatModel` says.
    """

    def __init__(self, path: Path, model_id: str, sha256: str, threads: tuple[int, int] | None = None) -> None:
        self.weights = Weights(path, model_id, sha256)
        self._context = Context(self.weights, MOST_SEQUENCES + 1, threads or (1, 1))
        self._kept: tuple[int, ...] = ()
        """Tokens in sequence 0."""
        self.constraint_s = 0.0
        """Seconds spent on masks, drawing and forms since the model was loaded."""
        self._context.reserve(CALIBRATION_CELLS)
        self.threads = threads or measured_threads(self._context)
        self._context.set_threads(*self.threads)

    @property
    def identity(self) -> ModelIdentity:
        return self.weights.identity

    def close(self) -> None:
        self._context.close()
        self.weights.close()

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        ready = list(zip(requests, prompts(self.weights, requests), strict=True))
        together = [pair for pair in ready if self._shares(pair[0])]
        lone = [pair for pair in ready if not self._shares(pair[0])]
        for start in range(0, len(together), MOST_SEQUENCES):
            yield from self._batch(together[start : start + MOST_SEQUENCES], watch, cancel)
        if lone:
            self._forget()
        for pair in lone:
            yield from self._batch([pair], watch, cancel)
            if not self.weights.copies_memory:
                self._forget()
        if lone:
            self._forget()

    def _shares(self, request: ChatRequest) -> bool:
        return not request.alone and self.weights.copies_memory

    def _forget(self) -> None:
        self._context.clear()
        self._kept = ()

    def _batch(
        self, asked: Sequence[tuple[ChatRequest, Prompt]], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        started = time.perf_counter()
        seats = [Seat(self.weights, request, prompt, n) for n, (request, prompt) in enumerate(asked, start=1)]
        if self._context.reserve(self._cells(seats), wished=FIRST_CELLS):
            self._kept = ()
        try:
            running = self._evaluate_prompts(seats, watch, cancel)
            while running:
                ended = [seat for seat in running if seat.writer.complete or self._full(seat, running)]
                for seat in ended:
                    running.remove(seat)
                    self._context.cut(seat.sequence, 0)
                    yield seat.request.address, seat.reply(self.identity, time.perf_counter() - started)
                if not ended:  # else look again: what the others are about to add may still be too much
                    self._step(running, watch, cancel)
        except BaseException:
            self._forget()  # stopped, failed or given up half-way: what the memory holds is no longer known
            raise

    def _cells(self, seats: Sequence[Seat]) -> int:
        """Tokens of all prompts, shared ones counted once, and of the longest replies that the forms allow."""
        spelled = 1 if self.weights.n_vocab < BYTE_VOCABULARY else CHARS_PER_TOKEN
        shared = common_prefix([seat.start for seat in seats])
        replies = sum(_most_chars(seat.request) // spelled for seat in seats)
        return shared + sum(len(seat.start) - shared for seat in seats) + replies + 64

    def _full(self, seat: Seat, running: Sequence[Seat]) -> bool:
        """The sequence reached the model's context, or the memory is used up and this is the longest reply."""
        if seat.position + len(seat.writer.pending) >= self.weights.context_tokens:
            return True
        shared = len(self._kept)
        used = shared + sum(other.position - shared + len(other.writer.pending) for other in running)
        longest = max(running, key=lambda other: other.position + len(other.writer.pending))
        return used >= self._context.cells and seat is longest

    def _evaluate_prompts(self, seats: list[Seat], watch: Watch, cancel: CancelToken) -> list[Seat]:
        """Bring every prompt into the memory, each shared token once, and draw the first tokens."""
        starts = [seat.start for seat in seats]
        shared = self._shared_length(seats)
        kept = min(common_prefix([self._kept, starts[0]]), shared) if self._kept else 0
        self._context.cut(0, kept)
        for seat in seats:
            self._context.copy(0, seat.sequence, kept)
        tree = nodes(starts, kept)
        done = 0

        def report(count: int) -> None:
            nonlocal done
            done += count
            watch(PromptEvaluated(done=done, total=len(tree)))

        # The shared part by itself: what it is evaluated to then depends on nothing that stands behind it.
        prefix = [_item(seats, node, kept_as=(0,)) for node in tree if node.position < shared]
        self._context.evaluate(prefix, cancel, report)
        self._kept = starts[0][:shared]
        rest = [node for node in tree if node.position >= shared]
        logits = self._context.evaluate([_item(seats, node) for node in rest], cancel, report)
        for node in tree:
            first = seats[node.members[0]]
            first.evaluated += node.position < len(first.prompt.tokens)
        for node, row in zip([node for node in rest if _ending(seats, node)], logits, strict=True):
            for seat in _ending(seats, node):
                self._write(seat, row, watch)
        return list(seats)

    def _shared_length(self, seats: Sequence[Seat]) -> int:
        """Tokens at the start that go into sequence 0 and are kept: of a batch the common prefix, of a lone request its
        shared part, so that it is evaluated alike whoever else is asked."""
        if not self.weights.copies_memory:
            return 0  # a state that cannot be copied cannot be kept for later either
        if seats[0].request.alone:
            return seats[0].prompt.shared
        starts = [seat.start for seat in seats]
        return min(common_prefix(starts), min(map(len, starts)) - 1)

    def _step(self, running: Sequence[Seat], watch: Watch, cancel: CancelToken) -> None:
        """Evaluate what all writers appended and draw one more token for each of them."""
        items = []
        for seat in running:
            pending = seat.writer.pending
            for index, token in enumerate(pending):
                items.append(Item(token, seat.position + index, (seat.sequence,), index == len(pending) - 1))
            seat.position += len(pending)
            seat.writer.pending = []
        for seat, row in zip(running, self._context.evaluate(items, cancel), strict=True):
            self._write(seat, row, watch)

    def _write(self, seat: Seat, logits: NDArray[np.float32], watch: Watch) -> None:
        started = time.perf_counter()
        before = seat.writer.decoded + seat.writer.forced
        piece = seat.writer.advance(logits)
        self.constraint_s += time.perf_counter() - started
        tokens = seat.writer.decoded + seat.writer.forced - before
        watch(TextGrown(address=seat.request.address, piece=piece, tokens=tokens))


def _most_chars(request: ChatRequest) -> int:
    return request.form.most_chars() if request.until is None else min(request.form.most_chars(), ONE_FIELD_CHARS)


def _ending(seats: Sequence[Seat], node: Node) -> tuple[Seat, ...]:
    """The seats whose prompt ends with this node: its logits decide their first token."""
    members = (seats[member] for member in node.members)
    return tuple(seat for seat in members if node.position == len(seat.start) - 1)


def _item(seats: Sequence[Seat], node: Node, kept_as: tuple[int, ...] = ()) -> Item:
    sequences = (*kept_as, *(seats[member].sequence for member in node.members))
    return Item(node.token, node.position, sequences, bool(_ending(seats, node)))

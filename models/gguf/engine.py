"""The batched engine: `core.ports.ChatModel` over one GGUF file."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

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
from models.gguf.prefix_tree import common_prefix, nodes
from models.gguf.prompt import CHARS_PER_TOKEN, Prompt, prompts
from models.gguf.weights import Weights
from models.gguf.writer import Writer

MOST_SEQUENCES = 25
"""Requests that decode at once; more are asked in several batches. Sequence 0 keeps the shared prefix."""
FIRST_CELLS = 8192
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
    that only grows is never evaluated twice. Requests marked `alone` are asked one by one, each from an empty memory.
    Raises as `core.ports.ChatModel` says.
    """

    def __init__(self, path: Path, model_id: str, sha256: str, threads: tuple[int, int] | None = None) -> None:
        self.weights = Weights(path, model_id, sha256)
        self._context = Context(self.weights, MOST_SEQUENCES + 1, threads or (1, 1))
        self._kept: tuple[int, ...] = ()
        """Tokens in sequence 0."""
        self._context.reserve(min(FIRST_CELLS, max(self.weights.context_tokens, 512)))
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
        together = [pair for pair in ready if not pair[0].alone and self.weights.copies_memory]
        for start in range(0, len(together), MOST_SEQUENCES):
            yield from self._batch(together[start : start + MOST_SEQUENCES], watch, cancel)
        for pair in ready:
            if pair not in together:
                self._forget()
                yield from self._batch([pair], watch, cancel)
                self._forget()

    def _forget(self) -> None:
        self._context.clear()
        self._kept = ()

    def _batch(
        self, asked: Sequence[tuple[ChatRequest, Prompt]], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        started = time.perf_counter()
        seats = [Seat(self.weights, request, prompt, n) for n, (request, prompt) in enumerate(asked, start=1)]
        if self._context.reserve(self._cells(seats)):
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
        replies = sum(seat.request.form.most_chars() // spelled for seat in seats)
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
        # a state that cannot be copied cannot be kept for later either
        shared = min(common_prefix(starts), min(map(len, starts)) - 1) if self.weights.copies_memory else 0
        kept = min(common_prefix([self._kept, starts[0]]), shared) if self._kept else 0
        self._context.cut(0, kept)
        for seat in seats:
            self._context.copy(0, seat.sequence, kept)
        items, owners = [], []
        for node in nodes(starts, kept):
            members = tuple(seats[member] for member in node.members)
            last = tuple(seat for seat in members if node.position == len(seat.start) - 1)
            sequences = tuple(seat.sequence for seat in members)
            if node.position < shared:
                sequences = (0, *sequences)
            items.append(Item(node.token, node.position, sequences, bool(last)))
            if node.position < len(members[0].prompt.tokens):
                members[0].evaluated += 1
            if last:
                owners.append(last)
        done = 0

        def report(count: int) -> None:
            nonlocal done
            done += count
            watch(PromptEvaluated(done=done, total=len(items)))

        logits = self._context.evaluate(items, cancel, report)
        self._kept = starts[0][:shared]
        for owner, row in zip(owners, logits, strict=True):
            for seat in owner:
                self._write(seat, row, watch)
        return list(seats)

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

    def _write(self, seat: Seat, logits: "object", watch: Watch) -> None:
        before = seat.writer.decoded + seat.writer.forced
        piece = seat.writer.advance(logits)  # type: ignore[arg-type]
        tokens = seat.writer.decoded + seat.writer.forced - before
        watch(TextGrown(address=seat.request.address, piece=piece, tokens=tokens))

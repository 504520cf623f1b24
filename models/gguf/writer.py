"""One specialist writing into a form: what may come next, what came, and when the form is complete."""

import codecs
import functools
import re

import llguidance
import llguidance.numpy as masks
import numpy as np
from llguidance import LLMatcher
from numpy.typing import NDArray

from core.forms import Step
from core.forms.expression import Expression, regex
from core.ports import ChatRequest
from models.gguf.sampling import draw
from models.gguf.weights import Weights

SENTENCE_END = re.compile(rb"(?:[a-z]{4,}|[0-9)%])[.!?]$")
"""The end of a sentence, and not of an abbreviation such as Dr. or vs."""


@functools.lru_cache(maxsize=2048)
def _prototype(tokenizer: llguidance.LLTokenizer, free: Expression) -> LLMatcher:
    return LLMatcher(tokenizer, LLMatcher.grammar_from_regex(regex(free)))


class Writer:
    """Fills in the form of one request, token by token. `pending` are tokens that wait to be evaluated."""

    def __init__(self, weights: Weights, request: ChatRequest) -> None:
        self._weights, self._request = weights, request
        self._random = np.random.default_rng(request.seed)
        self._mask = masks.allocate_token_bitmask(1, weights.n_vocab)
        self._walk = request.form.walk()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._matcher: LLMatcher | None = None
        self.pending: list[int] = []
        self.text = ""
        self.decoded = self.forced = 0
        self.complete = False
        self._free = b""
        self._line_end = weights.tokens("\n")[-1]
        self._enter(next(self._walk))

    def _enter(self, step: Step) -> None:
        """Begin a step: append what is forced; go on where nothing is left to the model."""
        self._step = step
        self._force(step.literal)
        if step.free is not None and step.default is None:
            self._free = b""
            self._matcher = _prototype(self._weights.tokenizer, step.free).deep_copy()
            return
        said = step.default or ""
        self._force(said)
        self._leave(said)

    def _force(self, text: str) -> None:
        if text:
            tokens = self._weights.tokens(text)
            self.pending += tokens
            self.forced += len(tokens)
            self.text += text

    def _leave(self, said: str) -> None:
        """The step is finished with `said`; enter the next one, if there is one and it is wanted."""
        if self._request.until is not None and self._step.label == self._request.until and said.endswith("\n"):
            self.complete = True
            return
        try:
            step = self._walk.send(said)
        except StopIteration:
            self.complete = True
            return
        self._enter(step)

    def advance(self, logits: NDArray[np.float32]) -> str:
        """Draw the next token from `logits`, append it and all that follows without choice; the text that was added."""
        assert self._matcher is not None
        assert not self.complete
        before = len(self.text)
        masks.fill_next_token_bitmask(self._matcher, self._mask, 0)
        token = draw(logits, self._mask[0], self._request.sampling, self._random)
        if self._step.one_sentence and self._starts_another_sentence(token):
            token = self._line_end
        if not self._matcher.consume_token(token):
            raise RuntimeError("the grammar refused a token that its own mask allows")
        self.decoded += 1
        self._take(token)
        follow = self._matcher.compute_ff_tokens()
        if follow:
            self._matcher.consume_tokens(follow)
            self.forced += len(follow)
            for token in follow:
                self._take(token)
        if self._matcher.is_stopped():
            self._leave(self._free.decode("utf-8"))
        return self.text[before:]

    def _starts_another_sentence(self, token: int) -> bool:
        """The text is a whole sentence, the line may end here, and the token would go on."""
        ended = SENTENCE_END.search(self._free) is not None and self._weights.piece(token)[:1] == b" "
        return ended and bool(self._mask[0][self._line_end >> 5] >> (self._line_end & 31) & 1)

    def _take(self, token: int) -> None:
        piece = self._weights.piece(token)
        self._free += piece
        self.text += self._decoder.decode(piece)
        self.pending.append(token)

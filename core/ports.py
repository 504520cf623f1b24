"""What the consultation asks of models, and the records that cross that line.

A stage builds `ChatRequest`s and hands them to a `ModelGate` all at once; the gate returns one `Reply` a request, in the same
order. Engines implement `ChatModel`. Both sides know only the records of this file.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NewType, Protocol

from msgspec import Struct

from core.forms import Form

Address = NewType("Address", str)
"""stage/speaker/attempt, for instance `r3/cardiology/1`. Unique within a case."""


class Sampling(Struct, frozen=True, kw_only=True):
    temperature: float
    """0 or more. 0 takes the likeliest token."""
    min_p: float = 0.05
    """0..1. Tokens less likely than this share of the likeliest one are never drawn."""


class Block(Struct, frozen=True, kw_only=True):
    """One piece of the text that all specialists share."""

    text: str
    droppable: bool = False
    """True for statements of rounds 1 and 2: they may be left out, oldest first, where the whole does not fit."""


class ChatRequest(Struct, frozen=True, kw_only=True):
    """One question to one specialist. Everything the answer depends on is in here."""

    address: Address
    system: str
    """Rules of the panel."""
    shared: tuple[Block, ...]
    """Findings, board and task: what is the same for the whole panel stands first, so that it is computed once."""
    own: str
    """Persona and whatever else only this specialist sees; stands last."""
    form: Form
    sampling: Sampling
    seed: int
    """0 .. 2**63-1."""
    alone: bool = False
    """True: asked by itself, from an empty state (the referee)."""
    until: str | None = None
    """Label of a field: the reply may end as soon as this field was filled in for the first time."""
    model: str = ""
    """Id of the model that shall answer; empty is the model of the panel."""


class ModelIdentity(Struct, frozen=True, kw_only=True):
    """Who really answered, as told by the engine and never by a setting."""

    model_id: str
    file_sha256: str
    """64 hex digits; of the script for a scripted model."""
    parameters: int
    """Number of weights; 0 for a scripted model."""
    quantization: str
    context_tokens: int
    """Tokens that the model was trained to see at once."""
    engine: str
    """Engine and version."""
    device: str
    notes: tuple[str, ...] = ()
    """Sentences for the clinician, for instance that the file has no chat template and a plain one is used."""


class Reply(Struct, frozen=True, kw_only=True):
    text: str
    """Exactly what was written, labels included."""
    ended: Literal["complete", "context_full", "repeated_picks"]
    """`complete`: the form (or its part up to `until`) is filled in. Anything else is no answer."""
    prompt_tokens: int
    evaluated_tokens: int
    """Prompt tokens evaluated for this request; a shared token counts for one request only."""
    decoded_tokens: int
    """Tokens that were sampled."""
    forced_tokens: int
    """Tokens that the form left no choice about; appended without sampling."""
    seconds: float
    left_out: tuple[int, ...] = ()
    """Indices into `ChatRequest.shared` of droppable blocks that did not fit and were left out."""
    model: ModelIdentity


ScorerGrade = Literal["validated", "limited", "demonstration only"]
"""What the probes of `models.scoring.probes` allow to be said of a scorer. Only the first two may warn a clinician."""


class ScorerIdentity(Struct, frozen=True, kw_only=True):
    """Which weights measured, as told by the scorer and never by a setting."""

    nli_id: str
    nli_sha256: str
    embedding_id: str
    embedding_sha256: str
    engine: str
    """Engine and version."""
    device: str
    """What really ran, for instance `CPU`."""
    grade: ScorerGrade
    notes: tuple[str, ...] = ()
    """Sentences for the reader, for instance that a GPU was asked for and could not be used."""


class SimilarityRequest(Struct, frozen=True, kw_only=True, tag=True):
    """Texts that are to be compared, each with each."""

    address: Address
    texts: tuple[str, ...]
    """Distinct, in the order of the rows and columns of the answer."""


class Similarities(Struct, frozen=True, kw_only=True, tag=True):
    cosines: tuple[tuple[float, ...], ...]
    """Cosine of the embeddings, -1..1; square and symmetric, rounded to six decimals."""
    scorer: ScorerIdentity


class ContradictionRequest(Struct, frozen=True, kw_only=True, tag=True):
    """Ordered text pairs, premise first."""

    address: Address
    pairs: tuple[tuple[str, str], ...]


class Contradictions(Struct, frozen=True, kw_only=True, tag=True):
    probabilities: tuple[float, ...]
    """P(contradiction | premise, hypothesis), 0..1, one a pair, rounded to six decimals."""
    scorer: ScorerIdentity


ScoringRequest = SimilarityRequest | ContradictionRequest
Scores = Similarities | Contradictions


class BatchAsked(Struct, frozen=True, kw_only=True, tag=True):
    """A stage asks these addresses now. Those with a reply in the log are not among them."""

    addresses: tuple[Address, ...]


class PromptEvaluated(Struct, frozen=True, kw_only=True, tag=True):
    """So many of the batch's prompt tokens have been evaluated."""

    done: int
    total: int


class TextGrown(Struct, frozen=True, kw_only=True, tag=True):
    """A specialist wrote on."""

    address: Address
    piece: str
    tokens: int
    """Tokens in this piece."""


class ReplyFinished(Struct, frozen=True, kw_only=True, tag=True):
    address: Address
    reply: Reply
    from_log: bool = False


class ScoringAsked(Struct, frozen=True, kw_only=True, tag=True):
    """Reasoning is compared now: so many texts or pairs of texts."""

    items: int


Signal = BatchAsked | PromptEvaluated | TextGrown | ReplyFinished | ScoringAsked
Watch = Callable[[Signal], None]
"""Called on the worker's thread while a batch runs; must return quickly and never raise."""


def unwatched(signal: Signal) -> None:
    """The watch of those who do not look."""


class CancelToken(Protocol):
    """`threading.Event` serves."""

    def is_set(self) -> bool: ...


class ChatModel(Protocol):
    """An engine with one model loaded."""

    @property
    def identity(self) -> ModelIdentity: ...

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        """Answer all requests as one batch; yield each reply as soon as it is finished, in any order.

        Raises `CaseTooLong` before anything is evaluated, `Stopped` when `cancel` is set (replies that were yielded
        before are whole), `EngineFailed` when the engine dies.
        """
        ...

    def close(self) -> None:
        """Free what it holds; after that it is not asked any more."""
        ...


class PairScorer(Protocol):
    """An NLI model and an embedding model.

    Both raise `TextTooLong` before anything is computed, `Stopped`, `EngineFailed` when the engine dies.
    """

    @property
    def identity(self) -> ScorerIdentity: ...

    def similarities(self, texts: Sequence[str], cancel: CancelToken) -> Similarities: ...

    def contradictions(self, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> Contradictions: ...

    def close(self) -> None:
        """Free what it holds; after that it is not asked any more."""
        ...


class ScoringGate(Protocol):
    """The only way from a stage to a scorer."""

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        """`None`: no scorer is installed, nothing was measured."""
        ...

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        """`None`: no scorer is installed, nothing was measured."""
        ...


class ModelGate(ScoringGate, Protocol):
    """The only way from a stage to a model. Looks into the log first, asks only what is missing, records every reply."""

    def ask_all(self, requests: Sequence[ChatRequest]) -> tuple[Reply, ...]:
        """One reply a request, in order. Raises as `ChatModel.ask_all`, and `LogMismatch`, `NotRecorded`."""
        ...

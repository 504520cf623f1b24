"""The gate to the models: looks into the log first, asks only what is missing, records every reply as it arrives."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Event as ThreadEvent

from core.domain.case import CaseId
from core.errors import EngineFailed, LogMismatch, NotRecorded, Stopped, UserError
from core.log.events import CallCancelled, CallFailed, CallFinished, PairsScored
from core.log.store import Library
from core.ports import (
    Address,
    BatchAsked,
    CancelToken,
    ChatModel,
    ChatRequest,
    ContradictionRequest,
    Contradictions,
    PairScorer,
    Reply,
    ReplyFinished,
    Scores,
    ScoringAsked,
    ScoringRequest,
    Similarities,
    SimilarityRequest,
    Watch,
    unwatched,
)

_TRIES = 2
"""A dead engine is asked once more: it is started anew for each batch."""


class Recorder:
    """`core.ports.ModelGate` over the log of one case. Without model and scorer it only replays."""

    def __init__(
        self,
        library: Library,
        case_id: CaseId,
        *,
        model: ChatModel | None = None,
        second_models: Mapping[str, ChatModel] | None = None,
        scorer: PairScorer | None = None,
        watch: Watch = unwatched,
        cancel: CancelToken | None = None,
    ) -> None:
        """`model` is the model of the panel; `second_models`, by id, answer the requests that name them.

        Raises `BadInput` for an unknown or erased case.
        """
        self._library = library
        self._case_id = case_id
        self._model = model
        self._second_models = second_models or {}
        self._scorer = scorer
        self._watch = watch
        self._cancel = cancel or ThreadEvent()
        events = library.events(case_id)
        self._calls = {event.request.address: event for event in events if isinstance(event, CallFinished)}
        self._pairs = {event.request.address: event for event in events if isinstance(event, PairsScored)}

    def ask_all(self, requests: Sequence[ChatRequest]) -> tuple[Reply, ...]:
        """One reply a request, in order.

        Raises `LogMismatch` where another request is recorded at an address, `NotRecorded` where there is no model to
        ask, `Stopped`, `CaseTooLong`, `EngineFailed` as the model does, `NotWritable` where a reply cannot be recorded.
        """
        addresses = [request.address for request in requests]
        if len(set(addresses)) < len(addresses):
            raise ValueError("two requests of one batch have the same address")
        recorded = [self._calls[address] for address in addresses if address in self._calls]
        for request in requests:
            if request.address in self._calls:
                _compare(self._calls[request.address].request, request)
        for call in recorded:
            self._watch(ReplyFinished(address=call.request.address, reply=call.reply, from_log=True))
        if missing := self._missing(requests):
            if self._model is None:
                raise NotRecorded(missing[0])
            models = {"": self._model, **self._second_models}
            for name in dict.fromkeys(request.model for request in requests):
                mine = [request for request in requests if request.model == name]
                self._attempt(partial(self._ask, models[name], mine), partial(self._missing, mine))
        return tuple(self._calls[address].reply for address in addresses)

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        """Cosines of the texts; None: no scorer was installed when this was first asked. Raises as `_scored`."""
        scores = self._scored(request)
        assert scores is None or isinstance(scores, Similarities)
        return scores

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        """Probabilities of the pairs; None: no scorer was installed when this was first asked. Raises as `_scored`."""
        scores = self._scored(request)
        assert scores is None or isinstance(scores, Contradictions)
        return scores

    def _scored(self, request: ScoringRequest) -> Scores | None:
        """Raises `LogMismatch`, `NotRecorded`, `Stopped`, `NotWritable`, and as the scorer does."""
        if request.address in self._pairs:
            _compare(self._pairs[request.address].request, request)
        elif self._scorer is None and self._model is None:
            raise NotRecorded(request.address)
        else:
            self._attempt(lambda: self._score(request), lambda: (request.address,))
        return self._pairs[request.address].scores

    def _missing(self, requests: Sequence[ChatRequest]) -> tuple[Address, ...]:
        return tuple(request.address for request in requests if request.address not in self._calls)

    def _attempt(self, ask: Callable[[], None], missing: Callable[[], tuple[Address, ...]]) -> None:
        """Run `ask`, once more after a dead engine; what is then still missing goes into the log with the reason."""
        for tries_left in reversed(range(_TRIES)):
            try:
                if self._cancel.is_set():
                    raise Stopped
                return ask()
            except Stopped as stop:
                self._record(CallCancelled(addresses=missing()), stop)
                raise
            except EngineFailed as error:
                if not tries_left:
                    self._record(CallFailed(addresses=missing(), sentence=str(error)), error)
                    raise
            except UserError as error:
                self._record(CallFailed(addresses=missing(), sentence=str(error)), error)
                raise
            except BaseException as error:
                # The text of a bug may quote the case; only its type is recorded.
                self._record(CallFailed(addresses=missing(), sentence=type(error).__name__), error)
                raise

    def _ask(self, model: ChatModel, requests: Sequence[ChatRequest]) -> None:
        missing = self._missing(requests)
        if not missing:
            return
        waiting = {request.address: request for request in requests if request.address in missing}
        self._watch(BatchAsked(addresses=missing))
        for address, reply in model.ask_all(tuple(waiting.values()), self._watch, self._cancel):
            call = CallFinished(request=waiting.pop(address), reply=reply)
            self._library.append(self._case_id, call)
            self._calls[address] = call
            self._watch(ReplyFinished(address=address, reply=reply))
        if waiting:
            raise EngineFailed(
                f"The engine ended without answering {len(waiting)} of {len(missing)} calls; resume the case."
            )

    def _score(self, request: ScoringRequest) -> None:
        scores = None
        if self._scorer is not None:
            items = request.texts if isinstance(request, SimilarityRequest) else request.pairs
            self._watch(ScoringAsked(items=len(items)))
            scores = _measured(self._scorer, request, self._cancel)
        scored = PairsScored(request=request, scores=scores)
        self._library.append(self._case_id, scored)
        self._pairs[request.address] = scored

    def _record(self, ending: CallCancelled | CallFailed, error: BaseException) -> None:
        try:
            self._library.append(self._case_id, ending)
        except UserError as unrecorded:  # a full disk cannot record that it is full
            error.add_note(f"not recorded: {type(unrecorded).__name__}")


def _compare(recorded: ChatRequest | ScoringRequest, asked: ChatRequest | ScoringRequest) -> None:
    if recorded != asked:
        raise LogMismatch(asked.address)


def _measured(scorer: PairScorer, request: ScoringRequest, cancel: CancelToken) -> Scores:
    """Raises `ValueError` where the scorer gave another number of scores than it was asked for."""
    if isinstance(request, SimilarityRequest):
        similar = scorer.similarities(request.texts, cancel)
        if {len(row) for row in similar.cosines} | {len(similar.cosines)} != {len(request.texts)}:
            raise ValueError("the scorer did not give one cosine a pair of texts")
        return similar
    contradictory = scorer.contradictions(request.pairs, cancel)
    if len(contradictory.probabilities) != len(request.pairs):
        raise ValueError("the scorer did not give one probability a pair")
    return contradictory

"""The gate asks a model only what the log does not hold, and loses nothing that a model has answered."""

import secrets
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.case import Vignette
from core.errors import (
    CaseTooLong,
    EngineFailed,
    LogMismatch,
    NotRecorded,
    NotWritable,
    Stopped,
)
from core.forms import Form, Text
from core.log.casebook import open_case
from core.log.events import CallCancelled, CallFailed, CallFinished, PairsScored
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import (
    Address,
    BatchAsked,
    Block,
    CancelToken,
    ChatRequest,
    ContradictionRequest,
    Contradictions,
    ModelIdentity,
    Reply,
    ReplyFinished,
    Sampling,
    ScorerIdentity,
    Signal,
    Similarities,
    SimilarityRequest,
    TextGrown,
    Watch,
)
from core.settings import ConsultSettings

IDENTITY = ModelIdentity(
    model_id="tiny", file_sha256="0" * 64, parameters=0, quantization="none", context_tokens=100, engine="tiny 1",
    device="none",
)  # fmt: skip
FORM = Form(name="relevance", fields=(Text(label="WHY", max_chars=80),))
SCORER = ScorerIdentity(
    nli_id="tiny-nli", nli_sha256="0" * 64, embedding_id="tiny-embedding", embedding_sha256="0" * 64, engine="tiny 1",
    device="none", grade="demonstration only",
)  # fmt: skip
PAIRS = ContradictionRequest(address=Address("cara/contradiction/1"), pairs=(("a", "b"), ("b", "c")))
TEXTS = SimilarityRequest(address=Address("cara/similarity/1"), texts=("a", "b"))
SCORES = Contradictions(probabilities=(0.1, 0.9), scorer=SCORER)
COSINES = Similarities(cosines=((1.0, 0.5), (0.5, 1.0)), scorer=SCORER)


def request(speaker: str, own: str = "Say why.") -> ChatRequest:
    return ChatRequest(
        address=Address(f"r1/{speaker}/1"),
        system="Rules.",
        shared=(Block(text="S1 Chest pain."),),
        own=own,
        form=FORM,
        sampling=Sampling(temperature=0.3),
        seed=5,
    )


REQUESTS = tuple(request(speaker) for speaker in ("cardiology", "neurology", "surgery"))
ADDRESSES = tuple(asked.address for asked in REQUESTS)


class TinyModel:
    """Answers the last request first. Before an answer it raises what `failures` holds for that turn of its life."""

    identity = IDENTITY

    def __init__(self, failures: dict[int, BaseException] | None = None) -> None:
        self.failures = failures or {}
        self.turn = 0
        self.batches: list[tuple[Address, ...]] = []

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        self.batches.append(tuple(asked.address for asked in requests))
        for asked in reversed(requests):
            self.turn += 1
            if failure := self.failures.pop(self.turn, None):
                raise failure
            if cancel.is_set():
                raise Stopped
            watch(TextGrown(address=asked.address, piece="WHY: ...", tokens=4))
            yield asked.address, self.reply(asked)

    def reply(self, asked: ChatRequest) -> Reply:
        return Reply(
            text=f"WHY: turn {self.turn} of {asked.address}\n", ended="complete", prompt_tokens=9, evaluated_tokens=9,
            decoded_tokens=3, forced_tokens=1, seconds=0.5, model=self.identity,
        )  # fmt: skip


class LazyModel(TinyModel):
    """Ends its batch without an error, and never answers its first request."""

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        yield from super().ask_all(requests[1:], watch, cancel)


class TinyScorer:
    identity = SCORER

    def __init__(self, *failures: BaseException, scores: Contradictions = SCORES) -> None:
        self.failures = list(failures)
        self.scores = scores
        self.asked = 0

    def contradictions(self, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> Contradictions:
        self._ask()
        return self.scores

    def similarities(self, texts: Sequence[str], cancel: CancelToken) -> Similarities:
        self._ask()
        return COSINES

    def _ask(self) -> None:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)


def kinds(library, case_id) -> list[str]:
    return [type(event).__name__ for event in library.events(case_id)[1:]]


def test_replies_come_in_the_order_of_the_requests_and_are_recorded_in_full(library, case_id):
    replies = Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS)
    assert [reply.text for reply in replies] == [
        "WHY: turn 3 of r1/cardiology/1\n", "WHY: turn 2 of r1/neurology/1\n", "WHY: turn 1 of r1/surgery/1\n",
    ]  # fmt: skip
    recorded = [event for event in library.events(case_id) if isinstance(event, CallFinished)]
    assert [event.request for event in recorded] == list(reversed(REQUESTS))
    assert [event.reply for event in recorded] == list(reversed(replies))


def test_replay_needs_no_model(library, path, key, case_id):
    replies = Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS)
    library.close()
    with Library(path, key) as again:
        assert Recorder(again, case_id).ask_all(REQUESTS) == replies
        assert again.verify().count == 4


def test_resuming_asks_only_what_is_missing(library, case_id):
    first = Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS[1:2])
    model = TinyModel()
    replies = Recorder(library, case_id, model=model).ask_all(REQUESTS)
    assert model.batches == [(ADDRESSES[0], ADDRESSES[2])]
    assert replies[1] == first[0]


def test_recorded_calls_ask_nothing_again_within_a_run(library, case_id):
    model = TinyModel()
    recorder = Recorder(library, case_id, model=model)
    assert recorder.ask_all(REQUESTS) == recorder.ask_all(REQUESTS)
    assert len(model.batches) == 1
    assert recorder.ask_all(()) == ()


def test_another_request_at_a_recorded_address_is_a_mismatch(library, case_id):
    Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS)
    model = TinyModel()
    for changed in (request("neurology", own="Say more."), msgspec.structs.replace(REQUESTS[1], seed=6)):
        with pytest.raises(LogMismatch, match="r1/neurology/1"):
            Recorder(library, case_id, model=model).ask_all((REQUESTS[0], changed))
    assert model.batches == []


def test_replaying_an_unfinished_case_names_the_first_missing_call(library, case_id):
    Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS[:1])
    with pytest.raises(NotRecorded, match="r1/neurology/1"):
        Recorder(library, case_id).ask_all(REQUESTS)
    assert kinds(library, case_id) == ["CallFinished"]


def test_equal_addresses_in_a_batch_are_refused(library, case_id):
    with pytest.raises(ValueError, match="same address"):
        Recorder(library, case_id, model=TinyModel()).ask_all((REQUESTS[0], REQUESTS[0]))


def test_screen_is_told_what_comes_from_the_log_and_what_is_new(library, case_id):
    Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS[:1])
    signals: list[Signal] = []
    Recorder(library, case_id, model=TinyModel(), watch=signals.append).ask_all(REQUESTS)
    told = [
        (signal.address, signal.from_log) if isinstance(signal, ReplyFinished) else type(signal) for signal in signals
    ]
    assert told == [
        (ADDRESSES[0], True), BatchAsked, TextGrown, (ADDRESSES[2], False), TextGrown, (ADDRESSES[1], False),
    ]  # fmt: skip
    assert signals[1] == BatchAsked(addresses=ADDRESSES[1:])


def test_reply_is_on_the_disk_before_the_screen_shows_it(library, case_id):
    seen: list[int] = []

    def watch(signal: Signal) -> None:
        if isinstance(signal, ReplyFinished):
            seen.append(kinds(library, case_id).count("CallFinished"))

    Recorder(library, case_id, model=TinyModel(), watch=watch).ask_all(REQUESTS)
    assert seen == [1, 2, 3]


def test_stopping_half_way_keeps_finished_replies(library, case_id):
    cancel = threading.Event()

    def watch(signal: Signal) -> None:
        if isinstance(signal, ReplyFinished):
            cancel.set()

    with pytest.raises(Stopped):
        Recorder(library, case_id, model=TinyModel(), watch=watch, cancel=cancel).ask_all(REQUESTS)
    assert kinds(library, case_id) == ["CallFinished", "CallCancelled"]
    assert library.events(case_id)[-1] == CallCancelled(addresses=ADDRESSES[:2])
    model = TinyModel()
    Recorder(library, case_id, model=model).ask_all(REQUESTS)
    assert model.batches == [ADDRESSES[:2]]


def test_nothing_is_asked_after_a_stop(library, case_id):
    cancel = threading.Event()
    cancel.set()
    model, scorer = TinyModel(), TinyScorer()
    recorder = Recorder(library, case_id, model=model, scorer=scorer, cancel=cancel)
    with pytest.raises(Stopped):
        recorder.ask_all(REQUESTS)
    with pytest.raises(Stopped):
        recorder.contradictions(PAIRS)
    assert (model.batches, scorer.asked) == ([], 0)


def test_dead_engine_is_asked_once_more_for_the_rest(library, case_id):
    model = TinyModel({2: EngineFailed("The engine died.")})
    assert len(Recorder(library, case_id, model=model).ask_all(REQUESTS)) == 3
    assert model.batches == [ADDRESSES, ADDRESSES[:2]]
    assert kinds(library, case_id) == ["CallFinished"] * 3


def test_engine_that_dies_twice_is_recorded_and_told(library, case_id):
    model = TinyModel({2: EngineFailed("The engine died."), 3: EngineFailed("It died again.")})
    with pytest.raises(EngineFailed, match="died again"):
        Recorder(library, case_id, model=model).ask_all(REQUESTS)
    assert library.events(case_id)[-1] == CallFailed(addresses=ADDRESSES[:2], sentence="It died again.")
    assert kinds(library, case_id) == ["CallFinished", "CallFailed"]


def test_engine_that_leaves_calls_unanswered_has_failed(library, case_id):
    with pytest.raises(EngineFailed, match="without answering 1 of 1 calls"):
        Recorder(library, case_id, model=LazyModel()).ask_all(REQUESTS)
    assert kinds(library, case_id) == ["CallFinished", "CallFinished", "CallFailed"]
    assert library.events(case_id)[-1].addresses == ADDRESSES[:1]


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (CaseTooLong("The case does not fit."), "The case does not fit."),
        (KeyError("patient named Ada"), "KeyError"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
def test_other_failures_are_recorded_without_words_from_the_case(library, case_id, failure, sentence):
    model = TinyModel({2: failure})
    with pytest.raises(type(failure)):
        Recorder(library, case_id, model=model).ask_all(REQUESTS)
    assert library.events(case_id)[-1] == CallFailed(addresses=ADDRESSES[:2], sentence=sentence)
    assert len(model.batches) == 1


def test_full_disk_is_told_as_such(library, case_id):
    library._database.execute("pragma query_only = on")
    with pytest.raises(NotWritable) as told:
        Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS)
    assert told.value.__notes__ == ["not recorded: NotWritable"]
    library._database.execute("pragma query_only = off")
    Recorder(library, case_id, model=TinyModel()).ask_all(REQUESTS)


def test_pairs_are_scored_once(library, case_id):
    scorer = TinyScorer()
    recorder = Recorder(library, case_id, scorer=scorer)
    assert recorder.contradictions(PAIRS) == recorder.contradictions(PAIRS) == SCORES
    assert Recorder(library, case_id).contradictions(PAIRS) == SCORES
    assert scorer.asked == 1
    with pytest.raises(LogMismatch, match="cara/contradiction/1"):
        recorder.contradictions(msgspec.structs.replace(PAIRS, pairs=(("a", "b"),)))
    with pytest.raises(NotRecorded, match="cara/contradiction/2"):
        Recorder(library, case_id).contradictions(
            msgspec.structs.replace(PAIRS, address=Address("cara/contradiction/2"))
        )


def test_case_run_without_a_scorer_stays_unmeasured(library, case_id):
    assert Recorder(library, case_id, model=TinyModel()).contradictions(PAIRS) is None
    assert Recorder(library, case_id, model=TinyModel(), scorer=TinyScorer()).contradictions(PAIRS) is None
    assert Recorder(library, case_id).contradictions(PAIRS) is None
    assert library.events(case_id)[1:] == (PairsScored(request=PAIRS, scores=None),)


def test_dead_scorer_is_asked_once_more(library, case_id):
    assert Recorder(library, case_id, scorer=TinyScorer(EngineFailed("x"))).contradictions(PAIRS) == SCORES
    other = msgspec.structs.replace(PAIRS, address=Address("cara/contradiction/2"))
    with pytest.raises(EngineFailed):
        Recorder(library, case_id, scorer=TinyScorer(EngineFailed("x"), EngineFailed("y"))).contradictions(other)
    assert library.events(case_id)[-1] == CallFailed(addresses=(other.address,), sentence="y")


def test_wrong_number_of_scores_is_refused(library, case_id):
    scorer = TinyScorer(scores=Contradictions(probabilities=(0.1,), scorer=SCORER))
    with pytest.raises(ValueError, match="one probability a pair"):
        Recorder(library, case_id, scorer=scorer).contradictions(PAIRS)
    with pytest.raises(ValueError, match="one cosine a pair"):
        Recorder(library, case_id, scorer=scorer).similarities(msgspec.structs.replace(TEXTS, texts=("a", "b", "c")))
    assert kinds(library, case_id) == ["CallFailed", "CallFailed"]


def test_texts_are_compared_once(library, case_id):
    scorer = TinyScorer()
    recorder = Recorder(library, case_id, scorer=scorer)
    assert recorder.similarities(TEXTS) == recorder.similarities(TEXTS) == COSINES
    assert Recorder(library, case_id).similarities(TEXTS) == COSINES
    assert scorer.asked == 1


FAILURES = st.sampled_from([Stopped, EngineFailed, CaseTooLong, KeyError])


@settings(max_examples=25, deadline=None)
@given(
    failures=st.dictionaries(st.integers(1, 12), FAILURES, max_size=5),
    batches=st.lists(st.lists(st.integers(0, 5), unique=True, max_size=6), min_size=1, max_size=4),
)
def test_however_a_run_is_interrupted_each_call_is_answered_once_and_stays(failures, batches):
    asked = [request(f"specialist-{number}") for number in range(6)]
    model = TinyModel({turn: failure("x") for turn, failure in failures.items()})
    with tempfile.TemporaryDirectory() as folder:
        library = Library.create(Path(folder) / "library", secrets.token_bytes(32), secrets.token_bytes(16))
        with library:
            case_id = open_case(library, Vignette(text="Chest pain.", findings=()), ConsultSettings(), 1, "tiny", "x")
            answered: dict[Address, Reply] = {}
            for numbers in batches:
                batch = [asked[number] for number in numbers]
                while True:  # the clinician resumes until the batch is through
                    try:
                        replies = Recorder(library, case_id, model=model).ask_all(batch)
                        break
                    except (Stopped, EngineFailed, CaseTooLong, KeyError):
                        continue
                for one, reply in zip(batch, replies, strict=True):
                    assert answered.setdefault(one.address, reply) == reply
            recorded = [event for event in library.events(case_id) if isinstance(event, CallFinished)]
            assert {event.request.address: event.reply for event in recorded} == answered
            assert len(recorded) == len(answered)
            library.verify()

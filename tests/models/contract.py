"""What every `ChatModel` must do. A test class takes this over and gives a fixture `model`."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from core.errors import CaseTooLong, Stopped
from core.forms import Form, Name, Picks, Repeat, Text, words
from core.ports import (
    Address,
    Block,
    ChatModel,
    ChatRequest,
    PromptEvaluated,
    Reply,
    Sampling,
    Signal,
    TextGrown,
    unwatched,
)  # fmt: skip

FORM = Form(
    name="contract",
    fields=(
        Text(label="CLAIM", hint="one assertion", max_chars=40),
        words("KIND", "mechanism", "finding"),
        Picks(label="FOR", hint="findings", options=("S1", "S2", "S11"), low=0, high=2),
    ),
)
LIST = Form(
    name="list",
    fields=(
        Repeat(
            label="LIST", hint="best first", low=2, high=3, distinct=True,
            fields=(Name(label="DIAGNOSIS", hint="a disease", max_words=3, forbidden=("or",)), words("KIND", "a", "b")),
        ),
    ),
)  # fmt: skip
FINDINGS = "S1: A 58-year-old man has had chest pain for two hours.\nS2: He is sweating; T 38 °C, Ménière, 田.\n"
STOP_AFTER_S = 0.05
TURN_ENDS = "<|im_end|><|endoftext|></s><|eot_id|><end_of_turn><|im_start|>"


def request(number: int = 1, **changes: object) -> ChatRequest:
    """A request of specialist `number`; keyword arguments replace its parts."""
    parts: dict[str, object] = {
        "address": Address(f"r3/s{number}/1"),
        "system": "You are a physician.",
        "shared": (Block(text=FINDINGS),),
        "own": f"You are specialist {number}.\n",
        "form": FORM,
        "sampling": Sampling(temperature=0.8),
        "seed": number,
    }
    return ChatRequest(**{**parts, **changes})  # type: ignore[arg-type]


def panel(count: int = 5, **changes: object) -> list[ChatRequest]:
    return [request(number, **changes) for number in range(1, count + 1)]


def asked(model: ChatModel, *requests: ChatRequest, watch: Callable[[Signal], None] = unwatched) -> list[Reply]:
    """The replies in the order of the requests; exactly one an address."""
    found = list(model.ask_all(requests, watch, threading.Event()))
    replies = dict(found)
    assert len(found) == len(requests) == len(replies)
    return [replies[each.address] for each in requests]


class ChatModelContract:
    """Tests that hold for every engine."""

    @pytest.fixture
    def model(self) -> Iterator[ChatModel]:
        raise NotImplementedError

    def test_every_address_gets_one_complete_reply_that_parses(self, model: ChatModel) -> None:
        requests = [*panel(3), *(request(n, form=LIST) for n in (4, 5))]
        for each, reply in zip(requests, asked(model, *requests), strict=True):
            assert reply.ended == "complete"
            assert each.form.write(each.form.parse(reply.text)) == reply.text
            assert reply.model == model.identity
            assert reply.seconds > 0
            assert reply.decoded_tokens > 0
            assert reply.prompt_tokens > 0
            assert not reply.left_out

    def test_until_ends_the_reply_behind_the_field(self, model: ChatModel) -> None:
        whole, short = asked(model, request(1, form=LIST), request(2, form=LIST, until="DIAGNOSIS"))
        assert short.ended == "complete"
        assert short.text.count("\n") == 1
        assert whole.text.count("\n") > 2
        assert LIST.first(short.text, "DIAGNOSIS")

    @pytest.mark.parametrize("seed", range(4))
    def test_until_ends_behind_picks_however_many_there_are(self, model: ChatModel, seed: int) -> None:
        form = Form(name="picks", fields=(*FORM.fields, Text(label="WHY", hint="a text", max_chars=40)))
        (reply,) = asked(model, request(1, form=form, until="FOR", seed=seed))
        assert reply.text.splitlines()[-1].startswith("FOR: ")
        assert form.first(reply.text, "FOR")

    def test_temperature_zero_repeats_itself(self, model: ChatModel) -> None:
        cold = request(1, sampling=Sampling(temperature=0))
        assert asked(model, cold)[0].text == asked(model, cold)[0].text

    def test_the_same_seed_repeats_itself_alone(self, model: ChatModel) -> None:
        warm = request(1, alone=True)
        assert asked(model, warm)[0].text == asked(model, warm)[0].text

    def test_other_seeds_write_other_texts(self, model: ChatModel) -> None:
        texts = {asked(model, request(1, seed=seed))[0].text for seed in range(4)}
        assert len(texts) > 1

    def test_identical_prompts_in_one_batch_are_answered_each(self, model: ChatModel) -> None:
        requests = [request(number, own="the same") for number in range(1, 5)]
        for reply in asked(model, *requests):
            FORM.parse(reply.text)

    def test_thirty_requests_at_once(self, model: ChatModel) -> None:
        for reply in asked(model, *panel(30)):
            FORM.parse(reply.text)

    def test_nothing_asked_nothing_answered(self, model: ChatModel) -> None:
        assert asked(model) == []

    def test_alone_depends_on_nothing_that_was_asked_before(self, model: ChatModel) -> None:
        alone = request(1, alone=True, sampling=Sampling(temperature=0))
        (first,) = asked(model, alone)
        asked(model, *panel(5, shared=(Block(text=FINDINGS), Block(text="The panel said: gout.\n"))))
        among = asked(model, *panel(3), request(9, alone=True, own=alone.own, sampling=alone.sampling))
        assert first.evaluated_tokens == first.prompt_tokens == among[-1].evaluated_tokens
        assert asked(model, alone)[0].text == first.text == among[-1].text

    def test_cancelled_before_it_starts(self, model: ChatModel) -> None:
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Stopped):
            list(model.ask_all(panel(2), unwatched, cancel))
        self._is_usable(model)

    def test_cancelled_while_it_writes(self, model: ChatModel) -> None:
        cancel, grown = threading.Event(), []

        def watch(signal: Signal) -> None:
            if isinstance(signal, TextGrown):
                grown.append(signal)
                if len(grown) > 12:
                    cancel.set()

        with pytest.raises(Stopped):
            list(model.ask_all(panel(3), watch, cancel))
        assert len(grown) < 30
        self._is_usable(model)

    def test_replies_given_before_a_stop_are_whole(self, model: ChatModel) -> None:
        cancel = threading.Event()
        quick = request(1, form=Form(name="quick", fields=(words("KIND", "a", "b"),)))
        answers = model.ask_all([quick, *panel(3)[1:]], unwatched, cancel)
        address, reply = next(answers)
        cancel.set()
        with pytest.raises(Stopped):
            list(answers)
        assert address == quick.address
        quick.form.parse(reply.text)
        self._is_usable(model)

    def test_given_up_by_the_one_who_asked(self, model: ChatModel) -> None:
        answers = model.ask_all(panel(3), unwatched, threading.Event())
        next(answers)
        answers.close()  # type: ignore[attr-defined]
        self._is_usable(model)

    def test_a_long_prompt_is_stopped_soon(self, model: ChatModel) -> None:
        cancel = threading.Event()
        tokens = model.identity.context_tokens * 3 // 4
        whole = request(1, shared=(Block(text=_filler(model, tokens)),))
        timer = threading.Timer(STOP_AFTER_S, cancel.set)
        started = time.perf_counter()
        timer.start()
        with pytest.raises(Stopped):
            list(model.ask_all([whole], unwatched, cancel))
        stopped_after_s = time.perf_counter() - started - STOP_AFTER_S
        assert stopped_after_s < 2
        self._is_usable(model)

    def _is_usable(self, model: ChatModel) -> None:
        for reply in asked(model, *panel(2)):
            FORM.parse(reply.text)

    def test_turn_ends_in_the_case_stay_text(self, model: ChatModel) -> None:
        """Each mark is spelled with several tokens, as any other text, instead of the one that ends a turn."""
        own = request(1).own
        plain, marked = asked(model, request(1, alone=True), request(2, alone=True, own=own + TURN_ENDS))
        assert marked.prompt_tokens - plain.prompt_tokens >= 3 * TURN_ENDS.count("<")
        FORM.parse(marked.text)

    def test_a_prompt_that_cannot_fit_is_refused_with_numbers(self, model: ChatModel) -> None:
        context = model.identity.context_tokens
        signals: list[Signal] = []
        long = request(2, shared=(Block(text=_filler(model, context + 500)),))
        with pytest.raises(CaseTooLong) as refused:
            list(model.ask_all([request(1), long], signals.append, threading.Event()))
        assert str(context) in str(refused.value)
        assert not signals
        assert "lorem" not in str(refused.value)

    def test_oldest_droppable_blocks_are_left_out_and_told(self, model: ChatModel) -> None:
        huge, small = _filler(model, model.identity.context_tokens * 11 // 10), "C1: gout.\n"
        blocks = tuple(
            Block(text=text, droppable=droppable)
            for text, droppable in ((small, False), (huge, True), (small, False), (huge, True), (small, True))
        )
        for reply in asked(model, *panel(2, shared=blocks)):
            assert reply.left_out == (1, 3)
            FORM.parse(reply.text)

    def test_signals_tell_what_happens(self, model: ChatModel) -> None:
        signals: list[Signal] = []
        requests = panel(3)
        replies = asked(model, *requests, watch=signals.append)
        assert {type(signal) for signal in signals} == {PromptEvaluated, TextGrown}
        evaluated = [signal for signal in signals if isinstance(signal, PromptEvaluated)]
        assert evaluated[-1].done == evaluated[-1].total
        assert all(signal.done <= signal.total for signal in evaluated)
        for each, reply in zip(requests, replies, strict=True):
            grown = [s for s in signals if isinstance(s, TextGrown) and s.address == each.address]
            assert "CLAIM:" + "".join(signal.piece for signal in grown) == reply.text
            assert sum(signal.tokens for signal in grown) <= reply.decoded_tokens + reply.forced_tokens


class SharingContract(ChatModelContract):
    """Further tests for engines that evaluate a shared prompt prefix once."""

    def test_every_shared_token_is_evaluated_once(self, model: ChatModel) -> None:
        alone = asked(model, *panel(5, alone=True))
        bare = asked(model, request(1, own="", system="", alone=True))[0]
        replies = asked(model, *panel(5))
        assert [reply.prompt_tokens for reply in replies] == [reply.prompt_tokens for reply in alone]
        once, own = alone[0].prompt_tokens, alone[0].prompt_tokens - bare.prompt_tokens
        # what is not shared is the specialist's own part, from its number on, and the template behind it
        assert once + 4 <= _evaluated(replies) < once + 4 * (own + 40)
        assert _evaluated(replies) < sum(reply.prompt_tokens for reply in alone) / 2

    def test_a_grown_board_is_evaluated_only_where_it_grew(self, model: ChatModel) -> None:
        bare, _ = asked(model, request(1, shared=(), alone=True), request(2, alone=True))
        board = (Block(text=FINDINGS),)
        cold = before = asked(model, *panel(5, shared=board))
        findings = cold[0].prompt_tokens - bare.prompt_tokens
        for number in range(3):
            board = (*board, Block(text=f"C{number} cardiology: gout, because of S2.\n"))
            after = asked(model, *panel(5, shared=board))
            grown = after[0].prompt_tokens - before[0].prompt_tokens
            assert grown > 0
            # what stands behind the board is evaluated again, the rules and the findings are not
            assert _evaluated(after) <= _evaluated(cold) - findings + grown
            before = after


def _evaluated(replies: Sequence[Reply]) -> int:
    return sum(reply.evaluated_tokens for reply in replies)


def _filler(model: ChatModel, tokens: int) -> str:
    """Text of about so many tokens of this model."""
    short, long = asked(model, request(1, own="", alone=True), request(2, own="lorem ipsum " * 20, alone=True))
    words_needed = tokens * 20 // (long.prompt_tokens - short.prompt_tokens)
    return "lorem ipsum " * words_needed

"""The batched engine on random weights, and on the test model where it is on the shelf."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import CaseTooLong, UnknownModel
from core.forms import Form, Text
from core.ports import Block, Sampling, TextGrown, unwatched
from models.gguf.engine import GgufModel
from models.gguf.prefix_tree import nodes
from models.gguf.prompt import prompts
from models.shelf import Shelf
from tests.models.contract import FINDINGS, FORM, ChatModelContract, SharingContract, asked, panel, request
from tests.models.tiny_gguf import write_tiny_llama, write_tiny_mamba

CONTEXT_TOKENS = 8192
ONE_THREAD = (1, 1)


def _opened(path: Path) -> Iterator[GgufModel]:
    model = GgufModel(path, "tiny", "0" * 64, ONE_THREAD)
    yield model
    model.close()


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufModel]:
    yield from _opened(write_tiny_llama(tmp_path_factory.mktemp("gguf") / "llama.gguf", context=CONTEXT_TOKENS))


@pytest.fixture(scope="module")
def plain_llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufModel]:
    path = tmp_path_factory.mktemp("gguf") / "plain.gguf"
    yield from _opened(write_tiny_llama(path, context=CONTEXT_TOKENS, template=False))


@pytest.fixture(scope="module")
def mamba(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufModel]:
    yield from _opened(write_tiny_mamba(tmp_path_factory.mktemp("gguf") / "mamba.gguf", context=CONTEXT_TOKENS))


@pytest.fixture(scope="module")
def smollm() -> Iterator[GgufModel]:
    try:
        shelved = Shelf().find("smollm2-135m")
    except UnknownModel:
        pytest.skip("the test model smollm2-135m is not on the shelf")
    model = GgufModel(shelved.path, shelved.card.id, shelved.card.sha256)
    yield model
    model.close()


class TestLlama(SharingContract):
    @pytest.fixture
    def model(self, llama: GgufModel) -> GgufModel:
        return llama


class TestLlamaWithoutTemplate(SharingContract):
    @pytest.fixture
    def model(self, plain_llama: GgufModel) -> GgufModel:
        return plain_llama

    def test_the_missing_template_is_told(self, model: GgufModel) -> None:
        assert "no chat template" in model.identity.notes[0]


class TestMamba(ChatModelContract):
    """A recurrent state cannot be shared: every request is evaluated by itself."""

    @pytest.fixture
    def model(self, mamba: GgufModel) -> GgufModel:
        return mamba

    def test_every_prompt_is_evaluated_whole(self, model: GgufModel) -> None:
        for reply in asked(model, *panel(3)):
            assert reply.evaluated_tokens == reply.prompt_tokens


@pytest.mark.weights
class TestSmollm(SharingContract):
    @pytest.fixture
    def model(self, smollm: GgufModel) -> GgufModel:
        return smollm


def test_identity_is_told_by_the_file(llama: GgufModel) -> None:
    identity = llama.identity
    assert identity.context_tokens == CONTEXT_TOKENS
    assert identity.parameters > 100_000
    assert identity.quantization == "F32"
    assert identity.notes == ()


def test_every_distinct_prefix_is_evaluated_exactly_once(llama: GgufModel) -> None:
    asked(llama, request(9, alone=True))
    requests = panel(5)
    tokens = [prompt.tokens for prompt in prompts(llama.weights, requests)]
    assert sum(reply.evaluated_tokens for reply in asked(llama, *requests)) == len(nodes(tokens))


def test_a_batch_says_what_each_would_say_alone(llama: GgufModel) -> None:
    cold = panel(5, sampling=Sampling(temperature=0))
    together = [reply.text for reply in asked(llama, *cold)]
    assert together == [asked(llama, each)[0].text for each in cold]
    assert together == [reply.text for reply in asked(llama, *panel(5, sampling=Sampling(temperature=0), alone=True))]


def test_texts_of_many_bytes_arrive_whole(llama: GgufModel) -> None:
    """Random bytes spell characters of two to four bytes, one token a byte."""
    form = Form(name="long", fields=(Text(label="CLAIM", hint="a text", max_chars=200, min_chars=200),))
    pieces: list[str] = []
    (reply,) = asked(
        llama,
        request(1, form=form, sampling=Sampling(temperature=2, min_p=0)),
        watch=lambda signal: pieces.append(signal.piece) if isinstance(signal, TextGrown) else None,
    )
    assert max(map(ord, reply.text)) > 0xFFFF
    assert "\ufffd" not in "".join(pieces)
    assert "CLAIM:" + "".join(pieces) == reply.text
    assert len(form.parse(reply.text).name("CLAIM")) <= 200


def test_growing_memory_changes_no_answer(tmp_path: Path) -> None:
    """The second batch needs more cells than the first one: the memory is made anew between two calls of a case."""
    path = write_tiny_llama(tmp_path / "llama.gguf", context=4096)
    small = panel(2, sampling=Sampling(temperature=0))
    large = [request(n, sampling=Sampling(temperature=0), own=f"{n} {'x ' * 300}") for n in range(1, 8)]
    for model in _opened(path):
        before = model._context.cells
        texts = [[reply.text for reply in asked(model, *batch)] for batch in (small, large, small)]
        assert model._context.cells > before
        assert texts[0] == texts[2]
    for model in _opened(path):
        assert [reply.text for reply in asked(model, *large)] == texts[1]


def test_a_reply_that_meets_the_end_of_the_context_says_so(tmp_path: Path) -> None:
    endless = Form(
        name="endless",
        fields=tuple(Text(label=f"L{n}", hint="a text", max_chars=140, min_chars=140) for n in range(8)),
    )
    for model in _opened(write_tiny_llama(tmp_path / "llama.gguf", context=1024)):
        long, short = asked(model, request(1, form=endless), request(2))
        assert long.ended == "context_full"
        assert long.prompt_tokens + long.decoded_tokens + long.forced_tokens <= 1024 + 8
        assert short.ended == "complete"
        FORM.parse(short.text)
        assert [reply.ended for reply in asked(model, *panel(3))] == ["complete"] * 3


def test_used_up_memory_ends_the_longest_reply_and_no_other(tmp_path: Path) -> None:
    """Characters of four bytes need more tokens than a form of so many characters has room for."""
    form = Form(name="wide", fields=(Text(label="L", hint="a text", max_chars=420, min_chars=400),))
    wide = [request(n, form=form, sampling=Sampling(temperature=3, min_p=0)) for n in range(1, 11)]
    for model in _opened(write_tiny_llama(tmp_path / "llama.gguf", context=CONTEXT_TOKENS)):
        replies = asked(model, *wide, *panel(12)[10:])
        assert {reply.ended for reply in replies} <= {"complete", "context_full"}
        for reply in replies:
            if reply.ended == "complete" and reply.text.startswith("L:"):
                form.parse(reply.text)
        assert [reply.ended for reply in replies[10:]] == ["complete", "complete"]
        assert asked(model, request(1))[0].ended == "complete"


def test_prompts_that_leave_out_blocks_go_on_sharing(llama: GgufModel) -> None:
    """A specialist with a longer own part must not read another board than its colleagues."""
    blocks = tuple(Block(text=FINDINGS * 20, droppable=True) for _ in range(4))
    replies = asked(llama, request(1, shared=blocks), request(2, shared=blocks, own="x " * 900))
    assert replies[0].left_out == replies[1].left_out != ()


def test_refusal_names_the_need_of_the_longest_prompt(llama: GgufModel) -> None:
    blocks = (Block(text=FINDINGS * 20),)
    with pytest.raises(CaseTooLong) as refused:
        list(
            llama.ask_all(
                [request(1, shared=blocks), request(2, shared=blocks, own="x " * 4000)], unwatched, threading.Event()
            )
        )
    needed = int(str(refused.value).split(" tokens")[0].split()[-1])
    assert needed > CONTEXT_TOKENS

"""What does not fit is left out by whole blocks, oldest first, or refused with numbers."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import CaseTooLong
from core.ports import Block, ChatRequest
from models.gguf.prompt import prompts
from models.gguf.weights import Weights
from tests.models.contract import panel, request
from tests.models.tiny_gguf import write_tiny_llama

CONTEXT_TOKENS = 1024
blocks = st.lists(st.builds(Block, text=st.integers(1, 300).map("x".__mul__), droppable=st.booleans()), max_size=8)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weights]:
    loaded = Weights(
        write_tiny_llama(tmp_path_factory.mktemp("gguf") / "t.gguf", context=CONTEXT_TOKENS), "tiny", "0" * 64
    )
    yield loaded
    loaded.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(shared=blocks.map(tuple))
def test_as_few_of_the_oldest_are_left_out_as_must_be(weights: Weights, shared: tuple[Block, ...]) -> None:
    asked = request(1, shared=shared)
    droppable = [index for index, block in enumerate(shared) if block.droppable]
    try:
        (prompt,) = prompts(weights, [asked])
    except CaseTooLong:
        left = request(1, shared=tuple(block for block in shared if not block.droppable))
        assert _length(weights, left) + _reserve(weights) > CONTEXT_TOKENS
        return
    left_out = list(prompt.left_out)
    assert left_out == droppable[: len(left_out)]
    assert len(prompt.tokens) + prompt.reserve <= CONTEXT_TOKENS
    if left_out:
        one_more = tuple(block for index, block in enumerate(shared) if index not in left_out[:-1])
        assert _length(weights, request(1, shared=one_more)) + prompt.reserve > CONTEXT_TOKENS


def _length(weights: Weights, asked: ChatRequest) -> int:
    """Tokens of the whole prompt, counted part by part."""
    frame = weights.frame
    parts = [len(weights.opening()), *(len(weights.tokens(part, True)) for part in (frame.between, frame.after))]
    texts = [asked.system, *(block.text for block in asked.shared), asked.own]
    return sum(parts) + sum(len(weights.tokens(text)) for text in texts)


def _reserve(weights: Weights) -> int:
    return prompts(weights, [request(1)])[0].reserve


def test_who_shares_blocks_leaves_out_the_same_ones(weights: Weights) -> None:
    shared = tuple(Block(text="x" * 200, droppable=True) for _ in range(4))
    short, long = prompts(weights, [request(1, shared=shared), request(2, shared=shared, own="y" * 400)])
    assert short.left_out == long.left_out
    assert len(long.left_out) > len(prompts(weights, [request(1, shared=shared)])[0].left_out)


def test_the_refusal_names_what_the_longest_prompt_needs(weights: Weights) -> None:
    with pytest.raises(CaseTooLong) as refused:
        prompts(weights, [*panel(2), request(3, own="y" * 2000)])
    needed = int(str(refused.value).split(" tokens")[0].split()[-1])
    assert needed == _length(weights, request(3, own="y" * 2000)) + _reserve(weights)
    assert f"reads {CONTEXT_TOKENS}" in str(refused.value)
    assert "at r3" in str(refused.value)
    assert "yyy" not in str(refused.value)


@pytest.mark.parametrize("mark", ["</s>", "<s>", "<unk>", "<0x0A>"])
def test_marks_in_a_text_are_spelled_letter_by_letter(weights: Weights, mark: str) -> None:
    tokens = weights.tokens(f"a{mark}b")
    assert b"".join(map(weights.piece, tokens)).decode().strip() == f"a{mark}b"
    assert len(tokens) >= len(mark)
    assert not {0, 1, 2} & set(tokens)


@given(text=st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_tokens_spell_the_text(weights: Weights, text: str) -> None:
    spelled = b"".join(map(weights.piece, weights.tokens(text))).decode()
    assert spelled in (text, f" {text}")  # the tokenizer of llama puts a space in front

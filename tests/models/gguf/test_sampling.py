"""Draws obey the mask, the temperature, the share and the seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.ports import Sampling
from models.gguf.sampling import FEW, draw

SIZES = (40, FEW + 700)
"""Vocabularies on both sides of the point where masking changes its way."""


def _mask(allowed: NDArray[np.bool_]) -> NDArray[np.int32]:
    padded = np.zeros(-(-len(allowed) // 32) * 32, np.uint8)
    padded[: len(allowed)] = allowed
    return np.packbits(padded, bitorder="little").view(np.int32)


@given(
    st.sampled_from(SIZES), st.integers(0, 2**32), st.floats(0.01, 1), st.sampled_from([0.0, 0.05, 0.5]),
    st.sampled_from([0.0, 0.3, 1.0, 5.0]),
)  # fmt: skip
def test_only_allowed_tokens_are_drawn(size: int, seed: int, share: float, min_p: float, temperature: float) -> None:
    random = np.random.default_rng(seed)
    logits = random.normal(0, 5, size).astype(np.float32)
    allowed = random.random(size) < share
    allowed[random.integers(size)] = True
    sampling = Sampling(temperature=temperature, min_p=min_p)
    token = draw(logits, _mask(allowed), sampling, np.random.default_rng(seed))
    assert allowed[token]
    assert token == draw(logits, _mask(allowed), sampling, np.random.default_rng(seed))
    best = int(np.argmax(np.where(allowed, logits, -np.inf)))
    if temperature == 0:
        assert token == best
    if min_p:
        assert logits[token] >= logits[best] + np.log(min_p) - 1e-4


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_follow_the_softmax(size: int, temperature: float) -> None:
    logits = np.full(size, -50, np.float32)
    logits[[3, 7, 11]] = [2.0, 1.0, 0.0]
    random = np.random.default_rng(0)
    sampling = Sampling(temperature=temperature, min_p=0)
    drawn = [draw(logits, _mask(np.ones(size, bool)), sampling, random) for _ in range(4000)]
    expected = np.exp(np.array([2.0, 1.0, 0.0]) / temperature)
    for token, share in zip((3, 7, 11), expected / expected.sum(), strict=True):
        assert drawn.count(token) / len(drawn) == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("size", SIZES)
def test_the_only_allowed_token_is_drawn_however_unlikely(size: int) -> None:
    allowed = np.zeros(size, bool)
    allowed[-1] = True
    logits = np.zeros(size, np.float32)
    logits[-1] = -1000
    assert draw(logits, _mask(allowed), Sampling(temperature=1), np.random.default_rng(0)) == size - 1

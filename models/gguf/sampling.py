"""Drawing one token from logits and a mask of allowed tokens."""

import numpy as np
from numpy.typing import NDArray

from core.ports import Sampling

FEW = 512
"""Up to so many allowed tokens are gathered one by one instead of masking the whole vocabulary."""


def draw(logits: NDArray[np.float32], mask: NDArray[np.int32], sampling: Sampling, random: np.random.Generator) -> int:
    """The id of one allowed token.

    `logits`: (n_vocab,); `mask`: packed bits, least significant first, 1 = allowed, at least one of them. Temperature 0 takes
    the likeliest. Otherwise tokens below `min_p` times the likeliest are left out, then one is drawn at the temperature.
    """
    bits = np.unpackbits(mask.view(np.uint8), bitorder="little")[: len(logits)]
    count = int(np.count_nonzero(bits))
    if count <= FEW:
        allowed = np.flatnonzero(bits)
        values = logits[allowed]
    else:
        masked = np.where(bits, logits, -np.inf)
        floor = masked.max() + _log_share(sampling)
        allowed = np.flatnonzero(masked >= floor)
        values = masked[allowed]
    best = int(np.argmax(values))
    if sampling.temperature <= 0 or len(allowed) == 1:
        return int(allowed[best])
    kept = values >= values[best] + _log_share(sampling)
    allowed, values = allowed[kept], values[kept].astype(np.float64)
    weights = np.exp((values - values.max()) / sampling.temperature)
    ladder = np.cumsum(weights)
    return int(allowed[np.searchsorted(ladder, random.random() * ladder[-1], side="right")])


def _log_share(sampling: Sampling) -> float:
    """Logit distance from the likeliest token below which no token is drawn."""
    return float(np.log(sampling.min_p)) if sampling.min_p > 0 else -np.inf

"""The training itself: batches of equal length, a slow average of the weights, a look at the validation now and then."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import torch
from msgspec import Struct

from models.training.figures import Figures, Logits, measure
from models.training.pairs import LABELS, Pair, shuffled

Say = Callable[[str], None]


class Recipe(Struct, frozen=True, kw_only=True):
    learning_rate: float = 1e-4
    """At its highest; 6 % of the way up to it, then down to nothing in a straight line."""
    epochs: float = 2.0
    minutes: float | None = None
    """At most. The learning rate then falls with the clock. `None`: no limit."""
    batch: int = 32
    weight_decay: float = 0.01
    label_smoothing: float = 0.05
    average: float = 0.998
    """Weight of the past in the average of the weights, which is what is kept."""
    seed: int = 20
    look_every: int = 250
    """Steps between two looks at the validation."""


class Encoded(Struct, frozen=True, kw_only=True):
    ids: list[int]
    types: list[int]
    label: int


def encode(pairs: Sequence[Pair], tokenizer: Any, window: int) -> list[Encoded]:
    """Raises `ValueError` for a pair longer than the window: nothing is cut."""
    found = tokenizer.encode_batch([(pair.premise, pair.hypothesis) for pair in pairs])
    longest = max((len(encoding.ids) for encoding in found), default=0)
    if longest > window:
        raise ValueError(f"a pair of {longest} tokens does not fit the window of {window}")
    return [
        Encoded(ids=encoding.ids, types=encoding.type_ids, label=LABELS.index(pair.label))
        for encoding, pair in zip(found, pairs, strict=True)
    ]


def batches(rows: Sequence[Encoded], size: int, rng: Random) -> list[list[Encoded]]:
    """Rows of like length together, in random order."""
    result: list[list[Encoded]] = []
    order = shuffled(rows, rng)
    for start in range(0, len(order), size * 50):
        pool = sorted(order[start : start + size * 50], key=lambda row: len(row.ids))
        result += [pool[first : first + size] for first in range(0, len(pool), size)]
    return shuffled(result, rng)


def tensors(rows: Sequence[Encoded], model: Any) -> dict[str, Any]:
    """As the model takes them; not every architecture marks which of two texts a token belongs to."""
    length = max(len(row.ids) for row in rows)

    def padded(numbers: list[list[int]]) -> Any:
        return torch.tensor([row + [0] * (length - len(row)) for row in numbers])

    inputs = {
        "input_ids": padded([row.ids for row in rows]),
        "attention_mask": padded([[1] * len(row.ids) for row in rows]),
    }
    if getattr(model.config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = padded([row.types for row in rows])
    return inputs


def logits_of(model: Any, rows: Sequence[Encoded], size: int = 64) -> Logits:
    """In the order of the rows."""
    order = sorted(range(len(rows)), key=lambda index: len(rows[index].ids))
    result = np.zeros((len(rows), len(LABELS)))
    model.eval()
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            result[chosen] = model(**tensors([rows[index] for index in chosen], model)).logits.float().numpy()
    model.train()
    return result


def figures_of(model: Any, rows: Sequence[Encoded]) -> Figures:
    return measure(logits_of(model, rows), [LABELS[row.label] for row in rows])


class Learner:
    """Trains one model in place; `averaged` is the model that is kept."""

    def __init__(self, model: Any, averaged: Any, recipe: Recipe, say: Say) -> None:
        self._model = model
        self.averaged = averaged
        self._recipe = recipe
        self._say = say
        groups = [
            {"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": recipe.weight_decay},
            {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=True)
        self._loss = torch.nn.CrossEntropyLoss(label_smoothing=recipe.label_smoothing)

    def learn(self, rows: Sequence[Encoded], validation: Mapping[str, Sequence[Encoded]], keep: Path) -> None:
        """After each look the averaged weights are written to `keep`, one folder a look, with their figures beside."""
        recipe = self._recipe
        steps = int(len(rows) / recipe.batch * recipe.epochs)
        started, spent_looking = time.monotonic(), 0.0
        for step, batch in zip(range(1, steps + 1), self._endless(rows), strict=False):
            minutes = (time.monotonic() - started) / 60
            done = max(step / steps, minutes / recipe.minutes if recipe.minutes else 0)
            loss = self._step(batch, rate=_rate(done) * recipe.learning_rate, number=step)
            last = step == steps or done >= 1
            if step % recipe.look_every == 0 or last:
                before = time.monotonic()
                self._say(f"step {step}/{steps}  {minutes:.1f} min  loss {loss:.3f}")
                self._look(validation, keep / f"step-{step:05d}")
                spent_looking += time.monotonic() - before
            if last:
                break
        self._say(f"looked for {spent_looking / 60:.1f} of {(time.monotonic() - started) / 60:.1f} minutes")

    def _endless(self, rows: Sequence[Encoded]) -> Iterator[list[Encoded]]:
        rng = Random(self._recipe.seed)
        while True:
            yield from batches(rows, self._recipe.batch, rng)

    def _step(self, batch: list[Encoded], rate: float, number: int) -> float:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", torch.bfloat16):
            logits = self._model(**tensors(batch, self._model)).logits
        loss = self._loss(logits.float(), torch.tensor([row.label for row in batch]))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()
        # A young average must forget the start quickly.
        past = min(self._recipe.average, number / (number + 10))
        with torch.no_grad():
            for kept, new in zip(self.averaged.parameters(), self._model.parameters(), strict=True):
                kept.lerp_(new, 1 - past)
        return float(loss.detach())

    def _look(self, validation: Mapping[str, Sequence[Encoded]], folder: Path) -> None:
        found = {name: figures_of(self.averaged, rows) for name, rows in validation.items()}
        for name, figures in found.items():
            self._say(f"  {name:12s} {figures.line()}")
        self.averaged.save_pretrained(folder)
        (folder / "figures.json").write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def _rate(done: float) -> float:
    """Share of the highest learning rate, after this share of the training."""
    return min(done / 0.06, max(0.0, (1 - done) / 0.94))

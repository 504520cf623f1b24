"""The steps from weights to a graph that passed: load, ask PyTorch, trace, fuse, store, ask the graph, compare.

Imported only where the extra `export` is installed.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import onnx
import onnxruntime
import torch
import transformers
from msgspec import Struct

from core.errors import UnsupportedModel
from models.export import graphs
from models.export.answers import from_graph, from_torch, texts_of
from models.export.description import Description
from models.export.encoders import load
from models.export.parity import Parity, Precision, compare, failure
from models.export.tokens import Tokens
from models.scoring.card import TOKENIZER_FILE
from models.scoring.probes import Probe

Measure = Callable[[Path], Parity]
Say = Callable[[str], None]
"""Called with a sentence before each step. It may raise `core.errors.Stopped`."""


class Made(Struct, frozen=True, kw_only=True):
    folder: Path
    """model.onnx, tokenizer.json and, beside a large model, its weights."""
    parity: Parity
    pad_token_id: int
    opset: int
    made_with: tuple[str, ...]
    """`name==version` of what the graph depends on."""
    notes: tuple[str, ...] = ()
    """Sentences for the reader of the report."""


def make(
    folder: Path,
    description: Description,
    bench: Path,
    *,
    precision: Precision,
    pairs: Sequence[Probe],
    run_model_code: bool,
    say: Say,
) -> Made:
    """Make the graph of the model in `folder` on an empty `bench`. Raises `UnsupportedModel` outside tolerance, and as `load`."""
    say("Loading the weights")
    tokens = Tokens(folder)
    model = load(folder, description, run_model_code)
    say(f"Asking PyTorch about {len(pairs)} pairs")
    texts = texts_of(pairs, tokens, description)
    said = from_torch(model, texts, tokens, description)
    say("Tracing the graph")
    traced = graphs.trace(model, description.inputs, _room(bench, "traced"))
    del model  # a large one and its graph would not fit side by side
    tokenizer = bench / TOKENIZER_FILE
    tokens.write(tokenizer)

    def measure(graph: Path) -> Parity:
        say("Asking the graph the same")
        return compare(said, from_graph(graph, tokenizer, texts, tokens.pad_id), pairs, description)

    graph, parity, notes = _whole(traced, description, bench, measure)
    if precision != "fp32":
        say(f"Storing the weights as {precision}")
        graph = graphs.store(graph, precision, _room(bench, precision))
        parity = _passed(measure(graph), precision)
    tokenizer.rename(graph.with_name(TOKENIZER_FILE))
    return Made(
        folder=graph.parent,
        parity=parity,
        pad_token_id=tokens.pad_id,
        opset=graphs.opset(graph),
        made_with=tuple(f"{part.__name__}=={part.__version__}" for part in (torch, transformers, onnx, onnxruntime)),
        notes=notes,
    )


def _whole(
    traced: Path, description: Description, bench: Path, measure: Measure
) -> tuple[Path, Parity, tuple[str, ...]]:
    """The fused graph in fp32 where there is one and it passes, else the traced one."""
    if description.config.model_type not in graphs.FUSED_TYPES:
        return traced, _passed(measure(traced), "fp32"), ()
    fused = graphs.fuse(traced, description, _room(bench, "fused"))
    parity = measure(fused)
    if (reason := failure(parity, "fp32")) is None:
        return fused, parity, ()
    note = f"The fused graph was left out, because {reason}."
    return traced, _passed(measure(traced), "fp32"), (note,)


def _passed(parity: Parity, precision: Precision) -> Parity:
    if (reason := failure(parity, precision)) is not None:
        advice = "export it in fp32" if precision != "fp32" else "choose another model"
        raise UnsupportedModel(f"In {precision} {reason}, compared with PyTorch; nothing was kept, {advice}.")
    return parity


def _room(bench: Path, name: str) -> Path:
    room = bench / name
    room.mkdir()
    return room

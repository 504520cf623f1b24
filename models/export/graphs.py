"""The graph and how its weights are stored: traced, fused, as fp32, fp16 or int8, in one file or two.

Imported only where the extra `export` is installed.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model

from models.export.description import Description
from models.export.encoders import Classifier, Encoder
from models.scoring.card import DATA_FILE, MODEL_FILE

Wide = NDArray[np.float32]
Stored = tuple[list[Any], list[Any]]
"""Tensors, and the nodes that make one fp32 weight of them."""

OPSET = 17
"""The newest one that the tracer writes."""
ONE_FILE_BYTES = 2_000_000_000
"""A protobuf file ends at 2 GiB; larger weights lie in a file of their own."""
FUSED_TYPES = frozenset({"bert"})
"""Model types whose attention onnxruntime's optimizer recognizes."""

_LARGE = 1024
"""Numbers in a tensor from which storing it smaller is worth a node."""


def trace(
    model: Classifier | Encoder, inputs: tuple[str, ...], folder: Path, one_file_bytes: int = ONE_FILE_BYTES
) -> Path:
    """Write the graph of a model as it computes, in fp32. Returns the path of the graph.

    The older of PyTorch's two exporters: it writes opset 17 by itself, where the newer one writes 18 and fails to go back,
    needs two packages more and eight times as long, and comes out no closer to PyTorch.
    """
    path = folder / MODEL_FILE
    example = torch.ones((2, 6), dtype=torch.int64)
    with _quiet(), torch.no_grad():
        torch.onnx.export(
            model,
            (example,) * len(inputs),
            str(path),
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=[model.output],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in inputs} | {model.output: {0: "texts"}},
        )
    graph = onnx.load(str(path))
    for each in folder.iterdir():  # a large model is traced into one file a tensor
        each.unlink()
    return save(graph, folder, one_file_bytes)


def fuse(source: Path, description: Description, folder: Path) -> Path:
    """The graph with attention, normalization and activation each in one node."""
    config = description.config
    options = FusionOptions("bert")
    options.enable_embed_layer_norm = False  # its inputs would become int32
    with _quiet():
        fused = optimize_model(
            str(source),
            model_type="bert",
            num_heads=config.num_attention_heads or 0,
            hidden_size=config.hidden_size or 0,
            optimization_options=options,
            opt_level=0,
        )
        fused.save_model_to_file(str(folder / MODEL_FILE))
    return folder / MODEL_FILE


def store(source: Path, precision: Literal["fp16", "int8"], folder: Path, one_file_bytes: int = ONE_FILE_BYTES) -> Path:
    """Large weights stored smaller, and widened where they are used: everything is computed in fp32.

    onnxruntime widens them once, when it loads the graph. Its own quantizer computes in 8-bit integers instead, with one scale
    for all activations of a batch: about twice as fast, but then an answer depends on what else stands in its batch, and a
    remembered one is no longer the one that would be given now.
    """
    narrow = {"fp16": _as_fp16, "int8": _as_int8}[precision]
    graph = onnx.load(str(source))
    widening: list[Any] = []
    for tensor in tuple(graph.graph.initializer):
        wide = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or wide.size < _LARGE or wide.ndim < 2:
            continue
        if (stored := narrow(tensor.name, wide)) is not None:
            tensors, nodes = stored
            graph.graph.initializer.remove(tensor)
            graph.graph.initializer.extend(tensors)
            widening.extend(nodes)
    for node in reversed(widening):
        graph.graph.node.insert(0, node)
    return save(graph, folder, one_file_bytes)


def _as_fp16(name: str, wide: Wide) -> Stored | None:
    """`None`: the numbers are too large for fp16."""
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float16)
    if not np.isfinite(narrow).all():
        return None
    cast = helper.make_node("Cast", [f"{name}.fp16"], [name], f"{name}.widened", to=TensorProto.FLOAT)
    return [numpy_helper.from_array(narrow, f"{name}.fp16")], [cast]


def _as_int8(name: str, wide: Wide) -> Stored | None:
    """Whole numbers -127..127 times one scale a row or a column, whichever loses less. `None`: no matrix, or no numbers."""
    if wide.ndim != 2 or not wide.any():
        return None
    narrow, scale = min(
        (_scaled(wide, axis) for axis in (0, 1)), key=lambda parts: np.square(parts[0] * parts[1] - wide).sum()
    )
    tensors = [
        numpy_helper.from_array(narrow.astype(np.int8), f"{name}.int8"),
        numpy_helper.from_array(scale, f"{name}.scale"),
    ]
    cast = helper.make_node("Cast", [f"{name}.int8"], [f"{name}.whole"], f"{name}.widened", to=TensorProto.FLOAT)
    return tensors, [cast, helper.make_node("Mul", [f"{name}.whole", f"{name}.scale"], [name], f"{name}.scaled")]


def _scaled(wide: Wide, axis: int) -> tuple[Wide, Wide]:
    scale = np.abs(wide).max(axis=axis, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1
    return np.rint(wide / scale), scale


def save(graph: Any, folder: Path, one_file_bytes: int = ONE_FILE_BYTES) -> Path:
    """Write a graph, its weights beside it where they are too large for one file. Returns the path of the graph."""
    path = folder / MODEL_FILE
    size = sum(len(each.raw_data) for each in graph.graph.initializer)
    onnx.save_model(
        graph,
        str(path),
        save_as_external_data=size > one_file_bytes,
        all_tensors_to_one_file=True,
        location=DATA_FILE,
        size_threshold=_LARGE,
    )
    return path


def opset(path: Path) -> int:
    """Of the standard operators."""
    graph = onnx.load(str(path), load_external_data=False)
    return int(next(each.version for each in graph.opset_import if each.domain in ("", "ai.onnx")))


@contextmanager
def _quiet() -> Iterator[None]:
    """What the tracer and the optimizer warn of is measured afterwards: by the parity."""
    threshold = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(threshold)

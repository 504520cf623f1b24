"""The graph and how its weights are stored: traced, fused, as fp32, fp16 or int8, in one file or two.

Imported only where the extra `export` is installed.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model

from models.export.description import Description
from models.export.encoders import Classifier, Encoder
from models.scoring.card import DATA_FILE, MODEL_FILE

OPSET = 17
"""The newest one that the tracer writes, and old enough for onnxruntime's quantizer."""
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


def store_as_fp16(source: Path, folder: Path, one_file_bytes: int = ONE_FILE_BYTES) -> Path:
    """Large weights halved in size, widened again where they are used: computed in fp32.

    Weights that are too large for fp16 stay as they are.
    """
    graph = onnx.load(str(source))
    widened = []
    for tensor in graph.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT:
            continue
        wide = numpy_helper.to_array(tensor)
        with np.errstate(over="ignore"):
            narrow = wide.astype(np.float16)
        if wide.size < _LARGE or not np.isfinite(narrow).all():
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(narrow, f"{name}.fp16"))
        widened.append(helper.make_node("Cast", [f"{name}.fp16"], [name], name=f"{name}.widened", to=TensorProto.FLOAT))
    for node in reversed(widened):
        graph.graph.node.insert(0, node)
    return save(graph, folder, one_file_bytes)


def store_as_int8(source: Path, folder: Path, one_file_bytes: int = ONE_FILE_BYTES) -> Path:
    """Weights as 8-bit integers, products of matrices computed in integers.

    With seven bits of range: with all eight, processors without VNNI overflow silently and give other answers than the
    computer on which the parity was measured.
    """
    path = folder / MODEL_FILE
    large = sum(each.stat().st_size for each in source.parent.iterdir()) > one_file_bytes
    with _quiet():
        quantize_dynamic(
            source,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            use_external_data_format=large,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},  # behind fused nodes, whose types it cannot infer
        )
    graph = onnx.load(str(path))
    for each in folder.iterdir():
        each.unlink()
    return save(graph, folder, one_file_bytes)


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
    """What the tracer and the quantizer warn of is measured afterwards: by the parity."""
    threshold = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(threshold)

"""What an ONNX file says of itself, read without loading it: a model of a gigabyte is described in a blink.

An ONNX file is one protobuf message. Of its fields only those named here are looked at, all others are skipped.
Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

import math
import mmap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from core.errors import DamagedModel
from models.gguf_header import is_web_page

MODEL_GRAPH, MODEL_OPSETS = 7, 8
OPSET_DOMAIN, OPSET_VERSION = 1, 2
GRAPH_NODE, GRAPH_WEIGHTS = 1, 5
NODE_OPERATION = 4
TENSOR_DIMENSIONS, TENSOR_TYPE, TENSOR_EXTERNAL = 1, 2, 13
ENTRY_KEY, ENTRY_VALUE = 1, 2

Precision = Literal["fp32", "fp16", "int8"]
_PRECISION: dict[int, Precision] = {1: "fp32", 2: "int8", 3: "int8", 10: "fp16"}
"""By TensorProto.DataType; other types hold shapes and indices."""
_QUANTIZES = {b"DynamicQuantizeLinear", b"DynamicQuantizeMatMul", b"MatMulIntegerToFloat", b"QAttention"}


class OnnxFacts(Struct, frozen=True, kw_only=True):
    opset: int
    precision: Precision
    """How most of the weights are stored."""
    quantizes_inputs: bool
    """True: the graph finds the range of its inputs while it runs, over the whole batch, so that neighbors in a batch
    change one another's results."""
    other_files: frozenset[str]
    """Names of the files beside this one that hold weights."""


def read_onnx(path: Path) -> OnnxFacts:
    """Raises `DamagedModel` for a file that is cut off or no ONNX file."""
    with path.open("rb") as file:
        beginning = file.read(1024)
        if beginning.startswith(b"version https://git-lfs"):
            raise DamagedModel(f"“{path.name}” is only a pointer to the model (Git LFS); download the file itself.")
        if is_web_page(beginning) or not beginning:
            raise DamagedModel(f"“{path.name}” is no model file; download it again.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _facts(data)
            except (IndexError, ValueError) as error:
                raise DamagedModel(f"“{path.name}” is cut off or no ONNX file; get it again.") from error


def _facts(data: mmap.mmap) -> OnnxFacts:
    opset, graph = None, None
    for number, start, end in _fields(data, 0, len(data)):
        if number == MODEL_GRAPH:
            graph = start, end
        elif number == MODEL_OPSETS:
            domain, version = b"", 0
            for part, first, last in _fields(data, start, end):
                domain = data[first:last] if part == OPSET_DOMAIN else domain
                version = _number(data, first)[0] if part == OPSET_VERSION else version
            opset = version if domain in (b"", b"ai.onnx") else opset
    if graph is None or opset is None:
        raise ValueError("no graph")
    weights: Counter[Precision] = Counter()
    operations: set[bytes] = set()
    other_files: set[str] = set()
    for number, start, end in _fields(data, *graph):
        if number == GRAPH_NODE:
            operations |= {
                data[first:last] for part, first, last in _fields(data, start, end) if part == NODE_OPERATION
            }
        elif number == GRAPH_WEIGHTS:
            kind, count, external = _tensor(data, start, end)
            other_files |= external
            if kind in _PRECISION:
                weights[_PRECISION[kind]] += count
    return OnnxFacts(
        opset=opset,
        precision=weights.most_common(1)[0][0] if weights else "fp32",
        quantizes_inputs=bool(operations & _QUANTIZES),
        other_files=frozenset(other_files),
    )


def _tensor(data: mmap.mmap, start: int, end: int) -> tuple[int, int, set[str]]:
    """Type, number of elements and the files that hold them, where they are not in this one."""
    kind, dimensions, files = 0, [], set()
    for number, first, last in _fields(data, start, end):
        if number == TENSOR_TYPE:
            kind = _number(data, first)[0]
        elif number == TENSOR_DIMENSIONS:
            while first < last:  # one number, or several packed
                dimension, first = _number(data, first)
                dimensions.append(dimension)
        elif number == TENSOR_EXTERNAL:
            entry = {part: data[begin:stop] for part, begin, stop in _fields(data, first, last)}
            if entry.get(ENTRY_KEY) == b"location":
                files.add(entry.get(ENTRY_VALUE, b"").decode("utf-8", "replace"))
    return kind, math.prod(dimensions), files


def _fields(data: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of the value of each field of a message. Raises `IndexError`, `ValueError`."""
    while start < end:
        tag, start = _number(data, start)
        match tag & 7:
            case 0:  # a number
                stop = _number(data, start)[1]
            case 1:  # eight bytes
                stop = start + 8
            case 2:  # so many bytes: a text, a message, numbers in a row
                length, start = _number(data, start)
                stop = start + length
            case 5:  # four bytes
                stop = start + 4
            case _:
                raise ValueError("no such field")
        if stop > end:
            raise ValueError("cut off")
        yield tag >> 3, start, stop
        start = stop


def _number(data: mmap.mmap, start: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = data[start]
        value |= (byte & 127) << shift
        start, shift = start + 1, shift + 7
        if byte < 128:
            return value, start
        if shift > 63:
            raise ValueError("no number")

"""What a GGUF file says of itself, read without loading its weights.

The reader of the `gguf` package builds an array for each of the vocabulary's pieces, which takes seconds and half a
gigabyte; this one walks past them.
Source: GGUF specification, versions 2 and 3.
"""

import mmap
import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from core.errors import BadInput, DamagedModel, UnsupportedModel

MAGIC = b"GGUF"
VERSIONS = (2, 3)

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_WEB_PAGE_SIGNS = (b"<!doctype", b"<html", b"<head", b"<?xml", b"<script", b"<body")

Value = str | int | float | bool


class GgufHeader(Struct, frozen=True, kw_only=True):
    architecture: str
    """Name of the network's design, for instance `llama`."""
    name: str | None
    license: str | None
    parameters: int
    """Number of weights in all tensors."""
    quantization: str
    """File type, for instance `Q4_K_M`; the commonest tensor type where the file does not say."""
    context_tokens: int | None
    """Tokens that the model was trained to see at once."""
    chat_template: str | None


class _Tensor(NamedTuple):
    elements: int
    type: int
    offset: int


def is_web_page(first_bytes: bytes) -> bool:
    """Whether the beginning of a file is that of a web page, for instance of a login page saved as a model."""
    start = first_bytes.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith(_WEB_PAGE_SIGNS)


def read_header(path: Path) -> GgufHeader:
    """Read the header and check that the file is long enough to hold every tensor that it promises.

    Raises `DamagedModel` for a file that is truncated or no GGUF file, `UnsupportedModel` for one that is whole but not
    a language model in one file of version 2 or 3, `BadInput` where the file may not be read, `FileNotFoundError`.
    """
    try:
        file = path.open("rb")
    except PermissionError as error:
        raise BadInput(
            f"“{path.name}” may not be read; change its permissions or copy it to a folder of yours."
        ) from error
    with file:
        _check_start(path, file.read(1024))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                return _header(path, content)
            except (struct.error, _Malformed) as error:
                raise DamagedModel(
                    f"The header of “{path.name}” is damaged or cut off; fetch or copy the file again."
                ) from error


class _Malformed(Exception):
    """A length or type in the header makes no sense."""


def _check_start(path: Path, start: bytes) -> None:
    if is_web_page(start):
        raise DamagedModel(
            f"“{path.name}” is a web page under a model's name, often a login page; sign in and fetch the model again."
        )
    if not start.startswith(MAGIC):
        raise DamagedModel(f"“{path.name}” is no GGUF file; choose a model file whose name ends in .gguf.")
    if len(start) < 24:
        raise DamagedModel(f"“{path.name}” ends after {len(start)} bytes; fetch or copy the file again.")
    (version,) = struct.unpack_from("<I", start, 4)
    if version not in VERSIONS:
        raise UnsupportedModel(
            f"“{path.name}” is in GGUF version {version} or for another kind of processor; choose a file in version 3."
        )


def _header(path: Path, content: mmap.mmap) -> GgufHeader:
    walk = _Walk(content)
    walk.position = 8
    tensor_count = walk.number("<Q")
    value_count = walk.number("<Q")
    values: dict[str, Value] = {}
    for _ in range(value_count):
        key = walk.string()
        value = walk.value()
        if value is not None:
            values[key] = value
    tensors = [walk.tensor() for _ in range(tensor_count)]
    _check_kind(path, values, tensors)
    _check_length(path, values, tensors, data_start=walk.position, file_bytes=len(content))

    architecture = str(values["general.architecture"])
    return GgufHeader(
        architecture=architecture,
        name=_text(values, "general.name"),
        license=_text(values, "general.license"),
        parameters=sum(tensor.elements for tensor in tensors),
        quantization=_quantization(values, tensors),
        context_tokens=_count(values, f"{architecture}.context_length"),
        chat_template=_text(values, "tokenizer.chat_template"),
    )


class _Walk:
    """A position in the header that moves on with everything that is read. All numbers are little-endian."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self.position = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._content, self.position)
        self.position += struct.calcsize(form)
        return int(value)

    def string(self) -> str:
        length = self.number("<Q")
        self._skip(length)
        # A stray byte in a name is no reason to refuse a model.
        return self._content[self.position - length : self.position].decode("utf-8", errors="replace")

    def value(self) -> Value | None:
        """The next value; `None` for a list, which is walked past."""
        kind = self.number("<I")
        if kind == _ARRAY:
            self._skip_array()
            return None
        if kind == _STRING:
            return self.string()
        form = _scalar(kind)
        value: Value = struct.unpack_from(form, self._content, self.position)[0]
        self.position += struct.calcsize(form)
        return value

    def tensor(self) -> _Tensor:
        self.string()
        dimensions = self.number("<I")
        if not 1 <= dimensions <= 4:
            raise _Malformed
        elements = 1
        for _ in range(dimensions):
            elements *= self.number("<Q")
        return _Tensor(elements, self.number("<I"), self.number("<Q"))

    def _skip_array(self) -> None:
        kind = self.number("<I")
        count = self.number("<Q")
        if kind == _STRING:
            for _ in range(count):
                self._skip(self.number("<Q"))
        else:
            self._skip(count * struct.calcsize(_scalar(kind)))

    def _skip(self, count: int) -> None:
        self.position += count
        if self.position > len(self._content):
            raise _Malformed


def _scalar(kind: int) -> str:
    if kind not in _SCALARS:
        raise _Malformed
    return _SCALARS[kind]


def _text(values: Mapping[str, Value], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _count(values: Mapping[str, Value], key: str) -> int | None:
    value = values.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or value < 1:
        raise _Malformed
    return value


def _check_kind(path: Path, values: Mapping[str, Value], tensors: list[_Tensor]) -> None:
    parts = values.get("split.count")
    if isinstance(parts, int) and parts > 1:
        raise UnsupportedModel(f"“{path.name}” is one of {parts} parts of a model; join them into one file first.")
    if "general.architecture" not in values or not tensors or values.get("general.type", "model") != "model":
        raise UnsupportedModel(f"“{path.name}” holds no language model; choose the model file itself.")


def _check_length(
    path: Path, values: Mapping[str, Value], tensors: list[_Tensor], *, data_start: int, file_bytes: int
) -> None:
    from gguf.constants import GGML_QUANT_SIZES, GGUF_DEFAULT_ALIGNMENT, GGMLQuantizationType

    alignment = _count(values, "general.alignment") or GGUF_DEFAULT_ALIGNMENT
    data_start += -data_start % alignment
    sizes = {int(GGMLQuantizationType(kind)): size for kind, size in GGML_QUANT_SIZES.items()}
    needed = data_start
    for tensor in tensors:
        # The size of a type that is newer than this program is not known; its beginning must lie within the file.
        block_elements, block_bytes = sizes.get(tensor.type, (1, 0))
        needed = max(needed, data_start + tensor.offset + tensor.elements // block_elements * block_bytes)
    if needed > file_bytes:
        raise DamagedModel(
            f"“{path.name}” is cut off: {needed - file_bytes:,} of its {needed:,} bytes are missing; "
            "fetch or copy the file again."
        )


def _quantization(values: Mapping[str, Value], tensors: list[_Tensor]) -> str:
    from gguf.constants import GGMLQuantizationType, LlamaFileType

    file_types = {int(each): str(each.name) for each in LlamaFileType}
    stated = values.get("general.file_type")
    if isinstance(stated, int) and stated in file_types and stated != LlamaFileType.GUESSED:
        return file_types[stated].removeprefix("MOSTLY_").removeprefix("ALL_")
    weights: Counter[int] = Counter()
    for tensor in tensors:
        weights[tensor.type] += tensor.elements
    ((commonest, _),) = weights.most_common(1)
    tensor_types = {int(each): str(each.name) for each in GGMLQuantizationType}
    return tensor_types.get(commonest, f"type {commonest}")

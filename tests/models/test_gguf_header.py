"""A header tells what the model is, and no broken file passes for a model."""

from contextlib import suppress
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DamagedModel, UnsupportedModel, UserError
from models.gguf_header import is_web_page, read_header
from tests.models.tiny_gguf import CHAT_TEMPLATE, write_tiny_llama, write_tiny_mamba


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf").read_bytes()


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf") / "cut.gguf"


def small_file(path: Path, *, kind: str = "model", file_type: int | None = None, architecture: str = "llama") -> Path:
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type(kind)
    if file_type is not None:
        writer.add_file_type(file_type)
    writer.add_tensor("norm", np.ones(32, np.float32))
    writer.add_tensor("big", np.ones((8, 32), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_header_of_a_llama(tmp_path: Path) -> None:
    header = read_header(write_tiny_llama(tmp_path / "模型 é.gguf", context=512))
    assert (header.architecture, header.name, header.license) == ("llama", "Tiny random llama", "cc0-1.0")
    assert (header.quantization, header.context_tokens) == ("F32", 512)
    assert header.chat_template == CHAT_TEMPLATE


def test_parameters_agree_with_the_reader_of_the_gguf_package(tmp_path: Path) -> None:
    path = write_tiny_mamba(tmp_path / "mamba.gguf")
    expected = sum(int(tensor.n_elements) for tensor in gguf.GGUFReader(path).tensors)
    assert read_header(path).parameters == expected


def test_a_missing_template_is_told_as_missing(tmp_path: Path) -> None:
    assert read_header(write_tiny_llama(tmp_path / "plain.gguf", template=False)).chat_template is None


def test_what_the_file_does_not_say_is_not_made_up(tmp_path: Path) -> None:
    header = read_header(small_file(tmp_path / "small.gguf"))
    assert (header.name, header.license, header.context_tokens) == (None, None, None)


@pytest.mark.parametrize("file_type", [None, 1024, 987])
def test_without_a_usable_file_type_the_commonest_tensor_type_is_told(tmp_path: Path, file_type: int | None) -> None:
    assert read_header(small_file(tmp_path / "small.gguf", file_type=file_type)).quantization == "F16"


def test_stated_file_type(tmp_path: Path) -> None:
    assert read_header(small_file(tmp_path / "small.gguf", file_type=15)).quantization == "Q4_K_M"


@given(share=st.floats(0, 1, exclude_max=True))
def test_every_truncation_is_noticed(tiny: bytes, cut: Path, share: float) -> None:
    cut.write_bytes(tiny[: int(share * len(tiny))])
    with pytest.raises(DamagedModel):
        read_header(cut)


def test_one_missing_byte_is_noticed_and_counted(tiny: bytes, cut: Path) -> None:
    cut.write_bytes(tiny[:-1])
    with pytest.raises(DamagedModel, match="1 of its"):
        read_header(cut)


@given(at=st.integers(4, 20_000), byte=st.integers(0, 255))
def test_a_changed_byte_never_looks_like_a_bug_of_ours(tiny: bytes, cut: Path, at: int, byte: int) -> None:
    cut.write_bytes(tiny[:at] + bytes([byte]) + tiny[at + 1 :])
    with suppress(UserError):
        read_header(cut)


@pytest.mark.parametrize(
    "page", ["<!DOCTYPE html><html>sign in", "\ufeff\n  <HTML><head>", '<?xml version="1.0"?><html>'], ids=str
)
def test_a_saved_login_page_is_called_one(tmp_path: Path, page: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_text(page, encoding="utf-8")
    with pytest.raises(DamagedModel, match="web page"):
        read_header(path)


@pytest.mark.parametrize("content", [b"", b"GG", b"PK\x03\x04 a zip file", b"\0" * 5000])
def test_other_files_are_no_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(DamagedModel, match="no GGUF file"):
        read_header(path)


def test_a_model_is_no_web_page(tiny: bytes) -> None:
    assert not is_web_page(tiny[:1024])


@pytest.mark.parametrize("version", [b"\x01\0\0\0", b"\x04\0\0\0", b"\0\0\0\x03"])
def test_other_versions_are_not_called_damaged(tiny: bytes, cut: Path, version: bytes) -> None:
    cut.write_bytes(tiny[:4] + version + tiny[8:])
    with pytest.raises(UnsupportedModel, match="version 3"):
        read_header(cut)


def test_an_adapter_is_no_language_model(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match="no language model"):
        read_header(small_file(tmp_path / "lora.gguf", kind="adapter"))


def test_one_part_of_a_split_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "part-00001-of-00002.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint16("split.count", 2)
    writer.add_tensor("norm", np.ones(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UnsupportedModel, match="one of 2 parts"):
        read_header(path)


@pytest.mark.parametrize(("write", "recurrent"), [(write_tiny_llama, False), (write_tiny_mamba, True)])
def test_the_engine_runs_the_tiny_models(tmp_path: Path, write, recurrent: bool) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    model = llama_cpp.Llama(str(write(tmp_path / "tiny.gguf")), n_ctx=128, n_threads=1, verbose=False)
    try:
        reply = model.create_completion("fever", max_tokens=4, temperature=0)
        assert reply["usage"]["completion_tokens"] > 0
        assert llama_cpp.llama_model_is_recurrent(model._model.model) is recurrent
    finally:
        model.close()


@pytest.mark.parametrize("write", [write_tiny_llama, write_tiny_mamba])
def test_the_tiny_models_are_the_same_every_time(tmp_path: Path, write) -> None:
    assert write(tmp_path / "a.gguf").read_bytes() == write(tmp_path / "b.gguf").read_bytes()

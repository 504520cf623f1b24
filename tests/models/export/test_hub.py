"""From the hub come the files that an export needs, of the one revision that the card names."""

import json
from collections.abc import Iterator
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("torch", reason="the extra `export` is not installed")
pytest.importorskip("huggingface_hub", reason="the extra `export` is not installed")

from core.errors import DownloadFailed
from models.export.origin import find_origin
from models.export_onnx import export
from models.fetch import HUB_VARIABLE
from tests.models import tiny_transformers as tiny

COMMIT = "0123456789abcdef0123456789abcdef01234567"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


class SmallHub(ThreadingHTTPServer):
    """One folder as `maker/model`, whose branch main is at one commit."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.folder = folder
        self.fetched: set[str] = set()


class _Answer(BaseHTTPRequestHandler):
    server: SmallHub

    def do_GET(self) -> None:
        if self.path.split("?")[0] in ("/api/models/maker/model", f"/api/models/maker/model/revision/{COMMIT}"):
            names = [
                str(each.relative_to(self.server.folder)) for each in self.server.folder.rglob("*") if each.is_file()
            ]
            self._send(
                json.dumps(
                    {"id": "maker/model", "sha": COMMIT, "siblings": [{"rfilename": each} for each in names]}
                ).encode()
            )
        else:
            self._file()

    do_HEAD = do_GET

    def _file(self) -> None:
        name = self.path.split("?")[0].removeprefix(f"/maker/model/resolve/{COMMIT}/")
        path = self.server.folder / name
        if not path.is_file():
            self.send_error(404)
            return
        if self.command == "GET":
            self.server.fetched.add(name)
        self._send(path.read_bytes())

    def _send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{sha1(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    folder = tiny.write_stella_qwen2(tmp_path / "model")
    for superfluous in ("onnx/model.onnx", "2_Dense_8192/model.safetensors", "pytorch_model.bin"):
        (folder / superfluous).parent.mkdir(exist_ok=True)
        (folder / superfluous).write_bytes(b"large")
    server = SmallHub(folder)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv(HUB_VARIABLE, f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()


def test_a_name_on_the_hub_is_pinned_to_what_it_means_today(hub: SmallHub, tmp_path: Path) -> None:
    card = export("maker/model", tmp_path / "out", precision="fp16").card
    assert (card.source, card.id) == (f"maker/model@{COMMIT}", "model-fp16")
    assert {
        "model.safetensors",
        "2_Dense_24/model.safetensors",
        "tokenizer.json",
        "1_Pooling/config.json",
    } <= hub.fetched
    assert not {"onnx/model.onnx", "2_Dense_8192/model.safetensors", "pytorch_model.bin"} & hub.fetched


def test_a_name_that_the_hub_does_not_know_is_said(hub: SmallHub) -> None:
    with pytest.raises(DownloadFailed, match="“maker/other” could not be fetched"):
        find_origin("maker/other")


def test_a_hub_out_of_reach_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HUB_VARIABLE, "http://127.0.0.1:9")
    with pytest.raises(DownloadFailed, match="check the name and the connection"):
        find_origin("maker/model")

"""A model hub on this computer that misbehaves as it is told."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

LOGIN_PAGE = b"<!DOCTYPE html>\n<html><body><h1>Guest network: please sign in</h1></body></html>"


class FlakyHub:
    """What the server does, and what it was asked."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.drop_after_bytes: int | None = None
        """Each answer breaks off after so many bytes."""
        self.knows_ranges = True
        self.content_type = "application/octet-stream"
        self.tells_length = True
        self.status: int | None = None
        """Answer every request with this code and no file."""
        self.asked: list[tuple[str, str | None]] = []
        """Path and Range of each request."""
        self.address = ""


@contextmanager
def serving(content: bytes) -> Iterator[FlakyHub]:
    """Run a hub with this one file while the block lasts."""
    hub = FlakyHub(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, hub)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing on the test's error stream."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(request: BaseHTTPRequestHandler, hub: FlakyHub) -> None:
    asked = request.headers.get("Range")
    hub.asked.append((request.path, asked))
    if hub.status is not None:
        request.send_error(hub.status)
        return
    start = int(re.findall(r"\d+", asked)[0]) if asked and hub.knows_ranges else 0
    total = len(hub.content)
    request.send_response(206 if start else 200)
    request.send_header("Content-Type", hub.content_type)
    if start:
        request.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
    if hub.tells_length:
        request.send_header("Content-Length", str(total - start))
    request.end_headers()
    end = total if hub.drop_after_bytes is None else start + hub.drop_after_bytes
    request.wfile.write(hub.content[start:end])

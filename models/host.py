"""The engine process of a chat model: `python -m models.host FILE ID SHA256`."""

import sys
from pathlib import Path

from core.ports import CancelToken
from models.serving import Send, serve
from models.wire import Ask, Done, Finished, Ready, to_engine


class _Host:
    """One model, loaded."""

    def __init__(self, path: Path, model_id: str, sha256: str) -> None:
        from models.gguf.engine import GgufModel

        self._model = GgufModel(path, model_id, sha256)

    @property
    def ready(self) -> Ready:
        return Ready(self._model.identity)

    def answer(self, ask: Ask, send: Send, cancel: CancelToken) -> None:
        for address, reply in self._model.ask_all(ask.requests, send, cancel):
            send(Finished(address, reply))
        send(Done())

    def close(self) -> None:
        self._model.close()


def main(arguments: list[str]) -> int:
    """Serve the model given as path, id and sha256. Returns the exit code."""
    path, model_id, sha256 = arguments
    return serve(lambda: _Host(Path(path), model_id, sha256), to_engine)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The engine process: loads one model and answers batches that arrive as lines on standard input.

It ends when its input ends, so it never outlives the program that started it, however that program ended.
"""

import os
import queue
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import BinaryIO

from core import errors
from core.ports import Signal
from models.wire import Ask, Done, Finished, FromEngine, Ready, Refused, Stop, encode, to_engine


def main(arguments: list[str]) -> int:
    """Serve the model given as path, id and sha256. Returns the exit code."""
    path, model_id, sha256 = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; the parent decides what it means
    output = _own_output()
    batches: queue.Queue[Ask | None] = queue.Queue()
    cancel = threading.Event()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, batches, cancel), daemon=True).start()

    def send(message: FromEngine | Signal) -> None:
        output.write(encode(message) + b"\n")
        output.flush()

    try:
        from models.gguf.engine import GgufModel

        model = GgufModel(Path(path), model_id, sha256)
    except Exception as error:  # the parent shows it; this process has no screen
        send(_refusal(error))
        return 1
    send(Ready(model.identity))
    while (ask := batches.get()) is not None:
        try:
            for address, reply in model.ask_all(ask.requests, send, cancel):
                send(Finished(address, reply))
            send(Done())
        except Exception as error:
            send(_refusal(error))
    model.close()
    return 0


def _own_output() -> BinaryIO:
    """The real standard output for our lines only; whatever else is printed goes nowhere, it could quote the case."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return os.fdopen(kept, "wb")


def _listen(lines: BinaryIO, batches: "queue.Queue[Ask | None]", cancel: threading.Event) -> None:
    for line in lines:
        message = to_engine(line)
        if isinstance(message, Stop):
            cancel.set()
        else:
            cancel.clear()  # here and not where the batch begins: a stop that follows at once must not be lost
            batches.put(message)
    cancel.set()
    batches.put(None)


def _refusal(error: Exception) -> Refused:
    kind = type(error).__name__
    if isinstance(error, errors.UserError | errors.Stopped):
        return Refused(kind, str(error))  # type: ignore[arg-type]
    places = "".join(traceback.format_tb(error.__traceback__))
    return Refused("bug", f"{kind}\n{places}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The engine process's end of the line: it loads, then takes orders from standard input until that ends.

So it never outlives the program that started it, however that program ended.
"""

import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import BinaryIO, Protocol, TypeVar

from msgspec import Struct

from core import errors
from core.ports import CancelToken
from models.wire import Refused, Stop, encode

Order = TypeVar("Order", bound=Struct)
Order_in = TypeVar("Order_in", bound=Struct, contravariant=True)
Send = Callable[[Struct], None]


class Served(Protocol[Order_in]):
    """What the process has loaded."""

    @property
    def ready(self) -> Struct:
        """The first message."""
        ...

    def answer(self, order: Order_in, send: Send, cancel: CancelToken) -> None: ...

    def close(self) -> None: ...


def serve(load: Callable[[], Served[Order]], read: Callable[[bytes], Order | Stop]) -> int:
    """Load, and answer one order after the other. Returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; the parent decides what it means
    output = _own_output()
    orders: queue.Queue[Order | None] = queue.Queue()
    cancel = threading.Event()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, read, orders, cancel), daemon=True).start()

    def send(message: Struct) -> None:
        output.write(encode(message) + b"\n")
        output.flush()

    try:
        served = load()
    except Exception as error:  # the parent shows it; this process has no screen
        send(_refusal(error))
        return 1
    send(served.ready)
    while (order := orders.get()) is not None:
        try:
            served.answer(order, send, cancel)
        except Exception as error:
            send(_refusal(error))
    served.close()
    return 0


def _own_output() -> BinaryIO:
    """The real standard output for our lines only; whatever else is printed goes nowhere, it could quote the case."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return os.fdopen(kept, "wb")


def _listen(
    lines: BinaryIO,
    read: Callable[[bytes], Order | Stop],
    orders: "queue.Queue[Order | None]",
    cancel: threading.Event,
) -> None:
    for line in lines:
        message = read(line)
        if isinstance(message, Stop):
            cancel.set()
        else:
            cancel.clear()  # here and not where the work begins: a stop that follows at once must not be lost
            orders.put(message)
    cancel.set()
    orders.put(None)


def _refusal(error: Exception) -> Refused:
    kind = type(error).__name__
    if isinstance(error, errors.UserError | errors.Stopped):
        return Refused(kind, str(error))  # type: ignore[arg-type]
    places = "".join(traceback.format_tb(error.__traceback__))
    return Refused("bug", f"{kind}\n{places}")

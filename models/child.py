"""The program's end of an engine process: starts it, talks to it in lines, and says in words how it died."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from typing import IO, Generic, TypeVar

import msgspec
from msgspec import Struct

from core import errors
from core.ports import CancelToken
from models.openmp import ENVIRONMENT
from models.wire import Refused, Stop, encode

POLL_S = 0.05
"""How often a running batch looks whether it shall stop."""
END_S = 5.0
"""How long an engine may take to end after its input was closed."""

Said = TypeVar("Said")
"""What this engine may say, beside `Refused`."""


class EngineBug(Exception):
    """A fault in our own code inside the engine process."""


class Child(Generic[Said]):
    """One engine process, which is started when it is needed and again after it died.

    `module` is run with the arguments; `read` makes a message of a line; one message of the type `last` ends an answer.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        read: Callable[[bytes], Said | Refused],
        last: type[Struct] | tuple[type[Struct], ...],
    ) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._read, self._last = read, last
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.Queue[Said | Refused | None] = queue.Queue()

    def start(self, cancel: CancelToken) -> Said | None:
        """Start the process and wait for its first message; `None` where it runs already.

        Raises what it refuses with, `EngineFailed`, `Stopped`.
        """
        if self._process is not None and self._process.poll() is None:
            return None
        self._messages = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT},
        )
        threading.Thread(target=self._listen, args=(self._process.stdout, self._messages), daemon=True).start()
        while (message := self._next()) is None:
            if cancel.is_set():
                self._process.kill()  # nothing is lost: it only reads the model file
                self.close()
                raise errors.Stopped
        if isinstance(message, Refused):
            self.close()
            raise _raised(message)
        return message

    def answers(self, order: Struct, cancel: CancelToken) -> Generator[Said, None, None]:
        """Send an order to the started process and yield what it says, the last message included.

        A wish to stop is passed on; whoever leaves early closes the iterator, and the process stops its work.
        Raises what the process refuses with, `Stopped`, `EngineFailed`.
        """
        self._send(order)
        over = stop_sent = False
        try:
            while not over:
                if cancel.is_set() and not stop_sent:
                    self._send(Stop())
                    stop_sent = True
                message = self._next()
                if isinstance(message, Refused):
                    over = True
                    raise _raised(message)
                if message is not None:
                    over = isinstance(message, self._last)
                    yield message
        except errors.EngineFailed:
            over = True
            raise
        finally:
            if not over:
                self._abandon()

    def close(self) -> None:
        """End the process; it has a few seconds for that."""
        process, self._process = self._process, None
        if process is None:
            return
        _close_input(process)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _send(self, message: Struct) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(encode(message) + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._death() from None

    def _next(self) -> Said | Refused | None:
        """The next message, or None where none came in time. Raises `EngineFailed` when the process is gone."""
        try:
            message = self._messages.get(timeout=POLL_S)
        except queue.Empty:
            return None
        if message is None:
            raise self._death()
        return message

    def _abandon(self) -> None:
        """The caller left in the middle of an answer: stop it and take the rest off the line."""
        try:
            self._send(Stop())
            while not isinstance(self._next(), (Refused, self._last)):
                pass
        except errors.EngineFailed:
            return  # it died; the next order starts it anew

    def _death(self) -> errors.EngineFailed:
        assert self._process is not None
        _close_input(self._process)
        code = self._process.wait()
        self._process = None
        return errors.EngineFailed(f"The engine ended unexpectedly: {cause_of_death(code)}.")

    def _listen(self, lines: IO[bytes], messages: "queue.Queue[Said | Refused | None]") -> None:
        with lines:
            for line in lines:
                try:
                    messages.put(self._read(line))
                except msgspec.MsgspecError:
                    break  # half a line: the process died while it wrote
        messages.put(None)


def cause_of_death(code: int) -> str:
    """An exit code in words: signals by name, Windows status codes as 32-bit hexadecimal with their meaning."""
    if -64 < code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        hints = {
            "SIGILL": "the processor lacks an instruction",
            "SIGKILL": "the system stopped it, often out of memory",
        }
        return f"{name} ({hints[name]})" if name in hints else name
    status = code & 0xFFFFFFFF
    known = {
        0xC000001D: "the processor lacks an instruction",
        0xC0000005: "access violation",
        0xC0000135: "a library file is missing",
        0xC0000142: "a library could not be set up",
        0xC0000409: "it gave up by itself",
    }
    return f"0x{status:08X} ({known[status]})" if status in known else f"exit code {code}"


def _close_input(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # what was not sent yet, nobody reads any more
        process.stdin.close()


def _raised(refused: Refused) -> Exception:
    if refused.kind == "Stopped":
        return errors.Stopped()
    if refused.kind == "bug":
        return EngineBug(refused.sentence)
    kind: type[errors.UserError] = getattr(errors, refused.kind)
    return kind(refused.sentence)

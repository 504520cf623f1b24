"""The client of the engine process: the same port, in another process, so that a native crash cannot take the program."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import IO

import msgspec

from core import errors
from core.ports import Address, CancelToken, ChatRequest, ModelIdentity, Reply, Watch
from models.shelf import ShelvedModel
from models.wire import Ask, Done, Finished, FromEngine, Ready, Refused, Stop, ToEngine, encode, from_engine

POLL_S = 0.05
"""How often a running batch looks whether it shall stop."""
END_S = 5.0
"""How long an engine may take to end after its input was closed."""


class EngineBug(Exception):
    """A fault in our own code inside the engine process."""


class RemoteModel:
    """`core.ports.ChatModel` served by a child process, which is started when it is needed and again after it died."""

    def __init__(self, shelved: ShelvedModel) -> None:
        self._shelved = shelved
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.Queue[FromEngine | None] = queue.Queue()
        self._identity: ModelIdentity | None = None
        self._stop_sent = False

    @property
    def identity(self) -> ModelIdentity:
        """Loads the model where it is not loaded yet. Raises as loading does."""
        if self._identity is None:
            self._started(threading.Event())
        assert self._identity is not None
        return self._identity

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

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        self._started(cancel)
        self._send(Ask(tuple(requests)))
        self._stop_sent = False
        over = False
        try:
            while not over:
                message = self._received(cancel)
                match message:
                    case Finished(address, reply):
                        yield address, reply
                    case Done():
                        over = True
                    case Refused():
                        over = True
                        raise _raised(message)
                    case Ready():
                        raise EngineBug("the engine said twice that it is ready")
                    case _:
                        watch(message)
        except errors.EngineFailed:
            over = True
            raise
        finally:
            if not over:
                self._abandon()

    def _started(self, cancel: CancelToken) -> None:
        """Start the process and wait until the model is loaded. Raises `UnsupportedModel`, `EngineFailed`, `Stopped`."""
        if self._process is not None and self._process.poll() is None:
            return
        shelved = self._shelved
        self._messages = queue.Queue()
        self._process = subprocess.Popen(
            [*host_command(), str(shelved.path), shelved.card.id, shelved.card.sha256],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
        )
        threading.Thread(target=_read, args=(self._process.stdout, self._messages), daemon=True).start()
        while (message := self._next(POLL_S)) is None:
            if cancel.is_set():
                self._process.kill()  # nothing is lost: it only reads the model file
                self.close()
                raise errors.Stopped
        if isinstance(message, Refused):
            self.close()
            raise _raised(message)
        assert isinstance(message, Ready)
        self._identity = message.identity

    def _send(self, message: ToEngine) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(encode(message) + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._death() from None

    def _received(self, cancel: CancelToken) -> FromEngine:
        """The next message. Passes a wish to stop on, once; raises `EngineFailed` when the process is gone."""
        while True:
            if cancel.is_set() and not self._stop_sent:
                self._send(Stop())
                self._stop_sent = True
            if (message := self._next(POLL_S)) is not None:
                return message

    def _next(self, timeout_s: float) -> FromEngine | None:
        """The next message, or None where none came in time. Raises `EngineFailed` when the process is gone."""
        try:
            message = self._messages.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if message is None:
            raise self._death()
        return message

    def _abandon(self) -> None:
        """The caller left in the middle of a batch: stop it and take the rest off the line."""
        try:
            self._send(Stop())
            while not isinstance(self._received(threading.Event()), Done | Refused):
                pass
        except errors.EngineFailed:
            return  # it died; the next batch starts it anew

    def _death(self) -> errors.EngineFailed:
        assert self._process is not None
        _close_input(self._process)
        code = self._process.wait()
        self._process = None
        return errors.EngineFailed(f"The engine ended unexpectedly: {cause_of_death(code)}.")


def host_command() -> list[str]:
    """The command that starts the engine process."""
    return [sys.executable, "-m", "models.host"]


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


def _read(lines: IO[bytes], messages: "queue.Queue[FromEngine | None]") -> None:
    with lines:
        for line in lines:
            try:
                messages.put(from_engine(line))
            except msgspec.MsgspecError:
                break  # half a line: the process died while it wrote
    messages.put(None)


def _raised(refused: Refused) -> Exception:
    if refused.kind == "Stopped":
        return errors.Stopped()
    if refused.kind == "bug":
        return EngineBug(refused.sentence)
    kind: type[errors.UserError] = getattr(errors, refused.kind)
    return kind(refused.sentence)

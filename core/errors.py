"""What can go wrong and be mended by the person at the machine.

A `UserError` carries one sentence that says what happened and what to do next. Everything that is not a `UserError` is a
bug of ours and keeps its traceback.
"""


class UserError(Exception):
    """Something the clinician can mend. `str(error)` is the sentence to show."""


class BadInput(UserError):
    """The case, file or argument that was given cannot be used."""


class CaseTooLong(UserError):
    """The case or its debate does not fit into the model's context."""


class TextTooLong(UserError):
    """A text does not fit into the window of the scorer; nothing is ever cut to fit."""


class UnknownModel(UserError):
    """No model with this id or path."""


class DamagedModel(UserError):
    """A model file is truncated, has another checksum, or is no GGUF file."""


class UnsupportedModel(UserError):
    """The file is whole, but this engine cannot run it."""


class WrongKey(UserError):
    """The passphrase or key does not open this library."""


class DamagedLibrary(UserError):
    """The library file or its chain is damaged; the message names the first bad row."""


class NewerLibrary(UserError):
    """The library was written by a newer version of the program."""


class LibraryInUse(UserError):
    """Another window or command holds this library."""


class NotWritable(UserError):
    """A file or folder cannot be written, or the disk is full."""


class DownloadFailed(UserError):
    """A model could not be fetched; what was fetched so far is kept."""


class EngineFailed(UserError):
    """The engine process died or refused to start; the message names the cause."""


class Stopped(Exception):
    """The person asked to stop. Not an error: finished replies are kept, the case can be resumed."""


class LogMismatch(Exception):
    """The log holds another request at this address: the code or its inputs changed. A bug, or another protocol version."""

    def __init__(self, address: str) -> None:
        super().__init__(f"the log holds another request at {address}")
        self.address = address


class NotRecorded(Exception):
    """While replaying, a call was needed that the log does not hold: the case is not finished."""

    def __init__(self, address: str) -> None:
        super().__init__(f"the log holds no reply at {address}")
        self.address = address

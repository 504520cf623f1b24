"""The llama.cpp library, loaded once and with quiet logs.

The OpenMP runtime reads how threads wait when it is loaded, so this must be set before `llama_cpp` is imported; the engine
process gets it from its parent, the line below serves those who run the engine in their own process.
"""

import ctypes
import os
from typing import Any

from models.openmp import ENVIRONMENT

os.environ.update({name: os.environ.get(name, value) for name, value in ENVIRONMENT.items()})

import llama_cpp

lib: Any = llama_cpp
"""The bindings are not typed; everything typed starts at the classes of this package."""

_messages: list[str] = []


@lib.llama_log_callback  # type: ignore[untyped-decorator]
def _keep_last_errors(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Messages of llama.cpp are kept, not printed: the last errors explain a failed load. They never hold prompt text."""
    if level >= 3 and text.strip():
        _messages.append(text.decode("utf-8", "replace").strip())
        del _messages[:-20]


lib.llama_log_set(_keep_last_errors, ctypes.c_void_p(0))
lib.llama_backend_init()


def last_messages() -> str:
    """The last warnings and errors of llama.cpp, newest last."""
    return " | ".join(_messages[-4:])

"""How pages and workers tell the window that something happened: plain calls on one thread, checked for their types.

Threads hand nothing over by signals of their own: they are collected when Qt says that they have finished.
"""

from collections.abc import Callable
from typing import Generic, TypeVarTuple

Told = TypeVarTuple("Told")


class Announcement(Generic[*Told]):
    """Calls everybody who connected, in the order in which they did. Use it on the window's thread only."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[*Told], object]] = []

    def connect(self, listener: Callable[[*Told], object]) -> None:
        self._listeners.append(listener)

    def emit(self, *told: *Told) -> None:
        for listener in tuple(self._listeners):
            listener(*told)

"""Progress of a running case on the terminal: a table that is redrawn, or plain lines where there is no terminal."""

import time
from typing import TextIO

from rich.console import Console
from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from core.log.progress import Progress, Snapshot
from core.ports import ReplyFinished, Signal

NAMES = {
    "panel": "choosing the panel", "r1": "round 1, relevance", "r2": "round 2, triage", "r3": "round 3, own differentials",
    "r5a": "round 5, positions", "r5b": "round 5, challenges", "r5c": "round 5, answers", "r6": "round 6, ballots",
    "r7": "round 7, can't-miss", "cara": "comparing the reasoning", "referee": "referee", "noise": "referee, repeats",
}  # fmt: skip
PLAIN_EVERY_S = 20.0


class Live:
    """Shows round, specialists, tokens per second and time left. Never shows what is said."""

    def __init__(self, seats: int, stream: TextIO) -> None:
        self._progress = Progress(max(seats, 1), time.monotonic)
        self._console = Console(file=stream)
        self._live = RichLive(console=self._console, refresh_per_second=4, transient=True)
        self._stage: str | None = None
        self._told_s = 0.0
        self._open = False

    def __enter__(self) -> "Live":
        if self._console.is_terminal:
            self._live.start()
            self._open = True
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        if self._open:
            self._live.stop()
            self._open = False

    def take(self, signal: Signal) -> None:
        """The watch of the run."""
        self._progress.take(signal)
        snapshot = self._progress.snapshot()
        if self._open:
            self._live.update(_table(snapshot))
            return
        changed = snapshot.stage != self._stage and not (isinstance(signal, ReplyFinished) and signal.from_log)
        if changed or time.monotonic() - self._told_s > PLAIN_EVERY_S:
            self._stage, self._told_s = snapshot.stage, time.monotonic()
            self._console.print(_line(snapshot), markup=False, highlight=False, soft_wrap=True)


def _line(snapshot: Snapshot) -> str:
    done = sum(speaker.state == "done" for speaker in snapshot.speakers)
    parts = [NAMES.get(snapshot.stage or "", snapshot.stage or "starting")]
    if snapshot.speakers:
        parts.append(f"{done} of {len(snapshot.speakers)} done")
    if snapshot.tokens_per_s is not None:
        parts.append(f"{snapshot.tokens_per_s:.0f} tokens/s")
    if snapshot.left_s is not None:
        parts.append(f"about {_minutes(snapshot.left_s)} left")
    parts.append(f"{_minutes(snapshot.elapsed_s)} so far")
    return ", ".join(parts)


def _table(snapshot: Snapshot) -> Table:
    table = Table(title=Text(_line(snapshot)), title_justify="left", box=None)
    table.add_column("specialist", min_width=28)
    table.add_column("state", min_width=10)
    table.add_column("tokens", justify="right")
    for speaker in snapshot.speakers:
        table.add_row(Text(speaker.speaker), speaker.state, str(speaker.tokens))
    return table


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"

"""How far a case is: signals of the gate, folded into figures for the screen. Knows no log; the clock is passed in."""

from collections import deque
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from core.ports import (
    Address,
    BatchAsked,
    PromptEvaluated,
    ReplyFinished,
    ScoringAsked,
    Signal,
    TextGrown,
)

MonotonicClock = Callable[[], float]
"""Seconds from some moment on, for instance `time.monotonic`."""
SpeakerState = Literal["waiting", "writing", "done"]

STAGES = ("panel", "r1", "r2", "r3", "r5a", "r5b", "r5c", "r5b2", "r5c2", "r5b3", "r5c3", "r6", "r7", "cara", "referee")
"""Stages in which models work, in order."""
ONLY_IF_NEEDED = frozenset({"r5b2", "r5c2", "r5b3", "r5c3"})
"""The catfish and the answers to it: not expected before they begin."""

EXPECTED_TOKENS: dict[str, int] = {
    "panel": 200, "r1": 40, "r2": 120, "r3": 495, "r5a": 350, "r5b": 90, "r5c": 350,
    "r5b2": 90, "r5c2": 350, "r5b3": 90, "r5c3": 350, "r6": 25, "r7": 180, "cara": 0, "referee": 15,
}  # fmt: skip
"""Tokens that one specialist writes in a stage, all its calls together: ours, only for the estimate of the time left.
The panel is proposed by one call."""

_WINDOW_S = 10.0
_LEAST_SECONDS = 3.0
_LEAST_TOKENS = 20
"""Below these no speed is given: the first tokens come after a long prompt and say little."""


class SpeakerProgress(Struct, frozen=True, kw_only=True):
    """One specialist in the current stage."""

    speaker: str
    """Second part of the address."""
    state: SpeakerState
    tokens: int
    """Tokens written in this stage."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """The moment, for the screen."""

    stage: str | None
    """First part of the addresses that are asked now; None before the first."""
    speakers: tuple[SpeakerProgress, ...]
    """In the order in which they were asked."""
    prompt_share: float | None
    """Share of the batch's prompt that was evaluated, 0..1; None before the engine says so."""
    tokens_written: int
    """In this run, without what came from the log."""
    tokens_per_s: float | None
    """Over the last ten seconds; None where nothing was measured."""
    elapsed_s: float
    """Since this record was made."""
    left_s: float | None
    """Estimate for the rest of the case; None before a speed was measured."""


class Progress:
    """Takes signals in, gives snapshots out. Used from one thread."""

    def __init__(self, seats: int, clock: MonotonicClock) -> None:
        """`seats`: specialists on the panel, 1 or more."""
        self._seats = seats
        self._clock = clock
        self._started_s = clock()
        self._asked_s: float | None = None
        self._stage: str | None = None
        self._tokens: dict[Address, int] = {}
        self._done: set[Address] = set()
        self._written = 0
        self._prompt_share: float | None = None
        self._recent: deque[tuple[float, int]] = deque()

    def take(self, signal: Signal) -> None:
        """Fold one more signal in. Serves as a `core.ports.Watch`."""
        match signal:
            case BatchAsked():
                self._start_batch(signal.addresses)
            case PromptEvaluated():
                self._prompt_share = signal.done / signal.total if signal.total else None
            case TextGrown():
                self._grow(signal.address, signal.tokens)
            case ReplyFinished():
                self._finish(signal)
            case ScoringAsked():
                self._stage = "cara"
                self._tokens.clear()
                self._done.clear()

    def snapshot(self) -> Snapshot:
        """The figures of this moment."""
        now_s = self._clock()
        return Snapshot(
            stage=self._stage,
            speakers=self._speakers(),
            prompt_share=self._prompt_share,
            tokens_written=self._written,
            tokens_per_s=self._speed(now_s),
            elapsed_s=now_s - self._started_s,
            left_s=self._left_s(now_s),
        )

    def _start_batch(self, addresses: tuple[Address, ...]) -> None:
        if self._asked_s is None:
            self._asked_s = self._clock()
        self._prompt_share = None
        for address in addresses:
            self._enter(address)
            self._tokens[address] = 0  # asked again after the engine died: it writes anew

    def _enter(self, address: Address) -> None:
        stage = _stage_in_time(address)
        if stage != self._stage:
            self._stage = stage
            self._tokens.clear()
            self._done.clear()
        self._tokens.setdefault(address, 0)

    def _grow(self, address: Address, tokens: int) -> None:
        self._enter(address)
        self._tokens[address] += tokens
        self._written += tokens
        self._recent.append((self._clock(), tokens))

    def _finish(self, signal: ReplyFinished) -> None:
        if signal.from_log and _is_behind(self._stage, _stage_in_time(signal.address)):
            return  # the referee looks the repeats up that were asked with round 3
        self._enter(signal.address)
        tokens = signal.reply.decoded_tokens + signal.reply.forced_tokens
        if not signal.from_log and tokens > self._tokens[signal.address]:
            # An engine that does not tell piece by piece.
            self._grow(signal.address, tokens - self._tokens[signal.address])
        self._tokens[signal.address] = tokens
        self._done.add(signal.address)

    def _speakers(self) -> tuple[SpeakerProgress, ...]:
        calls: dict[str, list[Address]] = {}
        for address in self._tokens:
            calls.setdefault(speaker_of(address), []).append(address)
        return tuple(
            SpeakerProgress(speaker=speaker, state=self._state(own), tokens=sum(self._tokens[call] for call in own))
            for speaker, own in calls.items()
        )

    def _state(self, calls: list[Address]) -> SpeakerState:
        if self._done.issuperset(calls):
            return "done"
        return "writing" if any(self._tokens[call] for call in calls) else "waiting"

    def _speed(self, now_s: float) -> float | None:
        while self._recent and self._recent[0][0] <= now_s - _WINDOW_S:
            self._recent.popleft()
        if self._asked_s is None or not self._recent:
            return None
        seconds = min(_WINDOW_S, now_s - self._asked_s)
        return sum(tokens for _, tokens in self._recent) / seconds if seconds > 0 else None

    def _left_s(self, now_s: float) -> float | None:
        # Measured over the whole run and not the window: prompts cost time as well, in every stage.
        if self._asked_s is None or self._written < _LEAST_TOKENS or now_s - self._asked_s < _LEAST_SECONDS:
            return None
        tokens_left = self._tokens_left()
        return None if tokens_left is None else tokens_left * (now_s - self._asked_s) / self._written

    def _tokens_left(self) -> int | None:
        if self._stage not in STAGES:
            return None
        expected = EXPECTED_TOKENS[self._stage]
        here = sum(max(0, expected - speaker.tokens) for speaker in self._speakers() if speaker.state != "done")
        later = [stage for stage in STAGES[STAGES.index(self._stage) + 1 :] if stage not in ONLY_IF_NEEDED]
        return here + self._seats * sum(EXPECTED_TOKENS[stage] for stage in later)


def _stage_in_time(address: Address) -> str:
    """The stage with whose batch a call is asked: repeats for the noise floor ride along with round 3."""
    stage = stage_of(address)
    return "r3" if stage == "noise" else stage


def _is_behind(current: str | None, stage: str) -> bool:
    return current in STAGES and stage in STAGES and STAGES.index(stage) < STAGES.index(current)


def stage_of(address: Address) -> str:
    """`r3` for `r3/cardiology/1`."""
    return address.split("/")[0]


def speaker_of(address: Address) -> str:
    """`cardiology` for `r3/cardiology/1`."""
    return address.split("/")[1]

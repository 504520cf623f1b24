"""What the rounds page shows of one case: signals of the gate and statements from the log, folded."""

import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from core.consult.report import viability_note
from core.domain.case import Case
from core.domain.debate import listed_diagnoses
from core.domain.panel import Specialist
from core.domain.report import ImmediateAction
from core.domain.statement import Statement
from core.log.progress import Progress, speaker_of, stage_of
from core.ports import Address, BatchAsked, ModelIdentity, ReplyFinished, Signal, TextGrown

ROUNDS: dict[str, str] = {
    "panel": "Panel", "r1": "1 Relevance", "r2": "2 Triage", "r3": "3 Differentials", "r4": "4 Master list",
    "r5": "5 Debate", "r6": "6 Ballot", "r7": "7 Can't-miss", "referee": "Referee",
}  # fmt: skip
"""What stands in the strip, in order."""
_PARTS = {
    "r5a": "POSITIONS",
    "r5b": "CHALLENGE",
    "r5c": "ANSWERS",
    "r5c2": "ANSWERS TO THE CATFISH",
    "r5c3": "ANSWERS TO THE CATFISH, SECOND TIME",
}
"""Parts of the debate. What the catfish says names the emerging consensus: the report shows it once it is released."""
SEALED: dict[str, str] = {
    "r6": "The ballot is sealed until every can't-miss flag is settled; the report shows it then.",
    "referee": "Asked again in private. The answer is sealed until every can't-miss flag is settled.",
}
"""What ranks is withheld, so it is not shown while it is written either. Source: protocol section 9."""
_HIDDEN_STAGE = "noise"
COMPARING = "Comparing the reasoning"
STATES = {"waiting": "waiting", "writing": "writing", "done": "finished"}


class Column(Struct, frozen=True):
    """One specialist in one round."""

    speaker: str
    title: str
    subtitle: str
    """Role and temperament."""
    state: str
    """A word for the screen; empty where nothing was asked."""
    text: str


class RoundsView:
    """Used from one thread. Knows one case and is never given another."""

    def __init__(self, seats: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.case: Case | None = None
        self.running = False
        self.stopping = False
        self.finished = False
        self.released = False
        self.stage: str | None = None
        self.immediate: tuple[ImmediateAction, ...] = ()
        self._statements: tuple[Statement, ...] = ()
        self._models: tuple[ModelIdentity, ...] = ()
        self._texts: dict[Address, str] = {}
        self._done: set[Address] = set()
        self._progress = Progress(seats, clock)

    def learn(self, case: Case, statements: tuple[Statement, ...], immediate: tuple[ImmediateAction, ...]) -> None:
        """Take in what the log has by now. Raises `ValueError` for another case."""
        if self.case is not None and case.case_id != self.case.case_id:
            raise ValueError("a view shows one case")
        self.case, self._statements, self.immediate = case, statements, immediate

    def take(self, signals: Iterable[Signal]) -> None:
        """Fold signals in, in their order."""
        for signal in signals:
            self._progress.take(signal)
            match signal:
                case BatchAsked():
                    self.stage = stage_of(signal.addresses[0])
                    self._texts |= dict.fromkeys(signal.addresses, "")
                case TextGrown():
                    self._texts[signal.address] = self._texts.get(signal.address, "") + signal.piece
                case ReplyFinished():
                    self._finish(signal)

    @property
    def current_round(self) -> str | None:
        """Key of `ROUNDS`; None before anything was asked."""
        return None if self.stage is None else _round_of(self.stage)

    @property
    def replies(self) -> int:
        return len(self._done)

    @property
    def viability(self) -> str | None:
        """What must be said of the models that answered; None before the first reply, or where all are large enough."""
        return viability_note(self._models)

    def columns(self, round_id: str) -> tuple[Column, ...]:
        """What each specialist says in a round, in panel order."""
        if round_id == "panel":
            return (Column("chair", "Choosing the panel", "", self._state(round_id, "chair"), self._panel_text()),)
        if round_id == "r4":
            return (Column("list", "List of diagnoses", "in the order of the alphabet", "", self._list_text()),)
        return tuple(
            Column(speaker, title, subtitle, self._state(round_id, speaker), self._text(round_id, speaker))
            for speaker, title, subtitle in self._seats()
        )

    def status(self) -> str:
        """One line: where the case is, how fast, how long still."""
        name = ROUNDS[self.current_round] if self.current_round else ""
        if self.finished:
            return "Finished."
        if not self.running:
            kept = f"{self.replies} replies are kept" if self.replies != 1 else "1 reply is kept"
            return f"Not finished. {kept}." if self.replies else "Not begun."
        if self.stopping:
            return "Stopping. Finished replies are kept."
        snapshot = self._progress.snapshot()
        parts = [COMPARING if snapshot.stage == "cara" else name or "Loading the model"]
        if snapshot.tokens_per_s is not None:
            parts.append(f"{snapshot.tokens_per_s:.0f} tokens/s")
        elif snapshot.prompt_share is not None and snapshot.prompt_share < 1:
            parts.append(f"reading the case, {snapshot.prompt_share:.0%}")
        parts.append(f"{duration(snapshot.elapsed_s)} so far")
        if snapshot.left_s is not None:
            parts.append(f"about {duration(snapshot.left_s)} left")
        return "  ·  ".join(parts)

    def immediate_text(self) -> str:
        """What round 2 calls immediate, with who says so; empty where nothing is known."""
        said: dict[str, list[str]] = {}
        titles = {speaker: title for speaker, title, _ in self._seats()}
        for item in self.immediate:
            by = said.setdefault(item.action.action, [])
            if (title := titles.get(item.speaker, item.speaker)) not in by:
                by.append(title)
        return "\n".join(f"{action} ({', '.join(by)})" for action, by in said.items())

    def _finish(self, signal: ReplyFinished) -> None:
        self._texts[signal.address] = signal.reply.text
        self._done.add(signal.address)
        if signal.reply.model not in self._models:
            self._models = (*self._models, signal.reply.model)
        if signal.from_log and stage_of(signal.address) != _HIDDEN_STAGE:
            self.stage = stage_of(signal.address)

    def _seats(self) -> tuple[tuple[str, str, str], ...]:
        if self.case is not None and self.case.panel.specialists:
            return tuple(
                (seat.specialist_id, _capital(seat.specialty), _subtitle(seat)) for seat in self.case.panel.specialists
            )
        speakers = dict.fromkeys(speaker_of(address) for address in self._texts if stage_of(address) != "panel")
        return tuple((speaker, _capital(speaker.replace("-", " ")), "") for speaker in speakers)

    def _addresses(self, round_id: str, speaker: str) -> list[Address]:
        return [
            address for address in self._texts
            if stage_of(address) != _HIDDEN_STAGE
            and _round_of(stage_of(address)) == round_id and speaker_of(address) == speaker
        ]  # fmt: skip

    def _state(self, round_id: str, speaker: str) -> str:
        asked = self._addresses(round_id, speaker)
        if not asked:
            return ""
        if self._done.issuperset(asked):
            return STATES["done"]
        if not self.running:
            return "not finished"
        return STATES["writing" if any(self._texts[address] for address in asked) else "waiting"]

    def _text(self, round_id: str, speaker: str) -> str:
        asked = self._addresses(round_id, speaker)
        if round_id in SEALED and not self.released:
            return SEALED[round_id] if asked else ""
        texts = {address: self._texts[address] for address in asked}
        if not self.released:
            texts = {address: _without_leading(text) for address, text in texts.items()}
        return "\n".join(_headed(address, text) for address, text in texts.items())

    def _panel_text(self) -> str:
        proposed = self._text("panel", "chair")
        if proposed or self.case is None:
            return proposed
        return "\n\n".join(f"{_capital(seat.specialty)}\n{seat.persona}" for seat in self.case.panel.specialists)

    def _list_text(self) -> str:
        rows = sorted(listed_diagnoses(self._statements), key=lambda row: row.name.casefold())
        return "\n".join(
            f"{row.diagnosis_id}  {row.name}" + (f"  (proposed by {', '.join(row.proposers)})" if self.released else "")
            for row in rows
        )


def duration(seconds: float) -> str:
    """Seconds below a minute and a half, else minutes, else hours and minutes."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _headed(address: Address, text: str) -> str:
    stage, _, attempt = address.split("/")
    heading = [_PARTS[stage]] if stage in _PARTS else []
    if attempt != "1":
        heading.append("ASKED AGAIN")
    return f"{', '.join(heading)}\n{text}" if heading else text


def _without_leading(text: str) -> str:
    """Without the line that names the leading diagnosis, and its cause: it is the last in every form that has one."""
    said, found, _ = text.partition("LEADING:")
    return f"{said}LEADING: sealed until every can't-miss flag is settled.\n" if found else text


def _round_of(stage: str) -> str:
    # The repeats for the referee are asked together with round 3.
    return "r3" if stage == _HIDDEN_STAGE else "r5" if stage.startswith("r5") else stage


def _subtitle(seat: Specialist) -> str:
    return _capital(", ".join(filter(None, (seat.role, seat.temperament))))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

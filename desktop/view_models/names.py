"""The list of diagnoses with the rulings that are being made: pure, in alphabetical order, without anything that ranks."""

from typing import Literal

from core.consult.names import RuledList, as_ruled, spelled
from core.domain.case import NameRuling
from core.domain.debate import listed_diagnoses
from core.domain.differential import RulingEffect
from core.domain.report import Report
from core.errors import BadInput

Kind = Literal["split", "join"]
_UNDONE = {"joined": "join undone", "split": "split undone"}


class NamesView:
    """Rulings of the log, then those that are not yet recorded; the rows are shown as if all were."""

    def __init__(self, report: Report) -> None:
        self._statements = report.statements
        self._recorded = report.case.rulings
        self.new: tuple[NameRuling, ...] = ()
        """Still to be recorded, in order. By nobody yet."""

    @property
    def rulings(self) -> tuple[NameRuling, ...]:
        return (*self._recorded, *self.new)

    def rows(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Name and wordings of each row."""
        rows = ((row.name, tuple(sorted(row.names, key=str.casefold))) for row in self._list().rows)
        return tuple(sorted(rows, key=lambda row: row[0].casefold()))

    def told(self) -> tuple[str, ...]:
        """Every ruling in a sentence, in order."""
        return tuple(map(_told, self._recorded)) + tuple(f"Not recorded yet: {_told(ruling)}" for ruling in self.new)

    def rule(self, kind: Kind, *names: str) -> None:
        """Raises `BadInput` where it would do nothing."""
        self.new = (*self.new, self._ruling(kind, names))

    def refusal(self, kind: Kind, *names: str) -> str:
        """Why this cannot be ruled; empty where it can."""
        try:
            self._ruling(kind, names)
        except BadInput as error:
            return str(error)
        return ""

    def may_undo(self, place: int) -> bool:
        return self._is_last_new(place) or self._contrary(place) is not None

    def undo(self, place: int) -> None:
        """Take back the latest one that is not recorded, else rule the contrary."""
        contrary = self._contrary(place)
        if self._is_last_new(place):
            self.new = self.new[:-1]
        elif contrary is not None:
            self.new = (*self.new, contrary)

    def _is_last_new(self, place: int) -> bool:
        return bool(self.new) and place == len(self.rulings) - 1

    def _contrary(self, place: int) -> NameRuling | None:
        """What undoes exactly this ruling; None where it is not in force, or a later one stands before it."""
        effect = self._list().effects[place]
        for kind, names in self._contraries(effect):
            try:
                ruling = self._ruling(kind, names)
            except BadInput:
                continue
            did = as_ruled(self._statements, (*self.rulings, ruling)).effects[-1]
            if did.did == _UNDONE[effect.did] and set(did.ids) == set(effect.ids):
                return ruling
        return None

    def _contraries(self, effect: RulingEffect) -> tuple[tuple[Kind, tuple[str, ...]], ...]:
        if effect.did == "joined":
            return tuple(("split", (name,)) for name in reversed(effect.ruling.names))
        if effect.did == "split":
            listed = {row.diagnosis_id: row.name for row in listed_diagnoses(self._statements)}
            return (("join", (listed[effect.ids[0]], *effect.ruling.names)),)
        return ()

    def _ruling(self, kind: Kind, names: tuple[str, ...]) -> NameRuling:
        return NameRuling(kind=kind, names=spelled(self._statements, self.rulings, kind, names), by="", at="")

    def _list(self) -> RuledList:
        return as_ruled(self._statements, self.rulings)


def _told(ruling: NameRuling) -> str:
    by = f", by {ruling.by}" if ruling.by else ""
    if ruling.kind == "join":
        return f"{ruling.names[1]} counts as {ruling.names[0]}{by}"
    return f"{ruling.names[0]} stands apart{by}"

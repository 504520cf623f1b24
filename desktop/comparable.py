"""Finding the cases that a released one can be compared with. Runs off the window's thread."""

from collections.abc import Iterator

from msgspec import Struct

from core.consult.comparison import share_a_finding
from core.domain.case import Case, CaseId
from core.errors import BadInput, Stopped
from core.log.catalog import CaseEntry
from core.ports import CancelToken
from desktop.bootstrap import TITLE_WORDS, Workplace
from desktop.view_models.comparison import ComparableRow, comparable_row

LOOKED_INTO = 100
"""So many of the cases that a search finds are looked into, beside those that belong together."""
_MAY_BE_RELEASED = ("under_way", "reported", "signed_off")
"""Last events of a finished case."""


class ComparableCases(Struct, frozen=True):
    rows: tuple[ComparableRow, ...]
    """Those that belong together first, those next to the shown case before the others; then as the search found them."""
    not_looked_into: int
    """Cases that the search found beyond the first `LOOKED_INTO`."""


class ComparableSearch:
    """Remembers for one shown case what it read of the others, so the next search is fast."""

    def __init__(self, workplace: Workplace, shown: Case) -> None:
        self._workplace = workplace
        self._shown = shown
        self._cases: dict[CaseId, Case] = {shown.case_id: shown}
        self._released: dict[CaseId, bool] = {}

    def find(self, search: str, cancel: CancelToken) -> ComparableCases:
        """Released cases with a finding in common. Raises `Stopped`."""
        entries = [entry for entry in self._workplace.find_cases(search) if entry.state in _MAY_BE_RELEASED]
        # Whoever continues the case has its vignette, so begins with its words.
        words = " ".join(self._shown.vignette.text.split()[:TITLE_WORDS])
        same_words = {entry.case_id for entry in self._workplace.find_cases(words)}
        family = [e for e in entries if e.case_id in same_words and self._is_family(e.case_id)]
        others = [entry for entry in entries if entry not in family]
        family.sort(key=lambda entry: not self._is_next(self._case(entry.case_id)))  # stable: newest first
        rows = (
            *self._rows(family, cancel, is_family=True),
            *self._rows(others[:LOOKED_INTO], cancel, is_family=False),
        )
        return ComparableCases(rows, len(others[LOOKED_INTO:]))

    def _rows(self, entries: list[CaseEntry], cancel: CancelToken, is_family: bool) -> Iterator[ComparableRow]:
        for entry in entries:
            if cancel.is_set():
                raise Stopped
            case = self._case(entry.case_id)
            if entry.case_id != self._shown.case_id and share_a_finding(case, self._shown) and self._is_released(case):
                yield comparable_row(case, self._shown, is_family)

    def _is_next(self, case: Case) -> bool:
        return case.continues == self._shown.case_id or self._shown.continues == case.case_id

    def _is_family(self, case_id: CaseId) -> bool:
        return self._first(case_id) == self._first(self._shown.case_id)

    def _first(self, case_id: CaseId) -> CaseId:
        """The case with which the line of continued cases began; it may be erased by now."""
        try:
            before = self._case(case_id).continues
        except BadInput:
            return case_id
        return case_id if before is None else self._first(before)

    def _case(self, case_id: CaseId) -> Case:
        if case_id not in self._cases:
            self._cases[case_id] = self._workplace.case(case_id)
        return self._cases[case_id]

    def _is_released(self, case: Case) -> bool:
        if case.case_id not in self._released:
            try:
                self._released[case.case_id] = self._workplace.report(case.case_id).status == "released"
            except BadInput:  # not finished
                self._released[case.case_id] = False
        return self._released[case.case_id]

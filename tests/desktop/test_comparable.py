"""Which cases are offered to be compared with: those that belong together first, never one that is withheld."""

import threading

import pytest

from core.domain.case import CaseId, FindingId
from core.errors import Stopped
from core.ports import unwatched
from core.settings import ConsultSettings
from desktop.comparable import ComparableSearch
from tests.desktop.scripted_window import PacedWorkplace

COUGH = "A 50-year-old man with cough for two weeks takes aspirin. Pulse 80, blood pressure 120/80."


def begin(workplace: PacedWorkplace, text: str) -> CaseId:
    return workplace.begin(text, ConsultSettings(specialists=1), "scripted").case_id


def work_up(workplace: PacedWorkplace, case_id: CaseId) -> CaseId:
    """To a released report."""
    workplace.run(case_id, unwatched, threading.Event())
    workplace.acknowledge(case_id, "Dr. Example")
    return case_id


def without(workplace: PacedWorkplace, case_id: CaseId, finding: str) -> CaseId:
    return work_up(workplace, workplace.begin_without(case_id, (FindingId(finding),)))


def found(workplace: PacedWorkplace, shown: CaseId, search: str = "") -> list[tuple[CaseId, str]]:
    rows = ComparableSearch(workplace, workplace.case(shown)).find(search, threading.Event()).rows
    return [(row.case_id, row.text.rpartition("  ·  ")[2]) for row in rows]


def test_those_that_continue_one_another_come_first_either_way(workplace: PacedWorkplace, sample: str) -> None:
    first = work_up(workplace, begin(workplace, sample))
    second = without(workplace, first, "S4")
    third = without(workplace, second, "S5")
    sibling = without(workplace, first, "S6")
    stranger = work_up(workplace, begin(workplace, sample))
    work_up(workplace, begin(workplace, COUGH))

    assert found(workplace, second) == [
        (third, "continues this case without S5"),
        (first, "this case continues it without S4"),
        (sibling, "belongs to the same case"),
        (stranger, "has a finding in common"),
    ]
    # They still belong together when the case with which all began is erased.
    workplace.library.erase(first, "Dr. Example")
    assert found(workplace, sibling) == [
        (third, "belongs to the same case"),
        (second, "belongs to the same case"),
        (stranger, "has a finding in common"),
    ]


def test_what_is_withheld_or_not_finished_is_not_offered(workplace: PacedWorkplace, sample: str) -> None:
    shown = work_up(workplace, begin(workplace, sample))
    withheld = begin(workplace, sample)
    workplace.run(withheld, unwatched, threading.Event())
    begin(workplace, sample)
    assert found(workplace, shown) == []
    workplace.acknowledge(withheld, "Dr. Example")
    assert found(workplace, shown) == [(withheld, "has a finding in common")]
    assert found(workplace, shown, "nothing like it") == []


def test_a_search_that_is_no_longer_wanted_ends(workplace: PacedWorkplace, sample: str) -> None:
    shown = work_up(workplace, begin(workplace, sample))
    no_longer = threading.Event()
    no_longer.set()
    with pytest.raises(Stopped):
        ComparableSearch(workplace, workplace.case(shown)).find("", no_longer)

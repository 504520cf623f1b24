"""Three whole cases of the trial model: each derives again from its kept log, word for word."""

import pytest

from core.domain.statement import BallotStatement, DifferentialStatement
from tests.cases.golden import FOLDER, NAMES, markdown_of, report_of


@pytest.mark.parametrize("name", NAMES)
def test_the_transcript_is_as_it_was(name: str) -> None:
    assert markdown_of(name) == (FOLDER / name / "report.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_everybody_spoke_and_voted(name: str) -> None:
    report = report_of(name)
    seats = {seat.specialist_id for seat in report.case.panel.specialists}
    for kind in (DifferentialStatement, BallotStatement):
        assert {s.speaker for s in report.statements if isinstance(s, kind)} == seats
    assert all(model.parameters > 1e9 for model in report.models)
    assert report.viability_note

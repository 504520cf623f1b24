"""Three whole cases of the trial model: each derives again from its kept log, word for word."""

import pytest

from core.domain.statement import BallotStatement, DifferentialStatement
from core.render.contents import Issued
from core.render.markdown import render_markdown
from tests.cases.golden import FOLDER, NAMES, report_of

ISSUED = Issued(product_version="golden", issued_at="2026-01-01T00:00:00Z")


@pytest.mark.parametrize("name", NAMES)
def test_the_transcript_is_as_it_was(name: str) -> None:
    assert render_markdown(report_of(name), issued=ISSUED) == (FOLDER / name / "report.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_everybody_spoke_and_voted(name: str) -> None:
    report = report_of(name)
    seats = {seat.specialist_id for seat in report.case.panel.specialists}
    for kind in (DifferentialStatement, BallotStatement):
        assert {s.speaker for s in report.statements if isinstance(s, kind)} == seats
    assert all(model.parameters > 1e9 for model in report.models)
    assert report.viability_note

"""A worked-up case whose clinician rules on names: the report follows from the log, without a model."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.consult.cant_miss import open_flags
from core.consult.names import spelled
from core.domain.case import CaseId
from core.domain.report import Report
from core.log import casebook
from core.log.events import CallFinished
from core.log.store import Library
from core.ports import ChatRequest
from core.render import Issued, document, read_report_file, render_json, render_markdown
from core.render.names import NO_RANKING, TITLE
from models.scripted import ScriptedModel
from tests.core.consult.panels import SEATS, library_at, open_seated, replay, run

WROTE = {
    "internal-medicine": "Gout",
    "hematology": "gouty arthritis",
    "neurology": "Pseudogout",
    "nephrology": "Gout",
    "infectious-disease": "Lyme disease",
}
ISSUED = Issued(product_version="0", issued_at="2026-03-01T09:00:00Z")


def script(request: ChatRequest) -> str | None:
    stage, speaker, _ = request.address.split("/")
    if stage not in ("r3", "noise", "referee"):
        return None
    rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S1\nAGAINST: none\n"
    return "".join(f"DIAGNOSIS: {name}\n{rest}" for name in (WROTE[speaker], "Sepsis", "Sarcoidosis")) + "END\n"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with library_at(tmp_path) as opened:
        yield opened


@pytest.fixture
def case_id(library: Library) -> CaseId:
    assert len(SEATS) == len(WROTE)
    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(script))
    return case_id


def release(library: Library, case_id: CaseId) -> Report:
    report = replay(library, case_id)
    for flag in open_flags(report.case, report.cant_miss):
        casebook.settle(library, case_id, flag, "excluded", "not in this test", "Dr. Test")
    return replay(library, case_id)


def rule(library: Library, case_id: CaseId, kind: str, *names: str, reason: str = "") -> Report:
    report = replay(library, case_id)
    found = spelled(report.statements, report.case.rulings, kind, names)  # type: ignore[arg-type]
    casebook.rule_on_names(library, case_id, kind, found, "Dr. Ruiz", reason)  # type: ignore[arg-type]
    return replay(library, case_id)


def ranks(report: Report) -> dict[str, int]:
    assert report.differential is not None
    return {row.name: row.plain_points for row in report.differential.ranking.rows}


def test_the_ranking_follows_at_once_and_back_again(library: Library, case_id: CaseId) -> None:
    before = release(library, case_id)
    joined = rule(library, case_id, "join", "Gout", "Lyme disease")
    assert "Lyme disease" not in ranks(joined)
    assert "gouty arthritis" not in ranks(joined)
    split = rule(library, case_id, "split", "gouty arthritis")
    assert {"gout", "gouty arthritis"} <= set(ranks(split))
    rule(library, case_id, "join", "gouty arthritis", "Gout")
    undone = rule(library, case_id, "split", "Lyme disease")
    assert before.differential is not None
    assert undone.differential == msgspec.structs.replace(
        before.differential, ruled_names=undone.differential.ruled_names if undone.differential else None
    )
    assert [ruling.kind for ruling in undone.case.rulings] == ["join", "split", "join", "split"]


def test_what_the_panel_was_asked_and_said_stays_as_it_was(library: Library, case_id: CaseId) -> None:
    before, calls = release(library, case_id), _calls(library, case_id)
    after = rule(library, case_id, "join", "Gout", "Lyme disease")
    assert _calls(library, case_id) == calls
    assert (after.statements, after.refereeing, after.cara) == (before.statements, before.refereeing, before.cara)
    assert after.dissent == before.dissent


def test_a_ruling_before_the_release_shows_nothing_that_ranks(library: Library, case_id: CaseId) -> None:
    withheld = rule(library, case_id, "join", "Gout", "Lyme disease")
    assert (withheld.status, withheld.differential) == ("withheld", None)
    assert TITLE not in render_markdown(withheld, issued=ISSUED)
    assert "Lyme disease" not in ranks(release(library, case_id))


def test_the_report_names_who_ruled_why_and_to_what_effect(library: Library, case_id: CaseId) -> None:
    release(library, case_id)
    rule(library, case_id, "join", "Gout", "Lyme disease", reason="Serology is positive.")
    report = rule(library, case_id, "split", "gouty arthritis")
    text = render_markdown(report, issued=ISSUED)
    section = text[text.rindex(TITLE) :]
    for words in (
        "Dr. Ruiz",
        "Serology is positive.",
        "gout and Lyme disease are one diagnosis",
        "gouty arthritis stands apart",
    ):
        assert words in section
    sections = document(report, ISSUED).sections
    assert report.case.rulings[0].at in msgspec.json.encode(sections).decode()
    listed = next(s for s in sections if s.title.startswith("The debate"))
    assert "Lyme disease" in msgspec.json.encode(listed).decode()
    assert read_report_file(render_json(report, issued=ISSUED)).report == report


def test_a_report_without_rulings_has_no_such_section(library: Library, case_id: CaseId) -> None:
    assert TITLE not in render_markdown(release(library, case_id), issued=ISSUED)


def test_without_a_ranking_the_rulings_are_still_told(library: Library, case_id: CaseId) -> None:
    release(library, case_id)
    report = rule(library, case_id, "join", "Gout", "Lyme disease")
    text = render_markdown(msgspec.structs.replace(report, differential=None), issued=ISSUED)
    assert "Dr. Ruiz" in text[text.index(TITLE) :]
    assert NO_RANKING in text


def _calls(library: Library, case_id: CaseId) -> list[CallFinished]:
    return [event for event in library.events(case_id) if isinstance(event, CallFinished)]

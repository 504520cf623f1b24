"""A whole case in which the panel gives in: the catfish speaks, is answered, and the report tells what it changed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.domain.debate import last_leading
from core.domain.report import Report
from core.domain.statement import CATFISH, Abstention, AnswerStatement, CatfishStatement, RoleReminder
from core.forms import Choice, Repeat
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import ChatRequest
from core.render.contents import Issued
from core.render.markdown import render_markdown
from core.settings import ConsultSettings
from models.scripted import ScriptedModel, filled_in
from tests.core.consult.panels import (
    SEATS,
    CountedModel,
    library_at,
    loaded,
    open_seated,
    replay,
    replay_released,
    run,
)

OWN = dict(
    zip(
        (seat.replace(" ", "-") for seat in SEATS), ("gout", "sarcoidosis", "measles", "malaria", "asthma"), strict=True
    )
)
ISSUED = Issued(product_version="1", issued_at="2026-01-01T00:00:00Z")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with library_at(tmp_path) as opened:
        yield opened


def _differential(first: str) -> str:
    rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S1\nAGAINST: none\n"
    names = (first, f"Disease one of {first}", f"Disease two of {first}")
    return "".join(f"DIAGNOSIS: {name}\n{rest}" for name in names) + "END\n"


def collapsing(again: Callable[[str], str] = lambda speaker: "gout", findings: str = "S1") -> ScriptedModel:
    """Everybody proposes something else and keeps it in round 5a; in 5c all give in, on grounds that they had seen before.

    What leads behind the catfish is up to `again`; it is answered with these findings.
    """

    def script(request: ChatRequest) -> str | None:
        stage, speaker, _ = request.address.split("/")
        if stage in ("r3", "noise", "referee"):
            return _differential(OWN[speaker])
        if stage == "r5a":
            return filled_in(request, {"LEADING": OWN[speaker]})
        if stage == "r5c":
            seen = "C1" if speaker != "internal-medicine" else "C4"
            return filled_in(request, {"LEADING": "gout", "CAUSE": "NEW-GROUND", "CAUSE-CLAIM": seen})
        if stage in ("r5c2", "r5c3"):
            return filled_in(request, {"LEADING": again(speaker), "FINDINGS": findings})
        if stage in ("r5b2", "r5b3"):
            return filled_in(request, {"ALTERNATIVE": "tuberculosis", "WOULD-JUSTIFY": "Crystals in the joint fluid."})
        return None

    return ScriptedModel(script)


def spoken(report: Report) -> list[CatfishStatement]:
    return [statement for statement in report.statements if isinstance(statement, CatfishStatement)]


def test_a_panel_that_gives_in_hears_the_catfish_and_the_report_says_what_changed(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id, collapsing(lambda speaker: OWN[speaker]))
    report = replay_released(library, case_id)
    (catfish,) = spoken(report)
    assert (catfish.collapse.before, catfish.collapse.after) == ("r5a", "r5c")
    assert catfish.collapse.disagreement_before == 1
    assert catfish.collapse.disagreement_after == 0
    assert catfish.challenge.proposal == "tuberculosis"
    assert last_leading(report.statements, next(iter(OWN))) is not None
    assert report.dissent is not None
    (effect,) = report.dissent.catfish
    assert (effect.disagreement_before, effect.disagreement_after) == (0, 1)
    assert len(effect.changed) == 4
    text = render_markdown(report, issued=ISSUED)
    assert "disagreement fell from 100% to 0%, and 4 of 4 changes had no cause that counts" in text
    assert "Crystals in the joint fluid." in text
    assert "0% before, 100% after" in text


def test_the_catfish_attacks_a_claim_of_the_consensus_and_everybody_who_holds_it_answers(library: Library) -> None:
    case_id = open_seated(library)
    model = CountedModel(collapsing())
    run(library, case_id, model)
    asked = {request.address: request for request in model.asked}
    report = replay_released(library, case_id)
    (catfish,) = spoken(report)
    assert report.evidence is not None
    target = next(trail for trail in report.evidence.claims if trail.claim_id == catfish.challenge.target)
    assert target.diagnosis == "gout"
    for speaker in OWN:
        own = asked[f"r5c2/{speaker}/1"].own  # type: ignore[index]
        assert catfish.challenge.claim in own
        assert catfish.challenge.ground in own


def test_its_alternative_can_be_voted_for_and_it_has_no_vote_itself(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id, collapsing())
    report = replay_released(library, case_id)
    assert report.differential is not None
    row = next(row for row in report.differential.ranking.rows if row.name == "tuberculosis")
    assert row.proposers == (CATFISH,)
    assert all(weight.speaker != CATFISH for weight in report.differential.ranking.credibility)
    assert report.differential.seats == 5


def test_it_leaves_once_every_point_was_answered_with_a_finding(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id, collapsing(findings="S1"))
    report = replay_released(library, case_id)
    assert len(spoken(report)) == 1
    assert report.dissent is not None
    assert report.dissent.catfish[0].answered == report.dissent.catfish[0].addressed == tuple(OWN)


def test_it_speaks_at_most_twice(library: Library) -> None:
    case_id = open_seated(library)
    model = CountedModel(collapsing(findings="none"))
    run(library, case_id, model)
    assert [statement.address for statement in spoken(replay_released(library, case_id))] == [
        "r5b2/catfish/1",
        "r5b3/catfish/1",
    ]
    assert not any("r5b4" in request.address for request in model.asked)


def test_it_can_be_switched_off(library: Library) -> None:
    case_id = open_seated(library, ConsultSettings(catfish_times=0))
    run(library, case_id, collapsing())
    report = replay_released(library, case_id)
    assert not spoken(report)
    assert report.dissent is not None
    assert len(report.dissent.collapses) == 1


def test_a_catfish_without_a_usable_answer_is_an_abstention_and_the_case_goes_on(library: Library) -> None:
    inner = collapsing()

    def script(request: ChatRequest) -> str | None:
        return "" if request.address.startswith("r5b") and "catfish" in request.address else inner._script(request)

    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(script))
    report = replay_released(library, case_id)
    assert {s.speaker for s in report.statements if isinstance(s, Abstention)} == {CATFISH}
    assert report.differential is not None


def test_a_second_model_speaks_as_the_catfish(library: Library) -> None:
    case_id = open_seated(library, ConsultSettings(catfish_model="second"))
    panel, second = CountedModel(collapsing()), CountedModel(collapsing())
    from core.consult.pipeline import consult

    recorder = Recorder(library, case_id, model=panel, second_models={"second": second})  # type: ignore[dict-item]
    consult(loaded(library, case_id), recorder)
    assert {request.address.split("/")[1] for request in second.asked} == {CATFISH}
    assert not any(CATFISH in request.address for request in panel.asked)
    assert replay(library, case_id) == replay(library, case_id)


def test_while_withheld_nothing_tells_what_the_consensus_is(library: Library) -> None:
    report = run(library, open_seated(library), collapsing())
    assert report.status == "withheld"
    assert report.dissent is report.evidence is None
    assert not spoken(report)
    assert "consensus" not in render_markdown(report, issued=ISSUED)


def test_an_honest_debate_hears_no_catfish(library: Library) -> None:
    case_id = open_seated(library)

    def script(request: ChatRequest) -> str | None:
        stage, speaker, _ = request.address.split("/")
        if stage in ("r3", "noise", "referee"):
            return _differential(OWN[speaker])
        return filled_in(request, {"LEADING": OWN[speaker]}) if stage.startswith("r5") else None

    run(library, case_id, ScriptedModel(script))
    report = replay_released(library, case_id)
    assert not spoken(report)
    assert report.dissent is not None
    assert len(report.dissent.dissenters) == 5


def test_unanimity_from_the_start_is_no_collapse(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        stage = request.address.split("/")[0]
        if stage in ("r3", "noise", "referee"):
            return _differential("gout")
        return filled_in(request, {"LEADING": "gout"}) if stage.startswith("r5") else None

    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(script))
    report = replay_released(library, case_id)
    assert not spoken(report)
    assert report.dissent is not None
    assert report.dissent.dissenters == ()


def test_a_specialist_that_left_its_role_is_reminded_in_its_next_prompt_only(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        if not request.address.startswith("r5a/"):
            return None
        agree = {field.label: "SUPPORT" for field in request.form.fields if isinstance(field, Choice)}
        return filled_in(request, agree)

    case_id = open_seated(library)
    model = CountedModel(ScriptedModel(script))
    run(library, case_id, model)
    report = replay_released(library, case_id)
    reminded = {s.speaker for s in report.statements if isinstance(s, RoleReminder) and s.address.endswith("/1")}
    assert {"nephrology", "infectious-disease"} <= reminded
    for request in model.asked:
        stage, speaker, _ = request.address.split("/")
        if stage == "r5b":
            assert ("REMINDER" in request.own) == (speaker in reminded)
        assert not any("REMINDER" in block.text for block in request.shared)
    assert "Specialists reminded of their role" in render_markdown(report, issued=ISSUED)


def test_thirty_different_diagnoses_are_listed_and_debated(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        stage, speaker, _ = request.address.split("/")
        if stage not in ("r3", "noise", "referee"):
            return None
        repeat = request.form.fields[0]
        assert isinstance(repeat, Repeat)
        rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S1\nAGAINST: none\n"
        return "".join(f"DIAGNOSIS: Disease {n} of {speaker}\n{rest}" for n in range(repeat.most)) + "END\n"

    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(script))
    report = replay_released(library, case_id)
    assert report.differential is not None
    assert len(report.differential.ranking.rows) >= 25
    assert any(isinstance(statement, AnswerStatement) for statement in report.statements)

"""A case taken up again without some findings: what the panel sees, what is asked anew, what the report says."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.consult.cant_miss import open_flags
from core.consult.comparison import compare
from core.domain.case import CaseId, FindingId
from core.domain.report import Report
from core.errors import BadInput, LogMismatch
from core.log import casebook
from core.log.events import CallFinished, CaseOpened
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import ChatRequest
from core.render import Issued, render_markdown
from core.settings import ConsultSettings
from models.scripted import ScriptedModel
from tests.core.consult.panels import CountedModel, PowerCut, library_at, loaded, open_seated, replay, run

LEFT_OUT = (FindingId("S4"), FindingId("S14"))
EARLY = ("panel", "r1", "r2")
EASY_COLLAPSE = ConsultSettings(collapse_fall=0.0, collapse_unjustified=0.0)
"""So that the catfish speaks in some of the debates that are drawn."""
ISSUED = Issued(product_version="0", issued_at="2026-03-01T09:00:00Z")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with library_at(tmp_path) as opened:
        yield opened


@pytest.fixture
def first(library: Library) -> CaseId:
    """A case that was worked up with all findings."""
    case_id = open_seated(library)
    run(library, case_id)
    return case_id


def stage_of(request: ChatRequest) -> str:
    return request.address.split("/")[0]


def calls(library: Library, case_id: CaseId) -> dict[str, CallFinished]:
    return {event.request.address: event for event in library.events(case_id) if isinstance(event, CallFinished)}


def released(library: Library, case_id: CaseId) -> Report:
    report = replay(library, case_id)
    for flag in open_flags(report.case, report.cant_miss):
        casebook.settle(library, case_id, flag, "excluded", "not in this test", "Dr. Test")
    return replay(library, case_id)


def test_only_what_follows_round_2_is_asked_anew(library: Library, first: CaseId) -> None:
    model = CountedModel(ScriptedModel())
    again = casebook.reopen_without(library, first, LEFT_OUT)
    run(library, again, model)
    assert not {stage_of(request) for request in model.asked} & set(EARLY)
    assert {"r3", "noise", "r5a", "r5b", "r5c", "r6", "r7", "referee"} <= {stage_of(r) for r in model.asked}
    before, after = calls(library, first), calls(library, again)
    early = {address for address in before if address.split("/")[0] in EARLY}
    assert len(early) == 10
    assert {address: after[address] for address in early} == {address: before[address] for address in early}
    assert set(after) == early | {request.address for request in model.asked}


@pytest.mark.parametrize(
    ("settings", "stage"), [(ConsultSettings(), "r7"), (EASY_COLLAPSE, "r5b2"), (ConsultSettings(specialists=1), "r7")]
)
def test_from_round_3_on_no_prompt_and_no_form_knows_what_was_left_out(
    library: Library, settings: ConsultSettings, stage: str
) -> None:
    asked: list[ChatRequest] = []
    seed = 0
    while stage not in map(stage_of, asked):
        seed += 1
        assert seed < 40, "no debate that was drawn came so far"
        model = CountedModel(ScriptedModel())
        case_id = open_seated(library, settings, seed)
        run(library, case_id)
        run(library, casebook.reopen_without(library, case_id, LEFT_OUT), model)
        asked += model.asked
    texts = [f.text for f in loaded(library, case_id).vignette.findings if f.finding_id in LEFT_OUT]
    for request in asked:
        whole = msgspec.json.encode(request).decode()
        assert not any(text in whole for text in texts)
        assert not re.search(r"\bS(4|14)\b", whole)
        # A range would tell of what lies within it.
        for low, high in re.findall(r"\bS(\d+) to S(\d+)\b", whole):
            assert not any(int(low) <= int(finding[1:]) <= int(high) for finding in LEFT_OUT)
        assert "S13" in whole


def test_what_was_said_with_those_findings_in_sight_stays_off_the_board(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    run(library, again)
    boards = {
        case_id: "".join(block.text for call in calls(library, case_id).values() for block in call.request.shared)
        for case_id in (first, again)
    }
    assert re.search(r"^R[12] ", boards[first], re.MULTILINE)
    assert not re.search(r"^R[12] ", boards[again], re.MULTILINE)


def test_nothing_that_the_panel_says_after_round_2_rests_on_what_was_left_out(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    run(library, again)
    report = released(library, again)
    late = [s for s in report.statements if s.address.split("/")[0] not in EARLY]
    assert late
    for said in (late, report.differential):
        assert not re.search(r'"S(4|14)"', msgspec.json.encode(said).decode())


def test_the_rule_list_still_reads_what_was_left_out(library: Library, first: CaseId) -> None:
    """Leaving a finding out must not silence an alarm that it raised."""
    findings = loaded(library, first).vignette.findings
    words = {f.finding_id for f in findings if any(f"({f.finding_id})" in d for d in _rule_details(library, first))}
    assert words
    again = casebook.reopen_without(library, first, list(words)[:3])
    run(library, again)
    assert _rule_details(library, again) == _rule_details(library, first)


def _rule_details(library: Library, case_id: CaseId) -> list[str]:
    review = replay(library, case_id).cant_miss
    return [source.detail for flag in review.flags for source in flag.sources if source.kind == "rule"]


def test_replay_gives_the_same_report_byte_for_byte(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    live = run(library, again)
    assert msgspec.json.encode(replay(library, again)) == msgspec.json.encode(live)
    assert live.case.excluded == LEFT_OUT
    assert live.case.continues == first


def test_a_rerun_goes_on_after_a_power_cut(library: Library, first: CaseId) -> None:
    whole = run(library, casebook.reopen_without(library, first, LEFT_OUT))
    again = casebook.reopen_without(library, first, LEFT_OUT)
    with pytest.raises(PowerCut):
        run(library, again, CountedModel(ScriptedModel(), dies_at=12))
    assert run(library, again).statements == whole.statements


def test_the_case_before_stays_as_it_was(library: Library, first: CaseId) -> None:
    before = library.entries(first)
    run(library, casebook.reopen_without(library, first, LEFT_OUT))
    assert library.entries(first) == before


def test_a_rerun_of_a_rerun_leaves_out_both(library: Library, first: CaseId) -> None:
    second = casebook.reopen_without(library, first, LEFT_OUT[1:])
    third = casebook.reopen_without(library, second, LEFT_OUT[:1])
    case = loaded(library, third)
    assert (case.continues, case.excluded) == (second, LEFT_OUT)
    assert case.title == "A case, without S4, S14"
    model = CountedModel(ScriptedModel())
    run(library, third, model)
    assert not {stage_of(request) for request in model.asked} & set(EARLY)
    assert replay(library, third).statements == run(library, _at_once(library, first)).statements


def _at_once(library: Library, case_id: CaseId) -> CaseId:
    return casebook.reopen_without(library, case_id, LEFT_OUT)


def test_round_1_of_another_seed_does_not_pass_for_the_one_carried_over(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    other = msgspec.structs.replace(loaded(library, again), seed=8)
    from core.consult.pipeline import consult

    with pytest.raises(LogMismatch, match="r1/"):
        consult(other, Recorder(library, again, model=ScriptedModel()))


def test_who_abstained_in_round_2_is_not_asked_again(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(lambda request: "" if request.address.startswith("r2/neurology") else None))
    model = CountedModel(ScriptedModel())
    report = run(library, casebook.reopen_without(library, case_id, LEFT_OUT), model)
    assert "r2" not in {stage_of(request) for request in model.asked}
    assert [s.speaker for s in report.statements if type(s).__name__ == "Abstention"] == ["neurology"]


def test_rounds_1_and_2_must_be_finished(library: Library, tmp_path: Path) -> None:
    case_id = open_seated(library)
    with pytest.raises(BadInput, match="not finished"):
        casebook.reopen_without(library, case_id, LEFT_OUT)
    for dies_at in (0, 4, 9):
        with pytest.raises(PowerCut):
            run(library, case_id, CountedModel(ScriptedModel(), dies_at=dies_at - len(calls(library, case_id))))
        with pytest.raises(BadInput, match="not finished"):
            casebook.reopen_without(library, case_id, LEFT_OUT)
    with pytest.raises(PowerCut):
        run(library, case_id, CountedModel(ScriptedModel(), dies_at=1))
    assert loaded(library, casebook.reopen_without(library, case_id, LEFT_OUT)).excluded == LEFT_OUT


@pytest.mark.parametrize(
    ("excluded", "said"),
    [
        ((), "at least one"),
        (("fever",), "no other findings than S1, S2"),
        (("S4", "S18"), "no other findings than S1, S2"),
        (tuple(f"S{n}" for n in range(1, 18)), "At least 3"),
        (tuple(f"S{n}" for n in range(1, 16)), "At least 3"),
    ],
)
def test_what_cannot_be_left_out_is_told_without_words_of_the_case(
    library: Library, first: CaseId, excluded: tuple[FindingId, ...], said: str
) -> None:
    cases = len(casebook.find_cases(library))
    with pytest.raises(BadInput, match=said) as refused:
        casebook.reopen_without(library, first, excluded)
    assert "fever" not in str(refused.value)
    assert "A case" not in str(refused.value)
    assert len(casebook.find_cases(library)) == cases


def test_three_findings_are_enough(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, [FindingId(f"S{n}") for n in range(1, 15)])
    run(library, again)
    assert released(library, again).differential is not None


def test_what_is_left_out_already_is_not_left_out_twice(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    with pytest.raises(BadInput, match="left out already"):
        casebook.reopen_without(library, again, LEFT_OUT[:1])


def test_an_erased_case_and_one_of_another_protocol_cannot_be_taken_up(library: Library, first: CaseId) -> None:
    opened = next(event for event in library.events(first) if isinstance(event, CaseOpened))
    old = CaseId("2020-01-01-aaaaaa")
    library.append(old, msgspec.structs.replace(opened, case_id=old, protocol_version=1))
    with pytest.raises(BadInput, match="protocol version 1"):
        casebook.reopen_without(library, old, LEFT_OUT)
    library.erase(first, "Dr. Test")
    with pytest.raises(BadInput, match="erased"):
        casebook.reopen_without(library, first, LEFT_OUT)


def test_a_rerun_outlives_the_erasure_of_what_it_continues(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    live = run(library, again)
    library.erase(first, "Dr. Test")
    assert replay(library, again) == live


def test_the_report_says_at_its_beginning_what_was_left_out(library: Library, first: CaseId) -> None:
    again = casebook.reopen_without(library, first, LEFT_OUT)
    text = render_markdown(run(library, again), issued=ISSUED)
    opening = text[: text.index("## Immediate actions")]
    assert f"Continues:** case {first}" in opening
    assert "S14: Creatinine is 1.5 mg/dL" in opening
    assert f"rounds 1 and 2 were carried over from case {first}" in opening
    assert text.count("\\[left out by the clinician\\]") >= 3
    assert "were carried over" not in render_markdown(replay(library, first), issued=ISSUED)


def test_a_finding_that_decides_shows_in_the_comparison(library: Library) -> None:
    """With the creatinine the panel names one disease, without it another one."""

    def script(request: ChatRequest) -> str | None:
        if not request.address.startswith("r3/"):
            return None
        known = any("Creatinine" in block.text for block in request.shared)
        rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S13\nAGAINST: none\n"
        names = ("Hemolytic uremic syndrome" if known else "Immune thrombocytopenia", "Sepsis", "Malaria")
        return "".join(f"DIAGNOSIS: {name}\n{rest}" for name in names) + "END\n"

    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(script))
    again = casebook.reopen_without(library, case_id, LEFT_OUT[1:])
    run(library, again, ScriptedModel(script))
    made = compare(released(library, case_id), released(library, again))
    assert made.linked
    assert [finding.finding_id for finding in made.a.only_here] == ["S14"]
    assert made.b.only_here == made.differences == ()
    assert all(each.independent.changed for each in made.specialists)
    one_sided = {row.name.lower(): (row.a is None, row.b is None) for row in made.rows if row.change is None}
    assert one_sided["hemolytic uremic syndrome"] == (False, True)
    assert any("thrombocytopenia" in name and sides == (True, False) for name, sides in one_sided.items())

"""Two cases side by side: the same figures as in their reports, and everything that differs is named."""

from collections.abc import Iterator

import msgspec
import pytest

from core.consult.cant_miss import open_flags
from core.consult.comparison import compare
from core.consult.intake import vignette
from core.consult.panel import seated
from core.domain.case import CaseId, FindingId
from core.domain.comparison import Comparison, Difference
from core.domain.report import Report
from core.errors import BadInput
from core.log import casebook
from core.log.store import Library
from core.ports import ChatRequest
from core.settings import ConsultSettings
from models.scripted import Script, ScriptedModel, open_script
from tests.core.consult.panels import SAMPLE, SEATS, library_at, open_seated, replay, run


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with library_at(tmp_path_factory.mktemp("comparison")) as opened:
        yield opened


def worked_up(library: Library, case_id: CaseId, script: Script = open_script) -> Report:
    run(library, case_id, ScriptedModel(script))
    report = replay(library, case_id)
    for flag in open_flags(report.case, report.cant_miss):
        casebook.settle(library, case_id, flag, "excluded", "not in this test", "Dr. Test")
    return replay(library, case_id)


@pytest.fixture(scope="module")
def before(library: Library) -> Report:
    return worked_up(library, open_seated(library))


@pytest.fixture(scope="module")
def after(library: Library, before: Report) -> Report:
    return worked_up(library, casebook.reopen_without(library, before.case.case_id, [FindingId("S13")]))


def names(*leading: str) -> Script:
    """Everybody names these in round 3, best first."""

    def script(request: ChatRequest) -> str | None:
        if not request.address.startswith("r3/"):
            return None
        rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S1\nAGAINST: none\n"
        return "".join(f"DIAGNOSIS: {name}\n{rest}" for name in leading) + "END\n"

    return script


def test_every_ranked_diagnosis_stands_there_once_with_the_figures_of_its_report(before: Report, after: Report) -> None:
    made = compare(before, after)
    for report, standings in (
        (before, {row.name: row.a for row in made.rows if row.a}),
        (after, {row.name: row.b for row in made.rows if row.b}),
    ):
        assert report.differential is not None
        assert len(standings) == len(report.differential.ranking.rows)
        for ranked in report.differential.ranking.rows:
            shown = standings[ranked.name]
            assert (shown.weighted_rank, shown.plain_rank) == (ranked.weighted_rank, ranked.plain_rank)
            assert (shown.weighted_points, shown.plain_points) == (ranked.weighted_points, ranked.plain_points)
    assert len({row.canonical for row in made.rows}) == len(made.rows)


def test_change_counts_ranks_gained_and_says_nothing_of_one_list(before: Report, after: Report) -> None:
    rows = compare(before, after).rows
    for row in rows:
        assert row.change == (row.a.weighted_rank - row.b.weighted_rank if row.a and row.b else None)
    in_a = [row.a.weighted_rank for row in rows if row.a]
    only_b = [row.b.weighted_rank for row in rows if row.b and not row.a]
    assert in_a == sorted(in_a)
    assert only_b == sorted(only_b)
    assert [row.a is None for row in rows] == sorted(row.a is None for row in rows)


def test_the_other_way_round_everything_is_turned(before: Report, after: Report) -> None:
    there, back = compare(before, after), compare(after, before)
    assert (back.a, back.b) == (there.b, there.a)
    turned = {row.canonical: (row.b, row.a, None if row.change is None else -row.change) for row in there.rows}
    assert {row.canonical: (row.a, row.b, row.change) for row in back.rows} == turned
    assert back.linked
    assert there.linked


def test_a_linked_case_differs_in_its_findings_only(before: Report, after: Report) -> None:
    made = compare(before, after)
    assert [finding.finding_id for finding in made.a.only_here] == ["S13"]
    assert made.b.only_here == made.differences == ()
    assert made.same_vignette


def test_names_of_one_disease_are_one_row(library: Library) -> None:
    one = worked_up(library, open_seated(library), names("Heart attack", "Sepsis", "Malaria"))
    other = worked_up(library, open_seated(library), names("Myocardial infarction", "Sepsis", "Malaria"))
    made = compare(one, other)
    both = {row.name for row in made.rows if row.a and row.b}
    assert {"Myocardial infarction", "Sepsis", "Malaria"} <= {name.capitalize() for name in both}
    assert [each.independent.changed for each in made.specialists] == [False] * 5
    assert not made.linked


def test_names_that_were_ruled_on_stand_as_they_were_ruled(library: Library) -> None:
    merged = names("Heart attack", "Sepsis", "Malaria")
    one = worked_up(library, open_seated(library), merged)
    other = worked_up(library, open_seated(library), names("Myocardial infarction", "Sepsis", "Malaria"))
    other_id = other.case.case_id
    casebook.rule_on_names(library, other_id, "join", ("Sepsis", "Malaria"), "Dr. Test", "one disease here")
    made = compare(one, replay(library, other_id))
    assert [row.what for row in made.differences] == ["names joined or split"]
    sides = {row.name.lower(): (row.a is not None, row.b is not None) for row in made.rows}
    assert (sides["sepsis"], sides["malaria"]) == ((True, True), (True, False))
    casebook.rule_on_names(library, one.case.case_id, "join", ("Sepsis", "Malaria"), "Dr. Test", "here as well")
    made = compare(replay(library, one.case.case_id), replay(library, other_id))
    assert made.differences == ()
    assert all(row.a and row.b for row in made.rows if row.name.lower() in ("sepsis", "malaria"))


def test_a_wording_that_was_split_off_is_a_row_of_its_own(library: Library) -> None:
    def both(request: ChatRequest) -> str | None:
        wording = "Heart attack" if "/neurology/" in request.address else "Myocardial infarction"
        return names(wording, "Sepsis", "Malaria")(request)

    case_ids = [open_seated(library) for _ in range(2)]
    whole, split = (worked_up(library, case_id, both) for case_id in case_ids)
    casebook.rule_on_names(library, case_ids[1], "split", ("Heart attack",), "Dr. Test", "not the same")
    split = replay(library, case_ids[1])
    made = compare(whole, split)
    assert split.differential is not None
    assert sum(row.b is not None for row in made.rows) == len(split.differential.ranking.rows)
    (apart,) = (row for row in made.rows if row.name == "Heart attack")
    assert (apart.a, apart.change, apart.canonical) == (None, None, "myocardial infarction")
    changed = {each.speaker: each.independent.changed for each in made.specialists}
    assert [speaker for speaker, other in changed.items() if other] == ["neurology"]


@pytest.mark.parametrize("withheld", [0, 1, 2])
def test_nothing_that_ranks_is_told_before_the_gate(before: Report, after: Report, withheld: int) -> None:
    closed = [msgspec.structs.replace(report, status="withheld") for report in (before, after)]
    pair = [closed[n] if withheld in (n, 2) else (before, after)[n] for n in (0, 1)]
    with pytest.raises(BadInput, match="withheld; settle") as refused:
        compare(*pair)
    assert before.differential is not None
    assert not any(row.name in str(refused.value) for row in before.differential.ranking.rows)


def test_a_case_is_not_compared_with_itself_nor_with_another_patient(library: Library, before: Report) -> None:
    with pytest.raises(BadInput, match="Both are case"):
        compare(before, before)
    text = "A 61-year-old man has tearing chest pain. He is sweating. His left arm is pulseless."
    case_id = casebook.open_case(library, vignette(text), ConsultSettings(specialists=1), 7, "scripted", "Another")
    panel = seated((("cardiology", "Thinks of cardiology."),), ConsultSettings(specialists=1))
    casebook.seat_panel(library, case_id, panel, by="Dr. Test")
    with pytest.raises(BadInput, match="no finding in common") as refused:
        compare(before, worked_up(library, case_id))
    assert "chest" not in str(refused.value)


def test_other_settings_seed_and_panel_are_named(library: Library, before: Report) -> None:
    other = worked_up(library, open_seated(library, ConsultSettings(specialists=3, weight_floor=False), seed=8))
    made = compare(before, other)
    differences = {row.what: (row.a, row.b) for row in made.differences}
    assert differences["seed"] == ("7", "8")
    assert differences["specialists"] == ("5", "3")
    assert differences["weight floor"] == ("on", "off")
    assert set(differences) == {"seed", "specialists", "weight floor", "panel"}
    assert [each.speaker for each in made.specialists] == [name.replace(" ", "-") for name in SEATS]
    assert [each.ballot.b is None for each in made.specialists] == [False, False, False, True, True]
    assert [each.ballot.changed is None for each in made.specialists] == [False, False, False, True, True]


def test_another_model_is_named(before: Report, after: Report) -> None:
    large = msgspec.structs.replace(after.models[0], model_id="large", parameters=8_000_000_000)
    made = compare(
        before,
        msgspec.structs.replace(
            after, models=(large,), case=msgspec.structs.replace(after.case, model_id="large"), viability_note=None
        ),
    )
    assert Difference(what="model chosen", a="scripted", b="large") in made.differences
    assert "models that answered" in {row.what for row in made.differences}
    assert made.viability_notes == (before.viability_note,)


def test_findings_of_another_vignette_are_compared_by_their_words(library: Library, before: Report) -> None:
    longer = vignette("She is a teacher. " + SAMPLE)
    case_id = casebook.open_case(library, longer, ConsultSettings(), 7, "scripted", "Longer")
    casebook.seat_panel(library, case_id, before.case.panel, by="Dr. Test")
    made = compare(before, worked_up(library, case_id))
    assert not made.same_vignette
    assert made.a.only_here == ()
    assert [finding.text for finding in made.b.only_here] == ["She is a teacher."]


def test_a_case_without_a_differential_has_no_standings(library: Library, before: Report) -> None:
    silent = worked_up(library, open_seated(library), lambda request: "")
    made: Comparison = compare(before, silent)
    assert (made.a.has_differential, made.b.has_differential) == (True, False)
    assert made.rows
    assert all(row.b is None and row.change is None for row in made.rows)
    assert all(each.ballot.changed is None for each in made.specialists)
    assert compare(silent, before).rows

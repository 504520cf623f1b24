"""A comparison as a clinician reads it: both lists in one table, what else differs, and that chance may do the same."""

import re

import msgspec
import pytest

from core.consult.comparison import compare
from core.domain.case import CaseId, FindingId
from core.domain.comparison import Comparison
from core.domain.report import Report
from core.render import Issued, document
from core.render.comparison import ComparisonFile, comparison_document, render_comparison_json
from core.render.contents import Facts, Table
from core.render.html import write_html
from core.render.markdown import write_markdown


@pytest.fixture
def rerun(released: Report) -> Report:
    """The same report as if S1 had been left out."""
    case = msgspec.structs.replace(
        released.case, case_id=CaseId("2026-03-02-bbbbbb"), continues=released.case.case_id, excluded=(FindingId("S1"),)
    )
    return msgspec.structs.replace(released, case=case)


@pytest.fixture
def made(released: Report, rerun: Report) -> Comparison:
    return compare(released, rerun)


def words_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_ranks_and_points_of_both_stand_in_one_row(made: Comparison, issued: Issued) -> None:
    sections = {section.title: section for section in comparison_document(made, issued).sections}
    (table,) = (b for b in sections["The differentials side by side"].blocks if isinstance(b, Table))
    first = made.rows[0]
    assert first.a is not None
    assert first.b is not None
    shown = table.rows[0]
    assert shown[0] == first.name
    assert shown[2] == f"rank 1, {first.a.weighted_points:.1f} points"
    assert shown[3] == f"rank 1, {first.b.weighted_points:.1f} points"
    assert shown[4] == "same rank"
    assert len(table.rows) == len(made.rows)


@pytest.mark.parametrize(("change", "said"), [(2, "up by 2"), (-1, "down by 1"), (0, "same rank"), (None, "only in A")])
def test_a_change_is_told_in_words(made: Comparison, issued: Issued, change: int | None, said: str) -> None:
    row = msgspec.structs.replace(made.rows[0], change=change, b=None if change is None else made.rows[0].b)
    text = write_markdown(comparison_document(msgspec.structs.replace(made, rows=(row,)), issued))
    assert said in text


def test_the_order_of_diagnoses_without_points_is_no_change(made: Comparison, issued: Issued) -> None:
    row = made.rows[0]
    assert row.a is not None
    none = msgspec.structs.replace(row.a, weighted_points=0.0, plain_points=0)
    row = msgspec.structs.replace(row, a=none, b=msgspec.structs.replace(none, weighted_rank=9), change=-8)
    text = write_markdown(comparison_document(msgspec.structs.replace(made, rows=(row,)), issued))
    assert "no points in either" in text
    assert "down by" not in text


def test_both_writers_say_what_was_left_out_and_that_chance_may_do_the_same(made: Comparison, issued: Issued) -> None:
    finding = made.a.only_here[0]
    for text in (
        words_of(write_html(comparison_document(made, issued))),
        write_markdown(comparison_document(made, issued)),
    ):
        assert finding.text.split(",")[0] in text
        assert "not considered" in text
        assert "by chance alone" in text
        assert "rounds 1 and 2 are the same ones in both" in text
        assert "Research and education, not a medical device" in text
        assert "The leader is the same in both" in text
        assert "more than the findings differs" not in text


def test_a_comparison_across_settings_says_so(released: Report, rerun: Report, issued: Issued) -> None:
    case = msgspec.structs.replace(rerun.case, seed=rerun.case.seed + 1)
    made = compare(released, msgspec.structs.replace(rerun, case=case))
    text = write_markdown(comparison_document(made, issued))
    assert "more than the findings differs" in text
    assert f"| seed | {released.case.seed} | {case.seed} |" in text


def test_json_reads_back_equal(made: Comparison, issued: Issued) -> None:
    file = msgspec.json.decode(render_comparison_json(made, issued=issued), type=ComparisonFile)
    assert (file.comparison, file.issued) == (made, issued)


def test_a_rerun_begins_with_what_it_continues_and_what_was_left_out(
    released: Report, rerun: Report, issued: Issued
) -> None:
    opening = document(rerun, issued).sections[0]
    facts = {row.label: row.lines for block in opening.blocks if isinstance(block, Facts) for row in block.rows}
    assert facts["Continues"] == (f"case {released.case.case_id}",)
    assert facts["Left out by the clinician"] == (f"S1: {rerun.case.vignette.findings[0].text}",)
    html = words_of(write_html(document(rerun, issued)))
    assert f"rounds 1 and 2 were carried over from case {released.case.case_id}" in html
    assert "present [left out by the clinician]" in html
    assert f"The figures of rounds 1 and 2 are those of case {released.case.case_id}" in html
    assert "left out by the clinician" not in words_of(write_html(document(released, issued)))

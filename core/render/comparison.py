"""Two cases side by side: as a document for the writers, and as JSON."""

import msgspec

from core.consult.differential import SHOWN
from core.domain.comparison import ComparedDiagnosis, ComparedLeading, Comparison, Side, Standing
from core.render.contents import Block, Document, Fact, Facts, Issued, Paragraph, Section, fact, table
from core.render.opening import DISCLAIMER
from core.render.references import finding_text

SCHEMA_VERSION = 1
"""Rises whenever a reader of the earlier files would misread a new one."""
CHANCE = (
    "Each case was worked up once. A panel may answer otherwise by chance alone: a change after a finding was left out "
    "is a hint that the finding matters, and no proof."
)
LINKED = (
    "One case continues the other without some findings. Panel, rounds 1 and 2 are the same ones in both, made with "
    "findings in sight that were left out afterwards; everything from round 3 on was asked anew."
)
UNLINKED = "Neither case continues the other without findings: rounds 1 and 2 were asked in each."
OTHER_VIGNETTE = (
    "Warning: the vignettes are not the same. An id such as S4 may mean another finding in each case; findings were "
    "compared by their words."
)
MORE_DIFFERS = (
    "Warning: more than the findings differs between these cases, see the table below. What changed cannot be put down "
    "to the findings alone."
)
POINTS = (
    "Ranks and points as in the reports of the two cases. Points order a panel's opinions: they are no probability."
)


class ComparisonFile(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the JSON file."""

    schema_version: int
    issued: Issued
    comparison: Comparison


def render_comparison_json(made: Comparison, *, issued: Issued) -> str:
    """One JSON object, indented by two spaces, in UTF-8 text."""
    encoded = msgspec.json.encode(ComparisonFile(schema_version=SCHEMA_VERSION, issued=issued, comparison=made))
    return msgspec.json.format(encoded, indent=2).decode("utf-8") + "\n"


def comparison_document(made: Comparison, issued: Issued) -> Document:
    """The tree that every writer shows; A and B are called so throughout."""
    return Document(
        title="Ground Rounds: two cases side by side",
        language="en-US",
        sections=(_cases(made, issued), _what_differs(made), _differentials(made), _specialists(made)),
        footer=DISCLAIMER,
    )


def _cases(made: Comparison, issued: Issued) -> Section:
    rows = (
        _case("A", made.a),
        _case("B", made.b),
        fact("Comparison made", issued.issued_at),
        fact("Product", f"Ground Rounds {issued.product_version}"),
        fact("Head of the event chain", issued.chain_head or "not given: this comparison was made outside a library"),
    )
    notes = (Paragraph(text=f"Warning: {sentence}", tone="warning") for sentence in made.viability_notes)
    return Section(title="The cases", blocks=(Facts(rows=rows), *notes, Paragraph(text=DISCLAIMER, tone="notice")))


def _case(letter: str, side: Side) -> Fact:
    continues = (f"continues case {side.continues}",) if side.continues else ()
    return fact(letter, f"case {side.case_id}", side.title, f"opened {side.opened_at}", *continues)


def _what_differs(made: Comparison) -> Section:
    findings: list[tuple[str, ...]] = [
        *((finding_text(finding), "considered", "not considered") for finding in made.a.only_here),
        *((finding_text(finding), "not considered", "considered") for finding in made.b.only_here),
    ]
    more: list[tuple[str, ...]] = [(row.what, row.a, row.b) for row in made.differences]
    return Section(
        title="What differs",
        blocks=(
            *((Paragraph(text=OTHER_VIGNETTE, tone="warning"),) if not made.same_vignette else ()),
            *((Paragraph(text=MORE_DIFFERS, tone="warning"),) if more else ()),
            Paragraph(text=LINKED if made.linked else UNLINKED),
            Paragraph(text=CHANCE, tone="notice"),
            table(
                "Findings", ("Finding", "Panel of A", "Panel of B"), findings, "Both panels considered the same findings."
            ),
            table(
                "What else differs", ("What", "A", "B"), more,
                "Model, seed, protocol version, settings, panel and rulings on names are the same in both cases.",
            ),
        ),
    )  # fmt: skip


def _differentials(made: Comparison) -> Section:
    first = tuple(row for row in made.rows if _is_shown(row.a) or _is_shown(row.b))
    rest = tuple(row for row in made.rows if row not in first)
    missing = tuple(
        Paragraph(
            text=f"{letter} has no differential: nobody proposed a diagnosis, or nobody cast a ballot.", tone="warning"
        )
        for letter, side in (("A", made.a), ("B", made.b))
        if not side.has_differential
    )
    return Section(
        title="The differentials side by side",
        blocks=(
            *missing,
            *_leaders(made),
            Paragraph(text=POINTS),
            _side_by_side(f"Among the first {SHOWN} in A or in B", first),
            *((_side_by_side("The rest of both lists", rest),) if rest else ()),
        ),
    )


def _is_shown(standing: Standing | None) -> bool:
    return standing is not None and standing.weighted_rank <= SHOWN


def _leaders(made: Comparison) -> tuple[Paragraph, ...]:
    leading_a = next((row for row in made.rows if row.a and row.a.weighted_rank == 1), None)
    leading_b = next((row for row in made.rows if row.b and row.b.weighted_rank == 1), None)
    if leading_a is None or leading_b is None:
        return ()
    if leading_a is leading_b:
        return (Paragraph(text=f"The leader is the same in both: {leading_a.name}."),)
    text = f"The leaders differ: {leading_a.name} in A, {leading_b.name} in B."
    return (Paragraph(text=text, tone="notice"),)


def _side_by_side(caption: str, rows: tuple[ComparedDiagnosis, ...]) -> Block:
    cells: list[tuple[str, ...]] = [
        (
            row.name, row.icd10 or "none", _weighted(row.a), _weighted(row.b), _change(row), _plain(row.a),
            _plain(row.b),
        )
        for row in rows
    ]  # fmt: skip
    head = ("Diagnosis", "ICD-10-CM", "A, weighted", "B, weighted", "From A to B", "A, plain", "B, plain")
    return table(caption, head, cells, "Both lists are empty.")


def _weighted(standing: Standing | None) -> str:
    return f"rank {standing.weighted_rank}, {standing.weighted_points:.1f} points" if standing else "not on the list"


def _plain(standing: Standing | None) -> str:
    return f"rank {standing.plain_rank}, {standing.plain_points} points" if standing else "not on the list"


def _change(row: ComparedDiagnosis) -> str:
    if row.a is None or row.b is None or row.change is None:
        return "only in A" if row.a else "only in B"
    if not row.a.plain_points and not row.b.plain_points:
        return "no points in either"  # their order says nothing
    if row.change == 0:
        return "same rank"
    return f"up by {row.change}" if row.change > 0 else f"down by {-row.change}"


def _specialists(made: Comparison) -> Section:
    rows: list[tuple[str, ...]] = [
        (each.specialty, *_leading(each.independent), *_leading(each.ballot)) for each in made.specialists
    ]
    head = ("Specialist", "Round 3 in A", "Round 3 in B", "Changed", "Ballot in A", "Ballot in B", "Changed")
    return Section(
        title="Leading diagnoses of the specialists",
        blocks=(
            Paragraph(
                text="Round 3 was answered before any colleague was heard, the ballot after the debate. The ballot's "
                "first choice is shown."
            ),
            table("Leading diagnoses", head, rows, "Nobody sat on the panels."),
        ),
    )


def _leading(leading: ComparedLeading) -> tuple[str, str, str]:
    changed = {True: "changed", False: "the same", None: "cannot be told"}[leading.changed]
    return leading.a or "none", leading.b or "none", changed

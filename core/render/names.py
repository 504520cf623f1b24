"""The names of the list of diagnoses, what the clinician ruled about them, and what that changed."""

from collections.abc import Iterator

import msgspec

from core.consult.names import RuledList, RuledRow
from core.domain.case import NameRuling
from core.domain.differential import RankedDiagnosis, RuledNames, RulingEffect
from core.domain.report import Report
from core.domain.statement import DiagnosisId
from core.render.contents import Facts, Paragraph, Section, fact, table
from core.render.references import References

NO_RANKING = "There is no ranking that it could change."
TITLE = "Names joined or split by the clinician"
MEANING = (
    "The ballots were cast on the list as the panel saw it. The debate, the referee's findings and alignment still speak of that "
    "list, and the weights of the ballots stay as they were: only the ranking follows the clinician. Where a ballot names both "
    "of two joined rows, the better place counts, once, and the places below do not move up. Of a row that was split, a vote "
    "goes to the wording that the specialist itself wrote last, else to the row that kept the name."
)


def ruled_names(report: Report, names: References) -> tuple[Section, ...]:
    """For a released report; nothing where the clinician did not rule on names."""
    rulings = report.case.rulings
    if not rulings:
        return ()
    found = report.differential.ruled_names if report.differential else None
    effects = [_effect(effect, names) for effect in found.effects] if found else [NO_RANKING] * len(rulings)
    rows: list[tuple[str, ...]] = [
        (_what(ruling), ruling.by, ruling.at, ruling.reason or "none", effect)
        for ruling, effect in zip(rulings, effects, strict=True)
    ]
    head = ("Ruling", "By", "When", "Reason", "Effect")
    return (
        Section(
            title=TITLE,
            blocks=(
                Paragraph(text=MEANING),
                table("Rulings, in order; a later one may undo an earlier one", head, rows, "Nobody ruled."),
                *((_ballots(report, found),) if found else ()),
            ),
        ),
    )


def _what(ruling: NameRuling) -> str:
    if ruling.kind == "join":
        return f"{' and '.join(ruling.names)} are one diagnosis"
    return f"{', '.join(ruling.names)} stands apart"


def _effect(effect: RulingEffect, names: References) -> str:
    if effect.did == "nothing":
        return "None: the list had no such names, or they stood so already."
    stays, other = map(names.diagnosis, effect.ids)
    return {
        "joined": f"{other} counts as {stays}.",
        "split": f"It is a row of its own, {other}, beside {stays}.",
        "join undone": f"{stays} and {other} are two rows again.",
        "split undone": f"{other} is part of {stays} again.",
    }[effect.did]


def _ballots(report: Report, found: RuledNames) -> Facts:
    assert report.differential is not None
    leader, without = report.differential.ranking.rows[0].name, found.leader_without
    return Facts(
        rows=(
            fact("Votes that went to the wording which the specialist itself wrote", str(found.own_wording)),
            fact("Votes that stayed with the name: the specialist wrote none of the wordings", str(found.kept_name)),
            fact("Votes that fell away: the ballot names a joined row twice", str(found.fallen)),
            fact("Leader without these rulings", "the same" if without == leader else f"{without} instead of {leader}"),
        )
    )


def list_text(report: Report, ruled: RuledList) -> str:
    """Each row with its wordings: with its points and by rank once released, until then in the order of the alphabet."""
    ranked = _ranked(report)
    lines = [line for row in _ordered(ruled, ranked) for line in _lines(row, ranked.get(row.diagnosis_id))]
    return "".join(f"{line}\n" for line in lines or ("The list is empty.",))


def list_facts(report: Report, ruled: RuledList) -> str:
    """The same as one JSON object, with what every ruling did."""
    ranked = _ranked(report)
    facts = {
        "case": report.case.case_id,
        "status": report.status,
        "rows": [_facts(row, ranked.get(row.diagnosis_id)) for row in _ordered(ruled, ranked)],
        "rulings": ruled.effects,
    }
    return msgspec.json.encode(facts).decode() + "\n"


def _ranked(report: Report) -> dict[DiagnosisId, RankedDiagnosis]:
    """Empty while withheld: such a report has no ranking."""
    return {row.diagnosis_id: row for row in report.differential.ranking.rows} if report.differential else {}


def _ordered(ruled: RuledList, ranked: dict[DiagnosisId, RankedDiagnosis]) -> list[RuledRow]:
    if ranked:
        return sorted(ruled.rows, key=lambda row: ranked[row.diagnosis_id].weighted_rank)
    return sorted(ruled.rows, key=lambda row: row.name.casefold())


def _lines(row: RuledRow, ranked: RankedDiagnosis | None) -> Iterator[str]:
    points = f"  {ranked.weighted_points:.1f} weighted, {ranked.plain_points} plain points" if ranked else ""
    yield f"{f'{ranked.weighted_rank}. ' if ranked else ''}{row.name} ({row.diagnosis_id}){points}"
    yield f"   wordings: {'; '.join(row.names)}"
    if row.possibly_same:
        yield f"   possibly the same, left apart: {'; '.join(row.possibly_same)}"


def _facts(row: RuledRow, ranked: RankedDiagnosis | None) -> dict[str, object]:
    facts: dict[str, object] = {
        "id": row.diagnosis_id,
        "name": row.name,
        "names": row.names,
        "possibly_same": row.possibly_same,
    }
    if ranked is not None:
        facts |= {
            name: getattr(ranked, name) for name in ("weighted_rank", "weighted_points", "plain_rank", "plain_points")
        }
    return facts

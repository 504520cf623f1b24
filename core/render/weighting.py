"""How much each ballot weighs, in our way and in the published one, and what that does to the order."""

from core.consult.differential import SHOWN
from core.domain.differential import Credibility, Differential, Ranking
from core.domain.report import Report
from core.render.contents import Block, Paragraph, Section, table
from core.render.references import References

FORMULA = (
    "n: distinct diagnoses in round 3; e: findings per diagnosis. Insight = 3n + 2e. Breadth = 4n. "
    "Actionability = 20 if the leading diagnosis rests on two or more findings, else 0. DES = valence x "
    "(2.5 Insight + 1.5 Breadth + Actionability). Weight = DES, at most twice the median DES. Source: SCoT, appendix F."
)
VALENCES = {
    "findings": "Valence, our own rule: 0.6 + 0.6 x share of claims that rest on a finding and were not "
    "changed without a cause.",
    "keywords": "Valence as in the published code: by the length of the text and a list of key words.",
}
FLOOR = "Our own rule: no ballot weighs less than half the median."
PUBLISHED = (
    "The same formula with the valence of the published code (length of the text and a list of key words), without a floor, "
    "and with the upper of two middle values as the median. It rewards key words, so it stands here for comparison only."
)


def credibility(report: Report, found: Differential, names: References) -> Section:
    """Only for a released report."""
    settings = report.case.settings
    return Section(
        title="Credibility: how much each ballot weighs",
        blocks=(
            Paragraph(text=FORMULA),
            Paragraph(text=VALENCES[settings.valence]),
            *((Paragraph(text=FLOOR),) if settings.weight_floor else ()),
            _weights("Weights of the ballots", found.ranking, names),
            *_published(found, names),
        ),
    )


def _published(found: Differential, names: References) -> tuple[Block, ...]:
    published = found.published_ranking
    if published is None:
        return ()
    leader, other = found.ranking.rows[0], published.rows[0]
    warning = f"Warning: with the published weights the leader is {other.name} instead of {leader.name}."
    differs = leader.diagnosis_id != other.diagnosis_id
    return (
        Section(
            title="With the published weights",
            blocks=(
                Paragraph(text=PUBLISHED),
                *((Paragraph(text=warning, tone="warning"),) if differs else ()),
                _side_by_side(found.ranking, published),
                _weights("Weights of the ballots, published way", published, names),
            ),
        ),
    )


def _side_by_side(ours: Ranking, published: Ranking) -> Block:
    there = {row.diagnosis_id: row for row in published.rows}
    rows: list[tuple[str, ...]] = [
        (
            row.name,
            f"{row.weighted_rank} ({row.weighted_points:.1f})",
            f"{there[row.diagnosis_id].weighted_rank} ({there[row.diagnosis_id].weighted_points:.1f})",
            f"{row.plain_rank} ({row.plain_points})",
        )
        for row in ours.rows
        if row.weighted_rank <= SHOWN or there[row.diagnosis_id].weighted_rank <= SHOWN or row.plain_rank <= SHOWN
    ]
    head = ("Diagnosis", "Rank and points, our weights", "Published weights", "Plain points")
    return table("Three ways to count the same ballots", head, rows, "The list is empty.")


def _weights(caption: str, ranking: Ranking, names: References) -> Block:
    rows = [_weight(row, names) for row in ranking.credibility]
    head = ("Specialist", "n", "e", "Insight", "Breadth", "Actionability", "Valence", "DES", "Weight")
    return table(caption, head, rows, "No specialist said anything.")


def _weight(row: Credibility, names: References) -> tuple[str, ...]:
    return (
        names.specialty(row.speaker), str(row.distinct_diagnoses), f"{row.evidence_mean:.2f}", f"{row.insight:.1f}",
        f"{row.breadth:.1f}", f"{row.actionability:.0f}", f"{row.valence:.2f}", f"{row.des:.1f}", f"{row.weight:.1f}",
    )  # fmt: skip

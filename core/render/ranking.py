"""The released differential with the arithmetic of every point."""

from core.consult.differential import SHOWN
from core.domain.differential import Differential, RankedDiagnosis, Ranking, Vote
from core.domain.panel import SpecialistId
from core.domain.report import Report
from core.domain.statement import PositionStatement
from core.render.contents import Block, Facts, Items, Paragraph, Section, fact, table
from core.render.names import ruled_names
from core.render.references import References, ids
from core.render.weighting import credibility

POINTS = (
    "A ballot gives 3 points to its first choice, 2 to its second and 1 to its third. Weighted points "
    "are these points times the weight of the ballot (credibility, below); plain points leave the weight "
    "out. Points order the panel's opinions: they are no probability. Figures are rounded to one "
    "decimal; totals are made before rounding."
)
RULED = (
    "The clinician joined or split names of this list after the ballots; what that changed stands below, under Names joined or "
    "split by the clinician."
)


def differential(report: Report, names: References) -> Section:
    """Only for a released report."""
    found = report.differential
    title = "Differential"
    if found is None:
        sentence = "There is no differential: nobody proposed a diagnosis, or nobody cast a ballot."
        return Section(title=title, blocks=(Paragraph(text=sentence, tone="warning"), *ruled_names(report, names)))
    rows = found.ranking.rows
    rest = rows[SHOWN:]
    further = tuple(_diagnosis(report, found.ranking, row, names) for row in rest)
    blocks: tuple[Block, ...] = (
        Paragraph(
            text=f"Quorum: {found.quorum} of {found.seats} ballots were cast. A missing ballot counts for nothing."
        ),
        *_leaders(found.ranking),
        *((Paragraph(text=RULED, tone="notice"),) if found.ruled_names else ()),
        Paragraph(text=POINTS),
        _overview("The differential", rows[:SHOWN]),
        *(_diagnosis(report, found.ranking, row, names) for row in rows[:SHOWN]),
        *(
            (Section(title="Further diagnoses", blocks=(_overview("The rest of the list", rest), *further)),)
            if rest
            else ()
        ),
        *ruled_names(report, names),
        credibility(report, found, names),
        _private(report, found, names),
        _findings(found, names),
    )
    return Section(title=title, blocks=blocks)


def _leaders(ranking: Ranking) -> tuple[Paragraph, ...]:
    if not ranking.leaders_differ:
        return ()
    plain = min(ranking.rows, key=lambda row: row.plain_rank)
    text = (
        f"Warning: the leaders differ. By weighted points it is {ranking.rows[0].name}, by plain points {plain.name}. "
        "The order depends on how ballots are weighted; look at both."
    )
    return (Paragraph(text=text, tone="warning"),)


def _overview(caption: str, rows: tuple[RankedDiagnosis, ...]) -> Block:
    cells: list[tuple[str, ...]] = [
        (
            row.name, row.icd10 or "none", str(row.weighted_rank), f"{row.weighted_points:.1f}", str(row.plain_rank),
            str(row.plain_points),
        )
        for row in rows
    ]  # fmt: skip
    head = ("Diagnosis", "ICD-10-CM", "Weighted rank", "Weighted points", "Plain rank", "Plain points")
    return table(caption, head, cells, "The list is empty.")


def _diagnosis(report: Report, ranking: Ranking, row: RankedDiagnosis, names: References) -> Section:
    weights = {weight.speaker: weight.weight for weight in ranking.credibility}
    weighted = [f"{vote.weighted:.1f}" for vote in row.votes]
    plain = [str(vote.points) for vote in row.votes]
    facts = (
        fact("ICD-10-CM", row.icd10 or "no code in the terminology"),
        fact("Weighted", f"rank {row.weighted_rank}, {_sum(f'{row.weighted_points:.1f}', weighted)} points"),
        fact("Plain", f"rank {row.plain_rank}, {_sum(str(row.plain_points), plain)} points"),
        fact("Votes", *(_vote(vote, weights, names) for vote in row.votes)),
        fact("Findings for", *map(names.finding, row.supporting)),
        fact("Findings against", *map(names.finding, row.opposing)),
        fact("Proposed by", names.specialties(row.proposers)),
        fact("Claims", ids(row.claims)),
        fact("Dissent", *(_dissent(report, row, who, names) for who in row.dissenters)),
    )
    return Section(title=f"{row.weighted_rank}. {row.name} ({row.diagnosis_id})", blocks=(Facts(rows=facts),))


def _sum(total: str, parts: list[str]) -> str:
    return f"{' + '.join(parts)} = {total}" if len(parts) > 1 else total


def _vote(vote: Vote, weights: dict[SpecialistId, float], names: References) -> str:
    weight = f"weight {weights[vote.speaker]:.1f}" if vote.speaker in weights else "weight not given"
    return f"{names.specialty(vote.speaker)}: place {vote.position}, {vote.points} x {weight} = {vote.weighted:.1f}"


def _dissent(report: Report, row: RankedDiagnosis, who: SpecialistId, names: References) -> str:
    listed = row.listed or (row.diagnosis_id,)
    grounds = [
        f"{position.ground or 'no ground given'} (findings: {ids(position.findings)})"
        for statement in report.statements
        if isinstance(statement, PositionStatement) and statement.speaker == who
        for position in statement.positions
        if position.diagnosis_id in listed and position.stance == "CHALLENGE"
    ]
    return f"{names.specialty(who)}: {'; '.join(grounds) or 'left it off the ballot'}"


def _private(report: Report, found: Differential, names: References) -> Section:
    adoptions = report.refereeing.adoptions if report.refereeing else ()
    replaced = tuple(
        f"{names.specialty(adoption.speaker)}: {adoption.shared} gives way to {adoption.private}"
        for adoption in adoptions
        if adoption.flag == "adopted"
    )
    rows = found.private_ranking.rows
    warning = (
        f"Warning: with private answers the leader is {rows[0].name} instead of {found.ranking.rows[0].name}. "
        "Look at the referee's findings."
    )
    return Section(
        title="Second ranking, with private answers",
        blocks=(
            Paragraph(
                text="Where the referee flagged a specialist, the first choice on the ballot is replaced "
                "by the private answer; a private answer that is on nobody's list only removes the adopted choice."
            ),
            *((Paragraph(text=warning, tone="warning"),) if found.private_leader_differs else ()),
            Items(lines=replaced) if replaced else Paragraph(text="No ballot was flagged: both rankings are the same."),
            *((_overview("With private answers", rows[:SHOWN]),) if replaced else ()),
            *((_overview("With private answers: the rest", rows[SHOWN:]),) if replaced and rows[SHOWN:] else ()),
        ),
    )


def _findings(found: Differential, names: References) -> Section:
    rows = (
        fact(
            "Unexplained: present, and support none of the first six diagnoses", *map(names.finding, found.unexplained)
        ),
        fact("Used both for and against the same diagnosis", *map(names.finding, found.both_ways)),
    )
    return Section(title="Findings that do not fit", blocks=(Facts(rows=rows),))

"""From ballots to the ranked differential, and to the second one with private answers in place of adopted ones.

Both are rankings of the list as the clinician ruled on its names. How much a ballot weighs does not depend on these rulings.
"""

from collections.abc import Iterable, Mapping

from core.consult.borda import Choices, borda
from core.consult.credibility import credibility, published_credibility
from core.consult.merge import canonical
from core.consult.names import RuledList, as_ruled
from core.domain.appraisal import Refereeing
from core.domain.case import Case, FindingId, considered
from core.domain.debate import listed_diagnoses
from core.domain.differential import Credibility, Differential, RankedDiagnosis, Ranking, RuledNames
from core.domain.panel import SpecialistId
from core.domain.statement import (
    AnswerStatement,
    BallotStatement,
    Claim,
    DiagnosisId,
    DifferentialStatement,
    ListedDiagnosis,
    Position,
    PositionStatement,
    Statement,
)  # fmt: skip

SHOWN = 6
"""Diagnoses that count as the differential. Source: SCoT appendix F."""
Ballots = Mapping[SpecialistId, Choices]


def rank(case: Case, statements: tuple[Statement, ...], refereeing: Refereeing) -> Differential | None:
    """Both rankings with the arithmetic of every point; None where nobody proposed anything or nobody voted."""
    rows = listed_diagnoses(statements)
    cast = {s.speaker: s.choices for s in statements if isinstance(s, BallotStatement)}
    if not rows or not cast:
        return None
    order = tuple(seat.specialist_id for seat in case.panel.specialists)
    weights = credibility(statements, case.settings, order)
    ruled = as_ruled(statements, case.rulings)
    ballots = {speaker: ruled.ballot(speaker, choices) for speaker, choices in cast.items()}
    ranking = _ranking(ruled, ballots, weights, order, statements)
    private = _ranking(ruled, _with_private_answers(ballots, rows, ruled, refereeing), weights, order, statements)
    shown = ranking.rows[:SHOWN]
    explained = {finding for row in shown for finding in row.supporting}
    present = (finding.finding_id for finding in considered(case) if finding.present)
    return Differential(
        ranking=ranking,
        private_ranking=private,
        published_ranking=_ranking(ruled, ballots, published_credibility(statements, order), order, statements),
        private_leader_differs=ranking.rows[0].diagnosis_id != private.rows[0].diagnosis_id,
        quorum=len(cast),
        seats=len(order),
        unexplained=tuple(finding for finding in present if finding not in explained),
        both_ways=_in_case_order(case, {f for row in shown for f in row.supporting if f in row.opposing}),
        ruled_names=_ruled_names(case, statements, cast, weights, order) if case.rulings else None,
    )


def _with_private_answers(
    ballots: Ballots, rows: tuple[ListedDiagnosis, ...], ruled: RuledList, refereeing: Refereeing
) -> Ballots:
    """Ballots in which each adopted first choice gives way to the private answer, the others moving down.

    A private answer that is on nobody's list cannot be voted for: then only the adopted choice goes. It is known by its
    preferred name, so it belongs where a vote of this specialist would; if that is the row of the adopted choice, because
    the clinician joined the two, nothing gives way.
    """
    ids = {row.canonical: row.diagnosis_id for row in rows}
    replaced = dict(ballots)
    for adoption in refereeing.adoptions:
        if adoption.flag == "adopted" and adoption.private is not None:
            first, *rest = replaced[adoption.speaker]
            listed = ids.get(canonical(adoption.private))
            own = None if listed is None else ruled.place_of_choice(listed, adoption.speaker)
            if own is None:
                replaced[adoption.speaker] = tuple(rest)
            elif own != first:
                replaced[adoption.speaker] = (own, *(choice for choice in rest if choice != own))
    return replaced


def _ruled_names(
    case: Case,
    statements: tuple[Statement, ...],
    cast: Mapping[SpecialistId, tuple[DiagnosisId, ...]],
    weights: tuple[Credibility, ...],
    order: tuple[SpecialistId, ...],
) -> RuledNames:
    """What the rulings did, counted on the ballots as they were cast."""
    ruled = as_ruled(statements, case.rulings)
    divided = [(who, choice) for who, choices in cast.items() for choice in choices if choice in ruled.divided]
    carried = [ruled.ballot(who, choices) for who, choices in cast.items()]
    own = sum(vote in ruled.own for vote in divided)
    return RuledNames(
        effects=ruled.effects,
        own_wording=own,
        kept_name=len(divided) - own,
        fallen=sum(choices.count(None) for choices in carried),
        leader_without=_ranking(as_ruled(statements, ()), cast, weights, order, statements).rows[0].name,
    )


def _ranking(
    ruled: RuledList,
    ballots: Ballots,
    weights: tuple[Credibility, ...],
    order: tuple[SpecialistId, ...],
    statements: tuple[Statement, ...],
) -> Ranking:
    tallies = borda(ballots, {w.speaker: w.weight for w in weights}, [row.diagnosis_id for row in ruled.rows], order)
    claims = _claims_by_diagnosis(ruled, statements)
    listed = {row.diagnosis_id: row for row in ruled.rows}
    ranked = tuple(
        RankedDiagnosis(
            diagnosis_id=tally.diagnosis_id,
            name=listed[tally.diagnosis_id].name,
            icd10=listed[tally.diagnosis_id].icd10,
            weighted_points=tally.weighted_points,
            plain_points=tally.plain_points,
            weighted_rank=tally.weighted_rank,
            plain_rank=tally.plain_rank,
            votes=tally.votes,
            proposers=listed[tally.diagnosis_id].proposers,
            claims=tuple(claim.claim_id for claim in claims[tally.diagnosis_id]),
            supporting=_findings(claim.supporting for claim in claims[tally.diagnosis_id]),
            opposing=_findings(
                (
                    *(claim.opposing for claim in claims[tally.diagnosis_id]),
                    *(position.findings for _, position in _against(tally.diagnosis_id, ruled, statements)),
                )
            ),
            dissenters=_dissenters(tally.diagnosis_id, ruled, ballots, order, statements),
            listed=listed[tally.diagnosis_id].listed,
        )
        for tally in sorted(tallies, key=lambda tally: tally.weighted_rank)
    )
    return Ranking(
        rows=ranked,
        credibility=weights,
        leaders_differ=min(ranked, key=lambda row: row.plain_rank) is not ranked[0],
    )


def _claims_by_diagnosis(ruled: RuledList, statements: tuple[Statement, ...]) -> dict[DiagnosisId, list[Claim]]:
    """Claims of rounds 3 and 5c in board order."""
    found: dict[DiagnosisId, list[Claim]] = {row.diagnosis_id: [] for row in ruled.rows}
    for statement in statements:
        if isinstance(statement, DifferentialStatement):
            for claim in statement.claims:
                found[ruled.place_of_wording(claim.diagnosis)].append(claim)
        elif isinstance(statement, AnswerStatement):
            for holding in statement.holdings:
                found[ruled.place_of_choice(holding.diagnosis_id, statement.speaker)].append(holding.claim)
    return found


def _findings(groups: Iterable[tuple[FindingId, ...]]) -> tuple[FindingId, ...]:
    return tuple(dict.fromkeys(finding for group in groups for finding in group))


def _against(
    diagnosis_id: DiagnosisId, ruled: RuledList, statements: tuple[Statement, ...]
) -> tuple[tuple[SpecialistId, Position], ...]:
    """The counter-grounds of round 5a, with who brought them."""
    return tuple(
        (statement.speaker, position)
        for statement in statements
        if isinstance(statement, PositionStatement)
        for position in statement.positions
        if position.stance == "CHALLENGE"
        if ruled.place_of_choice(position.diagnosis_id, statement.speaker) == diagnosis_id
    )


def _dissenters(
    diagnosis_id: DiagnosisId,
    ruled: RuledList,
    ballots: Ballots,
    order: tuple[SpecialistId, ...],
    statements: tuple[Statement, ...],
) -> tuple[SpecialistId, ...]:
    """Who challenged the diagnosis in round 5a and did not vote for it in the end."""
    challenged = {speaker for speaker, _ in _against(diagnosis_id, ruled, statements)}
    return tuple(s for s in order if s in challenged and s in ballots and diagnosis_id not in ballots[s])


def _in_case_order(case: Case, findings: set[FindingId]) -> tuple[FindingId, ...]:
    return tuple(f.finding_id for f in case.vignette.findings if f.finding_id in findings)

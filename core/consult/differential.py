"""From ballots to the ranked differential, and to the second one with private answers in place of adopted ones."""

from collections.abc import Iterable, Mapping

from core.consult.borda import borda
from core.consult.credibility import credibility
from core.consult.merge import canonical
from core.domain.appraisal import Refereeing
from core.domain.case import Case, FindingId, considered
from core.domain.debate import all_claims, listed_diagnoses
from core.domain.differential import Credibility, Differential, RankedDiagnosis, Ranking
from core.domain.panel import SpecialistId
from core.domain.statement import (
    BallotStatement,
    Claim,
    DiagnosisId,
    ListedDiagnosis,
    PositionStatement,
    Statement,
)  # fmt: skip

SHOWN = 6
"""Diagnoses that count as the differential. Source: SCoT appendix F."""
Ballots = Mapping[SpecialistId, tuple[DiagnosisId, ...]]


def rank(case: Case, statements: tuple[Statement, ...], refereeing: Refereeing) -> Differential | None:
    """Both rankings with the arithmetic of every point; None where nobody proposed anything or nobody voted."""
    rows = listed_diagnoses(statements)
    cast = {s.speaker: s.choices for s in statements if isinstance(s, BallotStatement)}
    if not rows or not cast:
        return None
    order = tuple(seat.specialist_id for seat in case.panel.specialists)
    weights = credibility(statements, case.settings, order)
    ranking = _ranking(rows, cast, weights, order, statements)
    private = _ranking(rows, _with_private_answers(cast, rows, refereeing), weights, order, statements)
    shown = ranking.rows[:SHOWN]
    explained = {finding for row in shown for finding in row.supporting}
    present = (finding.finding_id for finding in considered(case) if finding.present)
    return Differential(
        ranking=ranking,
        private_ranking=private,
        private_leader_differs=ranking.rows[0].diagnosis_id != private.rows[0].diagnosis_id,
        quorum=len(cast),
        seats=len(order),
        unexplained=tuple(finding for finding in present if finding not in explained),
        both_ways=_in_case_order(case, {f for row in shown for f in row.supporting if f in row.opposing}),
    )


def _with_private_answers(ballots: Ballots, rows: tuple[ListedDiagnosis, ...], refereeing: Refereeing) -> Ballots:
    """Ballots in which each adopted first choice gives way to the private answer, the others moving down.

    A private answer that is on nobody's list cannot be voted for: then only the adopted choice goes.
    """
    ids = {row.canonical: row.diagnosis_id for row in rows}
    replaced = dict(ballots)
    for adoption in refereeing.adoptions:
        if adoption.flag == "adopted" and adoption.private is not None:
            rest = replaced[adoption.speaker][1:]
            own = ids.get(canonical(adoption.private))
            mine = () if own is None else (own,)
            replaced[adoption.speaker] = (*mine, *(choice for choice in rest if choice != own))
    return replaced


def _ranking(
    rows: tuple[ListedDiagnosis, ...],
    ballots: Ballots,
    weights: tuple[Credibility, ...],
    order: tuple[SpecialistId, ...],
    statements: tuple[Statement, ...],
) -> Ranking:
    tallies = borda(ballots, {w.speaker: w.weight for w in weights}, [row.diagnosis_id for row in rows], order)
    claims = _claims_by_diagnosis(rows, statements)
    listed = {row.diagnosis_id: row for row in rows}
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
                (*(claim.opposing for claim in claims[tally.diagnosis_id]), *_against(tally.diagnosis_id, statements))
            ),
            dissenters=_dissenters(tally.diagnosis_id, ballots, order, statements),
        )
        for tally in sorted(tallies, key=lambda tally: tally.weighted_rank)
    )
    return Ranking(
        rows=ranked,
        credibility=weights,
        leaders_differ=min(ranked, key=lambda row: row.plain_rank) is not ranked[0],
    )


def _claims_by_diagnosis(
    rows: tuple[ListedDiagnosis, ...], statements: tuple[Statement, ...]
) -> dict[DiagnosisId, list[Claim]]:
    ids = {row.canonical: row.diagnosis_id for row in rows}
    found: dict[DiagnosisId, list[Claim]] = {row.diagnosis_id: [] for row in rows}
    for claim in all_claims(statements):
        found[ids[canonical(claim.diagnosis)]].append(claim)
    return found


def _findings(groups: Iterable[tuple[FindingId, ...]]) -> tuple[FindingId, ...]:
    return tuple(dict.fromkeys(finding for group in groups for finding in group))


def _against(diagnosis_id: DiagnosisId, statements: tuple[Statement, ...]) -> tuple[tuple[FindingId, ...], ...]:
    """Findings of the counter-grounds in round 5a."""
    return tuple(
        position.findings
        for statement in statements
        if isinstance(statement, PositionStatement)
        for position in statement.positions
        if position.diagnosis_id == diagnosis_id and position.stance == "CHALLENGE"
    )


def _dissenters(
    diagnosis_id: DiagnosisId, ballots: Ballots, order: tuple[SpecialistId, ...], statements: tuple[Statement, ...]
) -> tuple[SpecialistId, ...]:
    """Who challenged the diagnosis in round 5a and did not vote for it in the end."""
    challenged = {
        statement.speaker
        for statement in statements
        if isinstance(statement, PositionStatement)
        for position in statement.positions
        if position.diagnosis_id == diagnosis_id and position.stance == "CHALLENGE"
    }
    return tuple(s for s in order if s in challenged and s in ballots and diagnosis_id not in ballots[s])


def _in_case_order(case: Case, findings: set[FindingId]) -> tuple[FindingId, ...]:
    return tuple(f.finding_id for f in case.vignette.findings if f.finding_id in findings)

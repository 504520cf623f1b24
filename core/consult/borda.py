"""Weighted and plain Borda count. Pure arithmetic.

S(d) = sum over ballots of (4 - position) w for positions 1..3. Source: SCoT appendix F, protocol section 5.
"""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from core.domain.differential import Vote
from core.domain.panel import SpecialistId
from core.domain.statement import DiagnosisId

_PLACES = 3
Choices = Sequence[DiagnosisId | None]
"""A ballot, best first; None is a place that was left empty."""


class Tally(Struct, frozen=True, kw_only=True):
    """What the ballots give one diagnosis."""

    diagnosis_id: DiagnosisId
    weighted_points: float
    plain_points: int
    weighted_rank: int
    """1 is best."""
    plain_rank: int
    votes: tuple[Vote, ...]
    """In panel order."""


def borda(
    ballots: Mapping[SpecialistId, Choices],
    weights: Mapping[SpecialistId, float],
    diagnoses: Sequence[DiagnosisId],
    panel_order: Sequence[SpecialistId],
) -> tuple[Tally, ...]:
    """Points, votes and both ranks of each diagnosis, in the order of `diagnoses`.

    `ballots` hold at most three different diagnoses, best first; who abstained has none. An empty place gives points to
    nobody. Equal points break by panel order of the best vote, then by list order. Raises `ValueError` for a ballot that
    the forms cannot give.
    """
    for speaker, choices in ballots.items():
        _check(speaker, choices, weights, diagnoses, panel_order)
    votes = {diagnosis: _votes_for(diagnosis, ballots, weights, panel_order) for diagnosis in diagnoses}
    # fsum: the same total whatever the order of the specialists.
    weighted = {diagnosis: math.fsum(vote.weighted for vote in votes[diagnosis]) for diagnosis in diagnoses}
    plain = {diagnosis: sum(vote.points for vote in votes[diagnosis]) for diagnosis in diagnoses}
    weighted_ranks = _ranks(weighted, votes, panel_order)
    plain_ranks = _ranks(plain, votes, panel_order)
    return tuple(
        Tally(
            diagnosis_id=diagnosis,
            weighted_points=weighted[diagnosis],
            plain_points=plain[diagnosis],
            weighted_rank=weighted_ranks[diagnosis],
            plain_rank=plain_ranks[diagnosis],
            votes=votes[diagnosis],
        )
        for diagnosis in diagnoses
    )


def _check(
    speaker: SpecialistId,
    choices: Choices,
    weights: Mapping[SpecialistId, float],
    diagnoses: Sequence[DiagnosisId],
    panel_order: Sequence[SpecialistId],
) -> None:
    if speaker not in panel_order or speaker not in weights:
        raise ValueError(f"{speaker} has a ballot, but no seat or no weight")
    named = [choice for choice in choices if choice is not None]
    if len(choices) > _PLACES or len(set(named)) < len(named) or not set(named) <= set(diagnoses):
        raise ValueError(f"the ballot of {speaker} has too many, repeated or unknown choices")


def _votes_for(
    diagnosis: DiagnosisId,
    ballots: Mapping[SpecialistId, Choices],
    weights: Mapping[SpecialistId, float],
    panel_order: Sequence[SpecialistId],
) -> tuple[Vote, ...]:
    found = []
    for speaker in panel_order:
        choices = list(ballots.get(speaker, ()))
        if diagnosis in choices:
            position = choices.index(diagnosis) + 1
            points = _PLACES + 1 - position
            found.append(Vote(speaker=speaker, position=position, points=points, weighted=points * weights[speaker]))
    return tuple(found)


def _ranks(
    points: Mapping[DiagnosisId, float],
    votes: Mapping[DiagnosisId, tuple[Vote, ...]],
    panel_order: Sequence[SpecialistId],
) -> dict[DiagnosisId, int]:
    def place(diagnosis: DiagnosisId) -> tuple[float, int]:
        # `min` takes the first of equal votes, and votes stand in panel order.
        best = min(votes[diagnosis], key=lambda vote: vote.position, default=None)
        return -points[diagnosis], panel_order.index(best.speaker) if best else len(panel_order)

    return {diagnosis: rank for rank, diagnosis in enumerate(sorted(points, key=place), 1)}

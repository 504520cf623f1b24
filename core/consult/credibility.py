"""How much each ballot weighs. Pure arithmetic.

Insight = 3 n + 2 e, Breadth = 4 n, Actionability = 20 or 0, DES = valence (2.5 Insight + 1.5 Breadth + Actionability),
weight = min(DES, 2 median(DES)).
Source: SCoT appendix F; valence `findings` and the floor are ours (protocol section 5).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from statistics import median, median_high

from core.consult.merge import canonical
from core.domain.differential import Credibility
from core.domain.panel import SpecialistId
from core.domain.statement import (
    Abstention,
    AnswerStatement,
    CantMissStatement,
    ChallengeStatement,
    Claim,
    DifferentialStatement,
    MasterList,
    PositionStatement,
    RelevanceStatement,
    RoleReminder,
    Statement,
    TriageStatement,
)
from core.settings import ConsultSettings

_KEYWORDS = frozenset(
    {
        "evidence",
        "research",
        "studies",
        "guidelines",
        "consider",
        "alternative",
        "question",
        "challenge",
        "disagree",
        "differential",
        "pathophysiology",
        "mechanism",
    }
)
_CAP = 2.0
_FLOOR = 0.5
"""Cap and floor as multiples of the median. The floor is ours."""


def credibility(
    statements: tuple[Statement, ...], settings: ConsultSettings, panel_order: Sequence[SpecialistId]
) -> tuple[Credibility, ...]:
    """The weight of every specialist who said anything, in panel order.

    Diagnoses and their evidence come from round 3 only; diagnoses with one canonical term count once. The median is
    taken over those who gave a differential, so that a failed round 3 neither lowers the cap of the others nor, with
    the floor, silences the specialist. With an even number it is the mean of the two middle values.
    """
    return _weigh(statements, settings, panel_order, median)


def published_credibility(
    statements: tuple[Statement, ...], panel_order: Sequence[SpecialistId]
) -> tuple[Credibility, ...]:
    """The weights as the published code makes them: valence by key words, no floor, of an even number the upper middle.

    Source: SCoT appendix F and its code, as told in protocol section 5.
    """
    return _weigh(statements, ConsultSettings(valence="keywords", weight_floor=False), panel_order, median_high)


def _weigh(
    statements: tuple[Statement, ...],
    settings: ConsultSettings,
    panel_order: Sequence[SpecialistId],
    middle_of: Callable[[list[float]], float],
) -> tuple[Credibility, ...]:
    spoke = {_speaker(statement) for statement in statements}
    scored = [_score(speaker, statements, settings) for speaker in panel_order if speaker in spoke]
    measured = [score.des for score in scored if score.distinct_diagnoses]
    middle = middle_of(measured) if measured else 0.0
    floor = _FLOOR * middle if settings.weight_floor else 0.0
    return tuple(_weighted(score, max(floor, min(score.des, _CAP * middle))) for score in scored)


def _speaker(statement: Statement) -> SpecialistId | None:
    return None if isinstance(statement, Abstention | MasterList | RoleReminder) else statement.speaker


def _score(speaker: SpecialistId, statements: tuple[Statement, ...], settings: ConsultSettings) -> Credibility:
    own = tuple(statement for statement in statements if _speaker(statement) == speaker)
    evidence: dict[str, set[str]] = {}
    for statement in own:
        if isinstance(statement, DifferentialStatement):
            for claim in statement.claims:
                evidence.setdefault(canonical(claim.diagnosis), set()).update(claim.supporting)
    counts = [len(findings) for findings in evidence.values()]
    distinct = len(counts)
    mean = sum(counts) / distinct if distinct else 0.0
    insight, breadth = 3.0 * distinct + 2.0 * mean, 4.0 * distinct
    actionability = 20.0 if counts and counts[0] >= 2 else 0.0
    valence = _valence_of_findings(own) if settings.valence == "findings" else _valence_of_keywords(own)
    return Credibility(
        speaker=speaker,
        distinct_diagnoses=distinct,
        evidence_mean=mean,
        insight=insight,
        breadth=breadth,
        actionability=actionability,
        valence=valence,
        des=valence * (2.5 * insight + 1.5 * breadth + actionability),
        weight=0.0,
    )


def _weighted(score: Credibility, weight: float) -> Credibility:
    fields = {name: getattr(score, name) for name in score.__struct_fields__}
    return Credibility(**(fields | {"weight": weight}))


def _valence_of_findings(own: tuple[Statement, ...]) -> float:
    """0.6 + 0.6 q, 0.6..1.2; q = share of claims that rest on a finding and were not changed without a cause."""
    sound: dict[str, bool] = {}
    for claim, has_cause in _claims(own):
        sound[claim.claim_id] = sound.get(claim.claim_id, True) and bool(claim.supporting) and has_cause
    return 0.6 + 0.6 * (sum(sound.values()) / len(sound) if sound else 0.0)


def _claims(own: tuple[Statement, ...]) -> Iterator[tuple[Claim, bool]]:
    for statement in own:
        if isinstance(statement, DifferentialStatement):
            yield from ((claim, True) for claim in statement.claims)
        elif isinstance(statement, AnswerStatement):
            for holding in statement.holdings:
                yield holding.claim, holding.status == "MAINTAINED" or holding.cause is not None


def _valence_of_keywords(own: tuple[Statement, ...]) -> float:
    """0.6, 0.8, 1.0 or 1.2 by length and keywords of all that was written. Source: SCoT, published code."""
    text = " ".join(piece for statement in own for piece in _written(statement))
    keywords = len(_KEYWORDS & set(re.findall(r"[a-z]+", text.lower())))
    if keywords >= 4 and len(text) > 200:
        return 1.2
    if keywords >= 2 and len(text) > 100:
        return 1.0
    return 0.8 if len(text) > 50 else 0.6


def _written(statement: Statement) -> Iterator[str]:
    match statement:
        case RelevanceStatement():
            yield statement.why
        case TriageStatement():
            yield from (action.action for action in statement.actions)
        case DifferentialStatement():
            for claim in statement.claims:
                yield from (claim.diagnosis, claim.text, claim.ground)
        case PositionStatement():
            yield from (position.ground for position in statement.positions if position.ground)
        case ChallengeStatement():
            yield from (statement.challenge.claim, statement.challenge.ground)
        case AnswerStatement():
            yield from (answer.why for answer in statement.answers)
            for holding in statement.holdings:
                yield from (holding.claim.text, holding.claim.ground)
        case CantMissStatement():
            for danger in statement.dangers:
                yield from (danger.diagnosis, danger.why, danger.key_test, danger.window)

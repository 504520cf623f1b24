"""Alignment of reasoning between specialists who agree: the arithmetic, over steps and two measures of two texts.

    h(a, b)   = -1 if P(contradiction | a, b) > tau, else cosine(a, b)
    A(i -> j) = mean over steps a of i of the largest h(a, b) over steps b of j

h differs from the cosine only where the NLI model finds a contradiction, so it is asked for the closest step first, and for the
next one only where that was a contradiction: exactly the same figures as from all pairs, for a fraction of the work.
Source: protocol section 6; tau is published, "largest h" and "rate on the closest steps" are inferred from published figures.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from statistics import fmean

from msgspec import Struct

from core.domain.alignment import AgreementSet, FailureMode, PairAlignment, Reasoning, StepMatch

TAU = 0.7
"""A pair contradicts above this probability. Source: CARA/GDP."""
MATCHED = 0.6
"""Ours: a step is matched where the closest step of the other has at least this cosine."""

TextPair = tuple[str, str]
Cosine = Callable[[str, str], float]
Contradict = Callable[[Sequence[TextPair]], dict[TextPair, float]]
"""P(contradiction) of each pair, premise first. Asked in waves; what was known is not asked again."""


class _Search(Struct):
    """One step looking for its largest h among the steps of another specialist."""

    speaker: int
    step: int
    other: int
    text: str
    candidates: tuple[tuple[float, int, str], ...]
    """Cosine, index and text of each step of the other, closest first, the earlier one where two are equally close."""
    place: int = 0
    """The candidate that is looked at."""
    hybrid: float | None = None

    def pair(self, place: int) -> TextPair:
        return self.text, self.candidates[place][2]

    def look(self, known: dict[TextPair, float]) -> None:
        """Go on as far as the known pairs lead."""
        while self.hybrid is None and self.pair(self.place) in known:
            if known[self.pair(self.place)] <= TAU:
                self.hybrid = self.candidates[self.place][0]
            elif self.place + 1 == len(self.candidates):
                self.hybrid = -1.0
            else:
                self.place += 1


def agreement_set(diagnosis: str, members: Sequence[Reasoning], cosine: Cosine, contradict: Contradict) -> AgreementSet:
    """Figures for two or more specialists with one diagnosis. Those without steps take part in no figure."""
    searches = _searches(members, cosine)
    known: dict[TextPair, float] = {}
    while waiting := [search for search in searches if search.hybrid is None]:
        known |= contradict(tuple(dict.fromkeys(search.pair(search.place) for search in waiting)))
        for search in waiting:
            search.look(known)
    matches = [_match(members, search, known) for search in searches]
    pairs = tuple(_pair(left, right, matches) for left, right in combinations(members, 2))
    measured = [pair for pair in pairs if pair.matches]
    return AgreementSet(
        diagnosis=diagnosis,
        members=tuple(member.speaker for member in members),
        pairs=pairs,
        hybrid=_mean(pair.hybrid for pair in measured),
        similarity=_mean(pair.similarity for pair in measured),
        contradiction_rate=_contradiction_rate([match for pair in measured for match in pair.matches]),
    )


def exhaustive_pairs(members: Sequence[Reasoning]) -> frozenset[TextPair]:
    """All pairs that an evaluation without laziness would ask for."""
    return frozenset(
        (a.text, b.text) for i in members for j in members if i.speaker != j.speaker for a in i.steps for b in j.steps
    )


def _searches(members: Sequence[Reasoning], cosine: Cosine) -> list[_Search]:
    return [
        _Search(i, place, j, step.text, _closest_first(step.text, other, cosine))
        for i, member in enumerate(members)
        for j, other in enumerate(members)
        if i != j and other.steps
        for place, step in enumerate(member.steps)
    ]


def _closest_first(text: str, other: Reasoning, cosine: Cosine) -> tuple[tuple[float, int, str], ...]:
    candidates = [(cosine(text, step.text), place, step.text) for place, step in enumerate(other.steps)]
    return tuple(sorted(candidates, key=lambda candidate: (-candidate[0], candidate[1])))


def _match(members: Sequence[Reasoning], search: _Search, known: dict[TextPair, float]) -> StepMatch:
    closest, place, _ = search.candidates[0]
    assert search.hybrid is not None
    return StepMatch(
        speaker=members[search.speaker].speaker,
        step=search.step,
        other=members[search.other].speaker,
        other_step=place,
        cosine=closest,
        contradiction=known[search.pair(0)],
        hybrid=search.hybrid,
    )


def _pair(left: Reasoning, right: Reasoning, matches: Sequence[StepMatch]) -> PairAlignment:
    there = tuple(match for match in matches if (match.speaker, match.other) == (left.speaker, right.speaker))
    back = tuple(match for match in matches if (match.speaker, match.other) == (right.speaker, left.speaker))
    if not there or not back:
        return PairAlignment(left=left.speaker, right=right.speaker)
    return PairAlignment(
        left=left.speaker,
        right=right.speaker,
        hybrid=(fmean(match.hybrid for match in there) + fmean(match.hybrid for match in back)) / 2,
        similarity=(fmean(match.cosine for match in there) + fmean(match.cosine for match in back)) / 2,
        contradiction_rate=_contradiction_rate((*there, *back)),
        failure_mode=_failure_mode((*there, *back)),
        matches=(*there, *back),
    )


def contradicts(match: StepMatch) -> bool:
    return match.contradiction > TAU


def _contradiction_rate(matches: Sequence[StepMatch]) -> float | None:
    """Share of the closest pairs that contradict, 0..1."""
    return fmean(map(contradicts, matches)) if matches else None


def _failure_mode(matches: Sequence[StepMatch]) -> FailureMode | None:
    """Thresholds ours: contradictory where any closest pair contradicts, else by how many steps are matched."""
    if any(map(contradicts, matches)):
        return "contradictory premises"
    matched = [match.cosine >= MATCHED for match in matches]
    if not any(matched):
        return "complementary reasoning"
    return None if all(matched) else "partial overlap"


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


class PointCoverage(Struct, frozen=True, kw_only=True):
    """How a group's reasoning covers an expert's scoring points (CARA-GT)."""

    hybrid: tuple[float | None, ...]
    """CARA_hyb of each specialist with the points, -1..1; None without steps."""
    matched_by: tuple[tuple[str, ...], ...]
    """For each point the speakers who match it."""

    @property
    def coverage(self) -> float:
        """Share of points matched by at least one specialist, 0..1."""
        return fmean(bool(speakers) for speakers in self.matched_by)


def point_coverage(
    reasonings: Sequence[Reasoning], points: Reasoning, cosine: Cosine, contradict: Contradict
) -> PointCoverage:
    """CARA-GT. A specialist matches a point whose largest h with its steps is at least `MATCHED`.

    Raises `ValueError` without points.
    """
    if not points.steps:
        raise ValueError("there are no points to cover")
    pairs = [agreement_set("", (reasoning, points), cosine, contradict).pairs[0] for reasoning in reasonings]
    matched = [list(_matched_points(pair, points)) for pair in pairs]
    return PointCoverage(
        hybrid=tuple(pair.hybrid for pair in pairs),
        matched_by=tuple(
            tuple(reasoning.speaker for reasoning, found in zip(reasonings, matched, strict=True) if place in found)
            for place in range(len(points.steps))
        ),
    )


def _matched_points(pair: PairAlignment, points: Reasoning) -> Iterator[int]:
    return (match.step for match in pair.matches if match.speaker == points.speaker and match.hybrid >= MATCHED)

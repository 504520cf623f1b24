"""The arithmetic of alignment: bounds, symmetry, and that the lazy evaluation changes no figure."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.alignment import MATCHED, TAU, TextPair, agreement_set, exhaustive_pairs, point_coverage
from core.domain.alignment import AgreementSet, Reasoning, Step
from core.domain.panel import SpecialistId

COSINES = st.sampled_from([-0.25, 0.0, 0.3, 0.3, 0.59, 0.6, 0.7, 0.9, 1.0]) | st.floats(-1, 1)
"""Equal values are frequent: ties must not matter."""
PROBABILITIES = st.sampled_from([0.0, 0.69, TAU, 0.71, 1.0]) | st.floats(0, 1)


class Measures:
    """Both measures as tables, and what was asked of them."""

    def __init__(self, cosines: dict[TextPair, float], contradictions: dict[TextPair, float]) -> None:
        self.cosines, self.contradictions = cosines, contradictions
        self.asked: list[TextPair] = []

    def cosine(self, a: str, b: str) -> float:
        return self.cosines[a, b]

    def contradict(self, pairs: Sequence[TextPair]) -> dict[TextPair, float]:
        self.asked += pairs
        return {pair: self.contradictions[pair] for pair in pairs}


def reasoning(name: str, *texts: str) -> Reasoning:
    steps = tuple(Step(text=text) for text in texts)
    return Reasoning(speaker=SpecialistId(name), answer="TTP", canonical="ttp", steps=steps)


@st.composite
def panels(draw: st.DrawFn) -> tuple[tuple[Reasoning, ...], Measures]:
    """Two to five specialists of zero to five steps each, with random measures."""
    sizes = draw(st.lists(st.integers(0, 5), min_size=2, max_size=5))
    members = tuple(reasoning(f"s{i}", *(f"step {i} {k}" for k in range(size))) for i, size in enumerate(sizes))
    texts = [step.text for member in members for step in member.steps]
    cosines: dict[TextPair, float] = {}
    for a, b in combinations(texts, 2):
        cosines[a, b] = cosines[b, a] = draw(COSINES)
    contradictions = {(a, b): draw(PROBABILITIES) for a in texts for b in texts if a != b}
    return members, Measures(cosines, contradictions)


def by_definition(members: Sequence[Reasoning], measures: Measures) -> tuple[float, float, float] | None:
    """CARA, SIM and CR from all pairs, as protocol section 6 writes them."""

    def h(a: str, b: str) -> float:
        return -1.0 if measures.contradictions[a, b] > TAU else measures.cosines[a, b]

    hybrid, similar, against = [], [], []
    for i, j in combinations([member for member in members if member.steps], 2):
        sides = ((i, j), (j, i))
        hybrid.append(sum(fmean(max(h(a.text, b.text) for b in q.steps) for a in p.steps) for p, q in sides) / 2)
        closest = [
            [max(q.steps, key=lambda b, a=a: measures.cosines[a.text, b.text]) for a in p.steps] for p, q in sides
        ]
        for (p, _), best in zip(sides, closest, strict=True):
            against += [measures.contradictions[a.text, b.text] > TAU for a, b in zip(p.steps, best, strict=True)]
        similar.append(
            sum(
                fmean(measures.cosines[a.text, b.text] for a, b in zip(p.steps, best, strict=True))
                for (p, _), best in zip(sides, closest, strict=True)
            )
            / 2
        )
    return (fmean(hybrid), fmean(similar), fmean(against)) if hybrid else None


def measured(members: Sequence[Reasoning], measures: Measures) -> AgreementSet:
    return agreement_set("TTP", members, measures.cosine, measures.contradict)


@given(panels())
def test_lazy_evaluation_gives_the_exhaustive_figures_bit_for_bit(
    panel: tuple[tuple[Reasoning, ...], Measures],
) -> None:
    members, measures = panel
    found = measured(members, measures)
    expected = by_definition(members, measures)
    assert (found.hybrid, found.similarity, found.contradiction_rate) == (expected or (None, None, None))


@given(panels())
def test_no_pair_is_asked_twice_or_for_nothing(panel: tuple[tuple[Reasoning, ...], Measures]) -> None:
    members, measures = panel
    measured(members, measures)
    assert len(set(measures.asked)) == len(measures.asked)
    assert set(measures.asked) <= exhaustive_pairs(members)


@given(panels())
def test_figures_stay_in_their_ranges(panel: tuple[tuple[Reasoning, ...], Measures]) -> None:
    found = measured(*panel)
    for each in (found, *found.pairs):
        assert each.hybrid is None or -1 <= each.hybrid <= 1
        assert each.contradiction_rate is None or 0 <= each.contradiction_rate <= 1
        if each.hybrid is not None:
            assert each.similarity is not None
            assert each.hybrid <= each.similarity + 1e-12, "a contradiction can only take away"


@given(panels())
def test_the_order_of_specialists_does_not_matter(panel: tuple[tuple[Reasoning, ...], Measures]) -> None:
    members, measures = panel
    one, other = measured(members, measures), measured(members[::-1], measures)
    assert one.hybrid == pytest.approx(other.hybrid)
    assert one.similarity == pytest.approx(other.similarity)
    assert one.contradiction_rate == pytest.approx(other.contradiction_rate)


def pair_of(cosine: float, contradiction: float) -> tuple[tuple[Reasoning, ...], Measures]:
    members = (reasoning("a", "one"), reasoning("b", "two"))
    pairs = (("one", "two"), ("two", "one"))
    return members, Measures(dict.fromkeys(pairs, cosine), dict.fromkeys(pairs, contradiction))


@pytest.mark.parametrize(
    ("cosine", "contradiction", "mode"),
    [
        (0.9, 0.0, None),
        (MATCHED, TAU, None),
        (0.59, 0.0, "complementary reasoning"),
        (0.9, 0.71, "contradictory premises"),
        (0.1, 0.71, "contradictory premises"),
    ],
)
def test_failure_mode_of_a_pair(cosine: float, contradiction: float, mode: str | None) -> None:
    assert measured(*pair_of(cosine, contradiction)).pairs[0].failure_mode == mode


def test_a_contradiction_at_exactly_tau_is_none() -> None:
    assert measured(*pair_of(0.8, TAU)).hybrid == 0.8
    assert measured(*pair_of(0.8, TAU + 1e-9)).hybrid == -1


def test_partly_matched_steps_overlap() -> None:
    members = (reasoning("a", "one", "far"), reasoning("b", "two"))
    cosines = {("one", "two"): 0.9, ("two", "one"): 0.9, ("far", "two"): 0.1, ("two", "far"): 0.1}
    found = measured(members, Measures(cosines, dict.fromkeys(cosines, 0.0)))
    assert found.pairs[0].failure_mode == "partial overlap"


def test_a_member_without_steps_takes_part_in_no_figure() -> None:
    members, measures = pair_of(0.5, 0.0)
    found = measured((*members, reasoning("c")), measures)
    assert found.hybrid == 0.5
    assert [pair.hybrid for pair in found.pairs] == [0.5, None, None]
    assert measured((members[0], reasoning("c")), measures).hybrid is None


def test_points_are_covered_by_whoever_matches_them() -> None:
    points = reasoning("expert", "point one", "point two", "point three")
    members = (reasoning("a", "first"), reasoning("b", "second"), reasoning("c"))
    cosines: dict[TextPair, float] = {}
    for text, near in (("first", "point one"), ("second", "point two")):
        for point in points.steps:
            cosines[text, point.text] = cosines[point.text, text] = 0.8 if point.text == near else 0.2
    contradictions = dict.fromkeys(cosines, 0.0)
    contradictions["point two", "second"] = 0.9
    found = point_coverage(members, points, *(lambda m: (m.cosine, m.contradict))(Measures(cosines, contradictions)))
    assert found.matched_by == (("a",), (), ())
    assert found.coverage == pytest.approx(1 / 3)
    assert found.hybrid[2] is None


def test_no_points_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="points"):
        point_coverage((), reasoning("expert"), lambda a, b: 0.0, lambda pairs: {})

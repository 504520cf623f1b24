"""CARA of a whole case and of reasonings made by hand: what is measured, and what is not."""

import threading
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import msgspec
import pytest

from core.consult.cara import NO_MAJORITY, NO_SCORER, NO_STEPS, may_warn, measure_reasonings, signature
from core.consult.pipeline import consult
from core.domain.alignment import AgreementSet, Alignment, Reasoning, Step
from core.domain.panel import SpecialistId
from core.evaluate.direct import Direct
from core.log.events import PairsScored
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import CancelToken, Contradictions, ScorerGrade, ScorerIdentity, Similarities
from models.scripted import ScriptedModel
from tests.core.consult.panels import library_at, loaded, open_seated, replay

NEVER = threading.Event()


class ByWords:
    """A scorer whose figures can be told from the texts: common words are the similarity, "never" is a contradiction."""

    def __init__(self, grade: ScorerGrade = "limited") -> None:
        self.grade = grade
        self.pairs: list[tuple[str, str]] = []

    @property
    def identity(self) -> ScorerIdentity:
        return ScorerIdentity(
            nli_id="words", nli_sha256="0" * 64, embedding_id="words", embedding_sha256="0" * 64, engine="tests",
            device="none", grade=self.grade,
        )  # fmt: skip

    def similarities(self, texts: tuple[str, ...], cancel: CancelToken) -> Similarities:
        sets = [set(text.casefold().strip(".").split()) for text in texts]
        rows = tuple(tuple(len(a & b) / len(a | b) for b in sets) for a in sets)
        return Similarities(cosines=rows, scorer=self.identity)

    def contradictions(self, pairs: tuple[tuple[str, str], ...], cancel: CancelToken) -> Contradictions:
        self.pairs += pairs
        found = tuple(0.95 if ("never" in a) != ("never" in b) else 0.05 for a, b in pairs)
        return Contradictions(probabilities=found, scorer=self.identity)


def said(name: str, answer: str | None, *texts: str) -> Reasoning:
    return Reasoning(
        speaker=SpecialistId(name), answer=answer, canonical=answer and answer.casefold(),
        steps=tuple(Step(text=text) for text in texts),
    )  # fmt: skip


def nobody(*names: str) -> tuple[Reasoning, ...]:
    return tuple(said(name, None) for name in names)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with library_at(tmp_path) as opened:
        yield opened


def test_a_case_is_measured_before_and_after_and_replays_without_a_scorer(library: Library) -> None:
    case_id = open_seated(library)
    scorer = ByWords()
    report = consult(loaded(library, case_id), Recorder(library, case_id, model=ScriptedModel(), scorer=scorer))
    events = [event for event in library.events(case_id) if isinstance(event, PairsScored)]
    assert len({event.request.address for event in events}) == len(events) > 0
    assert len(scorer.pairs) == len(set(scorer.pairs)), "no pair is tested twice in one case"
    assert msgspec.json.encode(replay(library, case_id)) == msgspec.json.encode(report)


def test_without_a_scorer_everything_is_none() -> None:
    panel = (said("a", "TTP", "The platelets are low."), said("b", "TTP", "The smear shows schistocytes."))
    cara = measure_reasonings(panel, panel, Direct(None, NEVER))
    assert cara.not_measured == NO_SCORER
    assert cara.scorer is cara.signature is None
    assert cara.before.sets == cara.after.sets == ()


@pytest.mark.parametrize(
    ("panel", "reason"),
    [
        ((said("a", "TTP", "One step here."),), NO_MAJORITY),
        ((said("a", "TTP", "One step here."), said("b", "HUS", "Another step there.")), NO_MAJORITY),
        (tuple(said(*pair, "A step.") for pair in (("a", "TTP"), ("b", "TTP"), ("c", "HUS"), ("d", "HUS"))), NO_MAJORITY),
        ((said("a", "TTP", "One step here."), said("b", "TTP")), NO_STEPS),
        ((said("a", "TTP"), said("b", "TTP")), NO_STEPS),
        (nobody("a", "b"), NO_MAJORITY),
        ((), NO_MAJORITY),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_no_number(panel: tuple[Reasoning, ...], reason: str) -> None:
    cara = measure_reasonings((), panel, Direct(ByWords(), NEVER))
    assert cara.after.not_measured == reason
    figures = cara.after.majority_set
    assert figures is None or figures.hybrid is figures.similarity is figures.contradiction_rate is None


def test_only_those_who_share_a_diagnosis_are_compared() -> None:
    panel = (
        said("a", "TTP", "Platelets are low."),
        said("b", "HUS", "Platelets are never low."),
        said("c", "TTP", "Platelets are low."),
    )
    cara = measure_reasonings((), panel, Direct(ByWords(), NEVER))
    assert cara.after.majority_set is not None
    assert cara.after.majority_set.diagnosis == "TTP"
    assert cara.after.majority_set.members == ("a", "c")
    assert cara.after.majority_set.hybrid == 1
    assert cara.after.majority_set.contradiction_rate == 0


def test_the_same_answer_for_contradictory_reasons_is_seen() -> None:
    panel = (said("a", "TTP", "Platelets are low."), said("b", "TTP", "Platelets are never low."))
    cara = measure_reasonings((), panel, Direct(ByWords(), NEVER))
    assert cara.after.majority_set is not None
    assert cara.after.majority_set.pairs[0].failure_mode == "contradictory premises"
    assert cara.after.majority_set.hybrid == -1
    assert cara.after.majority_set.similarity == 0.75


def test_an_answer_with_only_copied_steps_is_called_so() -> None:
    before = (said("a", "TTP", "Platelets are low."), said("b", "HUS", "The kidney fails."))
    after = (said("a", "TTP", "Platelets are low."), said("b", "TTP", "platelets are LOW"))
    cara = measure_reasonings(before, after, Direct(ByWords(), NEVER))
    assert cara.after.copied == ("b",)
    assert cara.before.copied == ()


def at(rate: float | None, similarity: float | None) -> Alignment:
    found = AgreementSet(
        diagnosis="TTP", members=(SpecialistId("a"), SpecialistId("b")), pairs=(), majority=True, hybrid=similarity,
        similarity=similarity, contradiction_rate=rate,
    )  # fmt: skip
    return Alignment(moment="before", sets=(found,))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((0.5, 0.6), (0.2, 0.5), "consistency illusion"),
        ((0.5, 0.6), (0.2, 0.7), "true alignment"),
        ((0.5, 0.6), (0.2, 0.6), None),
        ((0.5, 0.6), (0.5, 0.5), None),
        ((0.2, 0.6), (0.5, 0.5), None),
        ((None, None), (0.5, 0.5), None),
        ((0.5, 0.5), (None, None), None),
    ],
)
def test_signatures(
    before: tuple[float | None, float | None], after: tuple[float | None, float | None], expected: str | None
) -> None:
    assert signature(at(*before), at(*after)) == expected


@pytest.mark.parametrize(("grade", "warns"), [("validated", True), ("limited", True), ("demonstration only", False)])
def test_a_demonstration_scorer_never_warns(grade: ScorerGrade, warns: bool) -> None:
    panel = (said("a", "TTP", "One step here."), said("b", "TTP", "Another step there."))
    assert may_warn(measure_reasonings((), panel, Direct(ByWords(grade), NEVER))) is warns


def test_lazy_evaluation_asks_for_a_quarter_of_the_pairs_where_nothing_contradicts() -> None:
    panel = tuple(said(name, "TTP", *(f"{name} step {number} stands here." for number in range(4))) for name in "abcde")
    cara = measure_reasonings((), panel, Direct(ByWords(), NEVER))
    assert cara.after.exhaustive_passes == len(list(product(range(20), range(16))))
    assert cara.after.passes == cara.after.exhaustive_passes / 4

"""Do specialists who agree also reason alike? Cross-agent reasoning alignment, before and after the debate.

Alignment is not correctness: a panel can reason alike and be wrong. Source: protocol section 6.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from core.consult.alignment import TextPair, agreement_set, exhaustive_pairs
from core.consult.merge import canonical, preferred
from core.domain.alignment import Alignment, Cara, Moment, Reasoning, Signature, Step
from core.domain.case import Case
from core.domain.debate import last_answer, listed_diagnoses, own_differential
from core.domain.panel import SpecialistId
from core.domain.statement import Claim, Statement
from core.forms import CUT
from core.ports import Address, ContradictionRequest, ScorerIdentity, ScoringGate, SimilarityRequest

NO_SCORER = "not measured: no scorer installed"
NO_MAJORITY = "not measured: no single diagnosis leads with more than one specialist"
NO_STEPS = "not measured: fewer than two specialists of the majority gave a claim"
MAY_WARN = ("validated", "limited")
"""Grades of scorers that may warn a clinician."""


class Scorer:
    """Asks the gate what is not known yet: each text is embedded once, each pair tested once."""

    def __init__(self, gate: ScoringGate) -> None:
        self._gate = gate
        self._cosines: dict[TextPair, float] = {}
        self._contradictions: dict[TextPair, float] = {}
        self._asked = 0
        self.identity: ScorerIdentity | None = None

    @property
    def passes(self) -> int:
        """Pairs that the NLI model was asked so far."""
        return len(self._contradictions)

    def embed(self, texts: Sequence[str]) -> bool:
        """Measure the cosines of all pairs of texts. False: no scorer is installed."""
        distinct = tuple(dict.fromkeys(texts))
        found = self._gate.similarities(SimilarityRequest(address=Address("cara/similarity/1"), texts=distinct))
        if found is None:
            return False
        self.identity = found.scorer
        for text, row in zip(distinct, found.cosines, strict=True):
            self._cosines |= {(text, other): value for other, value in zip(distinct, row, strict=True)}
        return True

    def cosine(self, a: str, b: str) -> float:
        return self._cosines[a, b]

    def contradict(self, pairs: Sequence[TextPair]) -> dict[TextPair, float]:
        new = tuple(pair for pair in pairs if pair not in self._contradictions)
        if new:
            self._asked += 1
            address = Address(f"cara/contradiction/{self._asked}")
            found = self._gate.contradictions(ContradictionRequest(address=address, pairs=new))
            assert found is not None, "a scorer that compared texts can test them for contradiction"
            self._contradictions |= dict(zip(new, found.probabilities, strict=True))
        return {pair: self._contradictions[pair] for pair in pairs}


def measure(case: Case, statements: tuple[Statement, ...], gate: ScoringGate) -> Cara:
    """Before the debate: round 3. After it: round 5c. Every figure is `None` where it could not be measured."""
    speakers = tuple(seat.specialist_id for seat in case.panel.specialists)
    before = tuple(_own_reasoning(speaker, statements) for speaker in speakers)
    after = tuple(_final_reasoning(speaker, statements) for speaker in speakers)
    return measure_reasonings(before, after, gate)


def measure_reasonings(before: tuple[Reasoning, ...], after: tuple[Reasoning, ...], gate: ScoringGate) -> Cara:
    """The same for reasonings from anywhere. Without anybody who agrees, no scorer is asked."""
    scorer = Scorer(gate)
    texts = [step.text for moment in (before, after) for member in _agreeing(moment) for step in member.steps]
    if texts and not scorer.embed(texts):
        empty = (Alignment(moment="before", reasonings=before), Alignment(moment="after", reasonings=after))
        return Cara(before=empty[0], after=empty[1], not_measured=NO_SCORER)
    earlier = _alignment("before", before, (), scorer)
    later = _alignment("after", after, before, scorer)
    return Cara(before=earlier, after=later, scorer=scorer.identity, signature=signature(earlier, later))


def signature(before: Alignment, after: Alignment) -> Signature | None:
    """CR down and SIM down: consistency illusion. CR down and SIM up: true alignment. Else None."""
    first, last = before.majority_set, after.majority_set
    if first is None or last is None or first.contradiction_rate is None or last.contradiction_rate is None:
        return None
    assert first.similarity is not None
    assert last.similarity is not None
    if last.contradiction_rate >= first.contradiction_rate or last.similarity == first.similarity:
        return None
    return "consistency illusion" if last.similarity < first.similarity else "true alignment"


def may_warn(cara: Cara) -> bool:
    """Whether the scorer is good enough for its figures to warn a clinician."""
    return cara.scorer is not None and cara.scorer.grade in MAY_WARN


def _alignment(
    moment: Moment, reasonings: tuple[Reasoning, ...], earlier: tuple[Reasoning, ...], scorer: Scorer
) -> Alignment:
    passes = scorer.passes
    groups = _groups(reasonings)
    majority = _majority(groups)
    sets = tuple(
        replace(
            agreement_set(members[0].answer or "", members, scorer.cosine, scorer.contradict),
            majority=members == majority,
        )
        for members in groups
    )
    alignment = Alignment(
        moment=moment,
        reasonings=reasonings,
        sets=sets,
        copied=tuple(member.speaker for member in majority if _copied(member, earlier)),
        passes=scorer.passes - passes,
        exhaustive_passes=len(frozenset[TextPair]().union(*map(exhaustive_pairs, groups))),
    )
    figures = alignment.majority_set
    if figures is not None and figures.hybrid is not None:
        return alignment
    return replace(alignment, not_measured=NO_STEPS if majority else NO_MAJORITY)


def _groups(reasonings: Sequence[Reasoning]) -> list[tuple[Reasoning, ...]]:
    """Specialists with the same diagnosis, where they are two or more, in panel order of their first members."""
    answers = dict.fromkeys(each.canonical for each in reasonings if each.canonical is not None)
    groups = (tuple(each for each in reasonings if each.canonical == answer) for answer in answers)
    return [group for group in groups if len(group) > 1]


def _agreeing(reasonings: Sequence[Reasoning]) -> list[Reasoning]:
    return [member for group in _groups(reasonings) for member in group]


def _majority(groups: list[tuple[Reasoning, ...]]) -> tuple[Reasoning, ...]:
    """The single largest group; empty where there is none."""
    sizes = Counter(map(len, groups))
    largest = max(sizes, default=0)
    return next(group for group in groups if len(group) == largest) if sizes[largest] == 1 else ()


def _copied(member: Reasoning, earlier: Sequence[Reasoning]) -> bool:
    """No steps, or none that a colleague had not written before, word for word."""
    of_others = {_plain(step.text) for each in earlier if each.speaker != member.speaker for step in each.steps}
    own = {_plain(step.text) for each in earlier if each.speaker == member.speaker for step in each.steps}
    return all(_plain(step.text) in of_others - own for step in member.steps)


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _own_reasoning(speaker: SpecialistId, statements: tuple[Statement, ...]) -> Reasoning:
    own = own_differential(statements, speaker)
    if own is None or not own.claims:
        return Reasoning(speaker=speaker, answer=None, canonical=None, steps=())
    leading = own.claims[0].diagnosis
    return Reasoning(
        speaker=speaker, answer=preferred(leading)[0], canonical=canonical(leading), steps=_steps(own.claims)
    )


def _final_reasoning(speaker: SpecialistId, statements: tuple[Statement, ...]) -> Reasoning:
    rows = {row.diagnosis_id: row for row in listed_diagnoses(statements)}
    held = last_answer(statements, speaker)
    if held is None:
        return Reasoning(speaker=speaker, answer=None, canonical=None, steps=())
    leading = rows[held.leading]
    claims = [holding.claim for holding in held.holdings]
    return Reasoning(speaker=speaker, answer=leading.name, canonical=leading.canonical, steps=_steps(claims))


def _steps(claims: Sequence[Claim]) -> tuple[Step, ...]:
    return tuple(
        Step(text=f"{_sentence(claim.text)} {_sentence(claim.ground)}", claim_id=claim.claim_id) for claim in claims
    )


def _sentence(text: str) -> str:
    """A text with a full stop and without the mark of a cut, which is no part of the reasoning."""
    text = text.removesuffix(CUT).strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."

"""Whether specialists who agree also reason alike, with the sentences behind every low figure. Only when released."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from core.consult.alignment import MATCHED, TAU, contradicts
from core.consult.cara import may_warn
from core.domain.alignment import AgreementSet, Alignment, Cara, FailureMode, PairAlignment, Signature, Step, StepMatch
from core.domain.panel import SpecialistId
from core.ports import ScorerIdentity
from core.render.contents import Block, Facts, Paragraph, Section, fact, table
from core.render.references import percent

NOT_CORRECTNESS = "Alignment is not correctness: a panel can reason alike and be wrong."
READING = (
    "CARA: how far each step (a claim with its ground) is met by a step of the other specialist; a contradiction counts -1. "
    "Similarity: the same without contradictions. Contradiction rate: share of closest steps that contradict. Read them "
    "together; the contradiction rate alone is fragile."
)
TOPIC = (
    "Similarity finds the same topic, not the same opinion: clinical opposites are as similar as paraphrases. Only the "
    "contradiction test tells them apart."
)
GRADES = {
    "validated": "It did well on the clinical probes that come with the program, which no clinician has reviewed.",
    "limited": "It misses some contradictions or raises some false ones: look at the sentences before you believe a figure.",
    "demonstration only": "It is too weak to judge a case: the figures show how the measure works, and raise no warning.",
}
SIGNATURES: dict[Signature, str] = {
    "consistency illusion": "Consistency illusion: during the debate contradictions became fewer, but the reasoning of those "
    "who agree became less alike. They may agree for different reasons.",
    "true alignment": "True alignment: during the debate contradictions became fewer and the reasoning of those who agree "
    "became more alike.",
}
MODES: dict[FailureMode, str] = {
    "complementary reasoning": "FM1 complementary reasoning: the same answer, no contradiction, but no step is met by the other.",
    "contradictory premises": "FM3 contradictory premises: the same answer from steps that contradict one another.",
    "sycophantic convergence": "FM4 sycophantic convergence: the majority's answer without a step of its own.",
    "partial overlap": "FM6 partial overlap: some steps are met by the other, some are not.",
}
THRESHOLDS = (
    f"Two steps contradict above a probability of {TAU} (published). A step is met where the closest step of the other has a "
    f"similarity of at least {MATCHED} (our threshold). Names of failure modes are published, their thresholds are ours; FM2 and "
    "FM5 are not public and are not measured."
)


class SpeakerNames(Protocol):
    """How the document calls those who reason."""

    def specialty(self, speaker: SpecialistId) -> str: ...

    def specialties(self, speakers: Iterable[SpecialistId]) -> str: ...


def alignment(cara: Cara | None, names: SpeakerNames) -> Section:
    title = "Alignment of reasoning"
    correctness = Paragraph(text=NOT_CORRECTNESS, tone="notice")
    if cara is None:
        return Section(title=title, blocks=(Paragraph(text="Not measured."), correctness))
    if cara.not_measured is not None:
        return Section(title=title, blocks=(Paragraph(text=cara.not_measured, tone="notice"), correctness))
    blocks: tuple[Block, ...] = (
        correctness,
        *_scorer(cara.scorer),
        *_signature(cara),
        *_overview(cara, names),
        Paragraph(text=READING),
        Paragraph(text=TOPIC),
        *_moment(cara, cara.before, names),
        *_moment(cara, cara.after, names),
        Paragraph(text=THRESHOLDS),
        *_effort(cara),
    )
    return Section(title=title, blocks=blocks)


def scorer_name(scorer: ScorerIdentity | None) -> str:
    """The name that stands beside every figure."""
    return "nothing measured" if scorer is None else f"{scorer.nli_id} with {scorer.embedding_id}, {scorer.grade}"


def _scorer(scorer: ScorerIdentity | None) -> Iterator[Block]:
    if scorer is None:
        return
    yield Facts(
        rows=(
            fact("Contradiction model", f"{scorer.nli_id}, sha256 {scorer.nli_sha256}"),
            fact("Similarity model", f"{scorer.embedding_id}, sha256 {scorer.embedding_sha256}"),
            fact("Ran on", f"{scorer.device}, {scorer.engine}"),
            fact("Grade", f"{scorer.grade}. {GRADES[scorer.grade]}"),
            *((fact("To be known", *scorer.notes),) if scorer.notes else ()),
        )
    )


def _signature(cara: Cara) -> Iterator[Paragraph]:
    if cara.signature is None:
        return
    text = SIGNATURES[cara.signature]
    if not may_warn(cara):
        yield Paragraph(text=f"{text} (Demonstration only: no warning follows from this scorer.)")
    else:
        yield Paragraph(text=text, tone="warning" if cara.signature == "consistency illusion" else "notice")


def _overview(cara: Cara, names: SpeakerNames) -> Iterator[Block]:
    rows = [_majority(at, names) for at in (cara.before, cara.after)]
    head = ("Moment", "Diagnosis of the majority", "Specialists", *_HEAD)
    yield table(f"The majority before and after the debate ({scorer_name(cara.scorer)})", head, rows, "Not measured.")
    for at in (cara.before, cara.after):
        if at.not_measured is not None:
            yield Paragraph(text=f"{at.moment.capitalize()} the debate {at.not_measured}.")


def _majority(at: Alignment, names: SpeakerNames) -> tuple[str, ...]:
    found = at.majority_set
    diagnosis = "none" if found is None else found.diagnosis
    return (f"{at.moment} the debate", diagnosis, *_figures(found, names))


_HEAD = ("CARA (-1 to 1)", "CARA (0 to 1)", "Similarity (-1 to 1)", "Contradiction rate")


def _figures(found: AgreementSet | None, names: SpeakerNames) -> tuple[str, ...]:
    members = "none" if found is None else names.specialties(found.members)
    if found is None or found.hybrid is None:
        return (members, *["not measured"] * len(_HEAD))
    rate = found.contradiction_rate
    return (
        members,
        f"{found.hybrid:.2f}",
        f"{(1 + found.hybrid) / 2:.2f}",
        figure(found.similarity),
        "not measured" if rate is None else percent(rate),
    )


def figure(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def _moment(cara: Cara, at: Alignment, names: SpeakerNames) -> Iterator[Block]:
    if not at.sets:
        return
    blocks: list[Block] = []
    if len(at.sets) > 1 or at.majority_set is None:
        rows = [(found.diagnosis, *_figures(found, names)) for found in at.sets]
        head = ("Diagnosis", "Specialists", *_HEAD)
        blocks.append(table(f"All diagnoses that two or more hold ({scorer_name(cara.scorer)})", head, rows, ""))
    blocks.append(_matrix(cara, at, names))
    if at.copied:
        blocks.append(
            Paragraph(text=f"{MODES['sycophantic convergence']} {names.specialties(at.copied)}.", tone="notice")
        )
    pairs = [pair for found in at.sets for pair in found.pairs if pair.failure_mode is not None]
    blocks += [_weak_pair(at, pair, names) for pair in pairs]
    yield Section(title=f"{at.moment.capitalize()} the debate", blocks=tuple(blocks))


def _matrix(cara: Cara, at: Alignment, names: SpeakerNames) -> Block:
    speakers = [reasoning.speaker for reasoning in at.reasonings]
    pairs = {frozenset((pair.left, pair.right)): pair for found in at.sets for pair in found.pairs}
    rows = [
        (
            names.specialty(row),
            *("-" if row == column else _cell(pairs.get(frozenset((row, column)))) for column in speakers),
        )
        for row in speakers
    ]
    caption = f"Who reasons like whom: CARA / similarity / contradiction rate ({scorer_name(cara.scorer)})"
    return table(caption, ("Specialist", *map(names.specialty, speakers)), rows, "Nobody answered.")


def _cell(pair: PairAlignment | None) -> str:
    if pair is None:
        return "other diagnosis"
    if pair.hybrid is None or pair.contradiction_rate is None:
        return "not measured"
    return f"{pair.hybrid:.2f} / {figure(pair.similarity)} / {percent(pair.contradiction_rate)}"


def _weak_pair(at: Alignment, pair: PairAlignment, names: SpeakerNames) -> Section:
    """The sentences behind a failure mode: every contradiction, else the least similar step of each side."""
    assert pair.failure_mode is not None
    left, right = names.specialty(pair.left), names.specialty(pair.right)
    steps = {reasoning.speaker: reasoning.steps for reasoning in at.reasonings}
    rows: list[tuple[str, ...]] = []
    for match in _telling(pair):
        sides = {match.speaker: match.step, match.other: match.other_step}
        first, second = (steps[side][sides[side]] for side in (pair.left, pair.right))
        which = f"{_called(first, sides[pair.left])} and {_called(second, sides[pair.right])}"
        rows.append((which, first.text, second.text, f"{match.cosine:.2f}", f"{match.contradiction:.2f}"))
    head = ("Steps", left, right, "Similarity", "Probability of contradiction")
    return Section(
        title=f"{left} and {right}",
        blocks=(Paragraph(text=MODES[pair.failure_mode]), table("Side by side", head, rows, "No step.")),
    )


def _called(step: Step, place: int) -> str:
    """The number of the claim, or of the step in free text."""
    return step.claim_id or str(place + 1)


def _telling(pair: PairAlignment) -> list[StepMatch]:
    against = [match for match in pair.matches if contradicts(match)]
    if against:
        return list({_both(match): match for match in against}.values())
    sides: list[SpecialistId] = [pair.left, pair.right]
    weakest = [min((m for m in pair.matches if m.speaker == side), key=lambda m: m.cosine) for side in sides]
    return list({_both(match): match for match in weakest}.values())


def _both(match: StepMatch) -> frozenset[tuple[SpecialistId, int]]:
    """The two steps of a match, whichever was looked at first."""
    return frozenset(((match.speaker, match.step), (match.other, match.other_step)))


def _effort(cara: Cara) -> Iterator[Paragraph]:
    passes = cara.before.passes + cara.after.passes
    pairs = cara.before.exhaustive_passes + cara.after.exhaustive_passes
    if pairs:
        yield Paragraph(
            text=f"The contradiction model was asked for {passes} of {pairs} pairs of steps. The others cannot change a figure: "
            "a step that is further away counts only where all closer ones contradict."
        )

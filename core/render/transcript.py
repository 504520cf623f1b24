"""What was measured about another system's transcript, as a document."""

from collections.abc import Iterable

import msgspec

from core.domain.panel import SpecialistId
from core.evaluate.agreement import TranscriptScores
from core.evaluate.transcript import Transcript
from core.render.alignment import alignment, figure, scorer_name
from core.render.contents import Block, Document, Paragraph, Section, table
from core.render.markdown import write_markdown
from core.render.opening import DISCLAIMER
from core.render.references import percent


class AgentNames:
    """Agents are called as the transcript calls them."""

    def specialty(self, speaker: SpecialistId) -> str:
        return speaker

    def specialties(self, speakers: Iterable[SpecialistId]) -> str:
        return ", ".join(speakers) or "none"


def render_transcript_scores(transcript: Transcript, scores: TranscriptScores) -> str:
    """Markdown: who answered what, alignment before and after, coverage of the expert's points."""
    sections = (_answers(transcript), alignment(scores.cara, AgentNames()), *_coverage(transcript, scores))
    return write_markdown(
        Document(title="Alignment of reasoning in a transcript", language="en-US", sections=sections, footer=DISCLAIMER)
    )


def transcript_facts(scores: TranscriptScores) -> str:
    """All figures as one JSON object."""
    found = scores.coverage
    coverage = (
        None if found is None else {"share": found.coverage, "matched_by": found.matched_by, "cara": found.hybrid}
    )
    return msgspec.json.encode({"cara": scores.cara, "coverage": coverage}).decode() + "\n"


def _answers(transcript: Transcript) -> Section:
    rows: list[tuple[str, ...]] = [
        (
            str(after.speaker),
            before.answer or "none",
            str(len(before.steps)),
            after.answer or "none",
            str(len(after.steps)),
        )
        for before, after in zip(transcript.before, transcript.after, strict=True)
    ]
    head = ("Agent", "Answer before", "Steps before", "Answer after", "Steps after")
    blocks: tuple[Block, ...] = (
        Paragraph(text=transcript.question),
        table("What the agents answered", head, rows, "There are no agents."),
    )
    return Section(title="Transcript", blocks=blocks)


def _coverage(transcript: Transcript, scores: TranscriptScores) -> tuple[Section, ...]:
    if not transcript.points:
        return ()
    title = "Coverage of the expert's points (CARA-GT)"
    found = scores.coverage
    if found is None:
        return (Section(title=title, blocks=(Paragraph(text="Not measured: no scorer installed."),)),)
    points = transcript.expert
    assert points is not None
    matched: list[tuple[str, ...]] = [
        (step.text, ", ".join(speakers) or "nobody")
        for step, speakers in zip(points.steps, found.matched_by, strict=True)
    ]
    aligned: list[tuple[str, ...]] = [
        (agent.name, figure(value)) for agent, value in zip(transcript.agents, found.hybrid, strict=True)
    ]
    scorer = scorer_name(scores.cara.scorer)
    blocks: tuple[Block, ...] = (
        Paragraph(text=f"{percent(found.coverage)} of the points are matched by at least one agent."),
        table(f"Points ({scorer})", ("Point", "Matched by"), matched, "No points."),
        table(f"Alignment with the points ({scorer})", ("Agent", "CARA (-1 to 1)"), aligned, "No agents."),
    )
    return (Section(title=title, blocks=blocks),)

"""How alike the agents of a transcript reason who give the same answer, and how they cover an expert's points."""

from msgspec import Struct

from core.consult.alignment import PointCoverage, point_coverage
from core.consult.cara import Scorer, measure_reasonings
from core.domain.alignment import Cara
from core.evaluate.transcript import Transcript
from core.ports import ScoringGate


class TranscriptScores(Struct, frozen=True, kw_only=True):
    cara: Cara
    coverage: PointCoverage | None
    """CARA-GT of the final reasonings; None where the transcript has no points or no scorer is installed."""


def score_transcript(transcript: Transcript, gate: ScoringGate) -> TranscriptScores:
    """Raises as the scorer does."""
    return TranscriptScores(
        cara=measure_reasonings(transcript.before, transcript.after, gate), coverage=_coverage(transcript, gate)
    )


def _coverage(transcript: Transcript, gate: ScoringGate) -> PointCoverage | None:
    points = transcript.expert
    if points is None:
        return None
    scorer = Scorer(gate)
    texts = [step.text for each in (*transcript.after, points) for step in each.steps]
    return point_coverage(transcript.after, points, scorer.cosine, scorer.contradict) if scorer.embed(texts) else None

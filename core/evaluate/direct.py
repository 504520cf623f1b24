"""Measures without a library: the scorer is asked and nothing is recorded."""

from core.ports import (
    CancelToken,
    ContradictionRequest,
    Contradictions,
    PairScorer,
    Similarities,
    SimilarityRequest,
)  # fmt: skip


class Direct:
    """`core.ports.ScoringGate` straight to a scorer; None where there is none."""

    def __init__(self, scorer: PairScorer | None, cancel: CancelToken) -> None:
        self._scorer, self._cancel = scorer, cancel

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        return None if self._scorer is None else self._scorer.similarities(request.texts, self._cancel)

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        return None if self._scorer is None else self._scorer.contradictions(request.pairs, self._cancel)

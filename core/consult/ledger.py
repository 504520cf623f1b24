"""A gate that counts: which models answered, what each stage cost, what had to be left out."""

from collections.abc import Sequence

from core.domain.report import LeftOut, StageFigures
from core.ports import (
    ChatRequest,
    ContradictionRequest,
    Contradictions,
    ModelGate,
    ModelIdentity,
    Reply,
    Similarities,
    SimilarityRequest,
)


class Ledger:
    """Passes everything on to another gate and remembers each reply once, by its address."""

    def __init__(self, gate: ModelGate) -> None:
        self._gate = gate
        self._replies: dict[str, tuple[ChatRequest, Reply]] = {}

    def ask_all(self, requests: Sequence[ChatRequest]) -> tuple[Reply, ...]:
        replies = self._gate.ask_all(requests)
        self._replies |= {request.address: (request, reply) for request, reply in zip(requests, replies, strict=True)}
        return replies

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        return self._gate.similarities(request)

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        return self._gate.contradictions(request)

    def models(self) -> tuple[ModelIdentity, ...]:
        return tuple(dict.fromkeys(reply.model for _, reply in self._replies.values()))

    def figures(self) -> tuple[StageFigures, ...]:
        """One row a stage in the order of asking. Seconds: of a batch its longest reply, of lone requests the sum."""
        stages: dict[str, list[tuple[ChatRequest, Reply]]] = {}
        for address, row in self._replies.items():
            stages.setdefault(address.split("/")[0], []).append(row)
        return tuple(_figures(stage, rows) for stage, rows in stages.items())

    def left_out(self) -> tuple[LeftOut, ...]:
        return tuple(
            LeftOut(
                address=request.address,
                blocks=len(reply.left_out),
                first_words=tuple(" ".join(request.shared[i].text.split()[:6]) for i in reply.left_out),
            )
            for request, reply in self._replies.values()
            if reply.left_out
        )


def _figures(stage: str, rows: list[tuple[ChatRequest, Reply]]) -> StageFigures:
    alone = any(request.alone for request, _ in rows)
    replies = [reply for _, reply in rows]
    seconds = [reply.seconds for reply in replies]
    return StageFigures(
        stage=stage,
        calls=len(replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        evaluated_tokens=sum(reply.evaluated_tokens for reply in replies),
        decoded_tokens=sum(reply.decoded_tokens for reply in replies),
        forced_tokens=sum(reply.forced_tokens for reply in replies),
        seconds=round(sum(seconds) if alone else max(seconds), 3),
    )

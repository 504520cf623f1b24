"""The engine process of the scorer.

python -m models.pair_host score NLI_FOLDER EMBEDDING_FOLDER
python -m models.pair_host probe FOLDER
"""

import sys
from pathlib import Path

from core.ports import CancelToken
from models.serving import Send, serve
from models.wire import Compare, Confront, Probed, ScorerReady, to_scorer


class _PairHost:
    """Two models, loaded as one scorer."""

    def __init__(self, nli: Path, embedding: Path) -> None:
        from models.onnx_pairs import OnnxPairs

        self._scorer = OnnxPairs(nli, embedding)

    @property
    def ready(self) -> ScorerReady:
        return ScorerReady(self._scorer.identity)

    def answer(self, order: Compare | Confront, send: Send, cancel: CancelToken) -> None:
        match order:
            case Compare(texts):
                send(self._scorer.similarities(texts, cancel))
            case Confront(pairs):
                send(self._scorer.contradictions(pairs, cancel))

    def close(self) -> None:
        self._scorer.close()


class _ProbeHost:
    """One model, put to the probes while it is loaded; it answers nothing else."""

    def __init__(self, folder: Path) -> None:
        from models.onnx_pairs import probe_folder

        self.ready = Probed(probe_folder(folder))

    def answer(self, order: Compare | Confront, send: Send, cancel: CancelToken) -> None:
        raise RuntimeError("a process that puts a model to the probes takes no orders")

    def close(self) -> None:
        """The process ends with it."""


def main(arguments: list[str]) -> int:
    """Serve a scorer, or probe one model. Returns the exit code."""
    host = {"score": _PairHost, "probe": _ProbeHost}[arguments[0]]
    return serve(lambda: host(*map(Path, arguments[1:])), to_scorer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Contradiction and similarity of texts, measured by two ONNX models: an NLI cross-encoder and an embedding model.

Both numbers are rounded to six decimals: what lies behind them differs between processors and between batches.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.errors import TextTooLong, UnsupportedModel
from core.ports import CancelToken, Contradictions, ScorerIdentity, Similarities
from models.scoring import runtime
from models.scoring.card import ProbeResult
from models.scoring.network import Network
from models.scoring.probes import embedding_result, is_current, lower, nli_result, probes
from models.scoring.texts import require_words


class OnnxPairs:
    """`core.ports.PairScorer` over ONNX Runtime, in this process."""

    def __init__(self, nli: Path, embedding: Path) -> None:
        """Load both models from their folders. Raises as `Network`, and `UnsupportedModel` where a folder holds the other kind.

        A model whose card does not tell of the present probes is put to them here.
        """
        self._nli, self._embedding = Network(nli, "nli"), Network(embedding, "embedding")
        self.identity = ScorerIdentity(
            nli_id=self._nli.card.id,
            nli_sha256=self._nli.card.model_sha256,
            embedding_id=self._embedding.card.id,
            embedding_sha256=self._embedding.card.model_sha256,
            engine=f"onnxruntime {runtime.onnxruntime().__version__}",
            device=" and ".join(dict.fromkeys((self._nli.device, self._embedding.device))),
            grade=lower(_result(self._nli).grade, _result(self._embedding).grade),
            notes=_notes(self._nli, self._embedding),
        )

    def close(self) -> None:
        """The sessions are freed with this object."""

    def similarities(self, texts: Sequence[str], cancel: CancelToken) -> Similarities:
        require_words(texts)
        vectors = self._embedding.rows(texts, cancel)
        cosines = np.clip(np.round(vectors @ vectors.T, 6), -1, 1)
        upper = np.triu(cosines, 1)
        whole = upper + upper.T + np.eye(len(texts))
        return Similarities(cosines=tuple(map(tuple, whole.tolist())), scorer=self.identity)

    def contradictions(self, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> Contradictions:
        require_words(text for pair in pairs for text in pair)
        return Contradictions(probabilities=_contradictory(self._nli, pairs, cancel), scorer=self.identity)


def probe_folder(folder: Path) -> ProbeResult:
    """Load one model and put it to the probes. Raises as `Network`."""
    return _probed(Network(folder))


def _result(network: Network) -> ProbeResult:
    told = network.card.probes
    return told if told is not None and is_current(network.card) else _probed(network)


def _probed(network: Network) -> ProbeResult:
    asked, never = probes(), threading.Event()
    try:
        if network.card.kind == "nli":
            return nli_result(_contradictory(network, asked.texts, never), asked)
        premises, hypotheses = (network.rows(texts, never) for texts in zip(*asked.texts, strict=True))
    except TextTooLong as error:
        raise UnsupportedModel(
            f"“{network.card.title}” sees only {network.card.max_tokens} tokens at once, too few for clinical steps; use a model "
            "with a larger window."
        ) from error
    return embedding_result((premises * hypotheses).sum(axis=1).tolist(), asked)


def _contradictory(network: Network, pairs: Sequence[tuple[str, str]], cancel: CancelToken) -> tuple[float, ...]:
    """P(contradiction | premise, hypothesis) of each pair: softmax over the labels, the column found by its name."""
    logits = network.rows(pairs, cancel)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return tuple(np.round(shares[:, network.card.labels.index("contradiction")], 6).tolist())


def _notes(*networks: Network) -> tuple[str, ...]:
    wanted, gpu_package = runtime.wanted_device(), runtime.is_installed(runtime.GPU_PACKAGE)
    notes = (runtime.device_note(wanted, gpu_package, network.device) for network in networks)
    return tuple(dict.fromkeys(note for note in notes if note))

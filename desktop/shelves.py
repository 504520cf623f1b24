"""What lies on this computer: language models, scoring models, and what they become when they are used.

The only file beside `desktop.bootstrap` that knows the engines.
"""

from pathlib import Path
from typing import Any

from core.evaluate.agreement import TranscriptScores, score_transcript
from core.evaluate.direct import Direct
from core.evaluate.transcript import Transcript, read_transcript_file
from core.ports import CancelToken, ChatModel, PairScorer


class ModelShelf:
    """The shelf of language and scoring models as the command line and the window see it."""

    def __init__(self) -> None:
        from models.scoring.shelf import ScorerShelf
        from models.shelf import Shelf

        self._shelf = Shelf()
        self._scorers = ScorerShelf(self._shelf)

    def scorer_rows(self) -> list[dict[str, Any]]:
        """Scoring models on this computer, and those that can be fetched, each with `installed`, `used` and `grade`."""
        from models.registry import scorers
        from models.scoring.shelf import NotInstalled

        pair = self._scorers.chosen()
        used = () if isinstance(pair, NotInstalled) else (pair.nli.card.id, pair.embedding.card.id)
        rows = {
            card.id: {"id": card.id, "title": card.title, "bytes": card.bytes, "license": card.license}
            for card in scorers()
        }
        state: dict[str, Any] = {"installed": False, "used": False, "kind": None, "grade": None}
        found = {row_id: {**row, **state} for row_id, row in rows.items()}
        for each in self._scorers.list():
            card = each.card
            found[card.id] = {
                "id": card.id,
                "title": card.title,
                "bytes": card.model_bytes,
                "license": card.license,
                "installed": True,
                "used": card.id in used,
                "kind": card.kind,
                "grade": None if card.probes is None else card.probes.grade,
            }
        return list(found.values())

    def rows(self) -> list[dict[str, Any]]:
        """Known language models and those on the shelf, each with `installed`."""
        from models.registry import cards

        shelved = {model.card.id: model.card for model in self._shelf.list()}
        known = {card.id: card for card in cards()}
        rows = []
        for model_id, card in {**known, **shelved}.items():
            row = {name: getattr(card, name) for name in ("id", "title", "parameters", "bytes", "license", "sha256")}
            rows.append({**row, "installed": model_id in shelved})
        return rows

    def unusable(self) -> list[tuple[str, str]]:
        files = (*self._shelf.unusable(), *self._scorers.unusable())
        return [(file.path.name, file.reason) for file in files]

    def add(self, source: Path) -> str:
        """A GGUF file becomes a language model, a folder a scoring model that is used from now on."""
        return self._scorers.add(source).card.id if source.is_dir() else self._shelf.add(source).card.id

    def check(self, model_id: str) -> str:
        return self._scorers.check(model_id).card.id if self._scores(model_id) else self._shelf.check(model_id).card.id

    def remove(self, model_id: str) -> None:
        if self._scores(model_id):
            self._scorers.remove(model_id)
        else:
            self._shelf.remove(model_id)

    def _scores(self, model_id: str) -> bool:
        return any(row["id"] == model_id for row in self.scorer_rows())

    def export(self, arguments: list[str]) -> int:
        """Make a scoring model of PyTorch ready for `add`; returns the exit code."""
        from models import export_onnx

        return export_onnx.main(arguments)

    def get(self, model_id: str) -> int:
        """Fetch a known model with a progress bar; returns the exit code."""
        from models import fetch

        return fetch.main([model_id])


def language_model(model_id: str) -> ChatModel:
    from models import scripted

    if model_id == scripted.MODEL_ID:
        return scripted.ScriptedModel()
    from models.remote import RemoteModel
    from models.shelf import Shelf

    return RemoteModel(Shelf().find(model_id))


def scorer_for(model_id: str) -> PairScorer | None:
    from models import scripted

    return scripted.ScriptedScorer() if model_id == scripted.MODEL_ID else installed_scorer()


def installed_scorer() -> PairScorer | None:
    """The chosen NLI and embedding model, in their own process; None where one of them is missing. Close it after use."""
    from models.remote import RemoteScorer
    from models.scoring.shelf import NotInstalled, ScorerShelf

    pair = ScorerShelf().chosen()
    return None if isinstance(pair, NotInstalled) else RemoteScorer(pair.nli.folder, pair.embedding.folder)


def scorer_missing() -> str | None:
    """Why alignment cannot be measured on this computer, as a sentence; None where it can."""
    from models.scoring.shelf import NotInstalled, ScorerShelf

    pair = ScorerShelf().chosen()
    return pair.reason if isinstance(pair, NotInstalled) else None


def score_transcript_file(file: Path, cancel: CancelToken) -> tuple[Transcript, TranscriptScores]:
    """Measure a transcript with the installed scorer, without a library. Raises `BadInput`, and as the scorer does."""
    transcript = read_transcript_file(file)
    scorer = installed_scorer()
    try:
        return transcript, score_transcript(transcript, Direct(scorer, cancel))
    finally:
        if scorer is not None:
            scorer.close()

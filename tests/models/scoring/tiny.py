"""Folders of tiny scoring models, complete with a card; `make_tiny_scorers` tells what they can do."""

import shutil
from hashlib import sha256
from pathlib import Path

import msgspec

from core.ports import ScorerGrade
from models.scoring.card import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, Kind, ProbeResult, ScorerCard
from models.scoring.probes import probes

TINY = Path(__file__).parent.parent / "tiny_scorers"


def tiny_folder(folder: Path, kind: Kind, **changes: object) -> Path:
    """Write a tiny model into a folder; keyword arguments replace parts of its card. Returns the folder."""
    folder.mkdir(parents=True)
    for name in (MODEL_FILE, TOKENIZER_FILE):
        shutil.copyfile(TINY / kind / name, folder / name)
    write_card(folder, tiny_card(kind, **changes))
    return folder


def tiny_card(kind: Kind, **changes: object) -> ScorerCard:
    model, tokenizer = ((TINY / kind / name).read_bytes() for name in (MODEL_FILE, TOKENIZER_FILE))
    parts: dict[str, object] = {
        "id": f"tiny-{kind}",
        "title": f"Tiny {kind}",
        "kind": kind,
        "architecture": "Tiny",
        "license": "CC0-1.0",
        "model_sha256": sha256(model).hexdigest(),
        "model_bytes": len(model),
        "tokenizer_sha256": sha256(tokenizer).hexdigest(),
        "precision": "fp32",
        "max_tokens": 256,
        "opset": 17,
        "source": "made for the tests",
        "probes": graded("limited"),
    }
    if kind == "nli":
        parts["labels"] = ("entailment", "neutral", "contradiction")
    else:
        parts |= {"pooling": "mean", "dimensions": 8}
    return ScorerCard(**{**parts, **changes})  # type: ignore[arg-type]


def graded(grade: ScorerGrade) -> ProbeResult:
    """As if the model had been put to the probes."""
    return ProbeResult(probes_sha256=probes().sha256, pairs=len(probes().pair), grade=grade)


def write_card(folder: Path, card: ScorerCard) -> None:
    (folder / CARD_FILE).write_bytes(msgspec.json.encode(card))


def resign(folder: Path, **changes: object) -> None:
    """Make the card fit the files again after one of them was changed on purpose."""
    old = msgspec.json.decode((folder / CARD_FILE).read_bytes(), type=ScorerCard)
    digests = {
        f"{name}_sha256": sha256((folder / file).read_bytes()).hexdigest()
        for name, file in (("model", MODEL_FILE), ("tokenizer", TOKENIZER_FILE))
    }
    write_card(folder, msgspec.structs.replace(old, **{**digests, **changes}))

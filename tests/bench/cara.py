"""What the installed scorer finds, and how fast: the figures behind every CARA value. Writes them to out/bench_cara.json.

    python -m tests.bench.cara [--data FOLDER] [--weights FOLDER] [--transcript FILE ...]

`--data` is a folder with the labelled public sets, which are not part of the repository; without it only the clinical pairs of
this folder are measured. `--weights` is the folder of the NLI model as PyTorch weights: with it, and with torch installed, pairs
per second are compared with eager PyTorch fp32. Whether a set was seen in training stands in the card of the model.
"""

import argparse
import csv
import gzip
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.consult.alignment import TAU
from core.errors import TextTooLong
from core.evaluate.agreement import TranscriptScores, score_transcript
from core.evaluate.direct import Direct
from core.evaluate.transcript import read_transcript
from models.onnx_pairs import OnnxPairs
from models.scoring.probes import auc
from models.scoring.shelf import NotInstalled, ScorerShelf

HERE = Path(__file__).parent
NEVER = threading.Event()
TextPair = tuple[str, str]
Labelled = list[tuple[TextPair, str]]
"""Pairs with `contradiction` or another label."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path)
    options.add_argument("--weights", type=Path)
    options.add_argument("--transcript", type=Path, nargs="*", default=[])
    chosen = options.parse_args()
    pair = ScorerShelf().chosen()
    if isinstance(pair, NotInstalled):
        raise SystemExit(pair.reason)
    scorer = OnnxPairs(pair.nli.folder, pair.embedding.folder)
    result: dict[str, object] = {"scorer": msgspec.to_builtins(scorer.identity)}
    for name, pairs in _sets(chosen.data):
        result[name] = _detection(scorer, pairs)
        print(f"{name}: {result[name]}", flush=True)
    transcripts = [HERE / "transcripts" / "atropine.json", *chosen.transcript]
    for path in transcripts:
        result[path.stem] = _transcript(scorer, path)
        print(f"{path.stem}: {result[path.stem]}", flush=True)
    clinical = [pair for pair, _ in _clinical()] * 4
    result["speed"] = _speed(scorer, clinical, chosen.weights)
    print(f"speed: {result['speed']}")
    Path("out").mkdir(exist_ok=True)
    Path("out/bench_cara.json").write_text(json.dumps(result, indent=1), encoding="utf-8")


def _sets(data: Path | None) -> Iterator[tuple[str, Labelled]]:
    yield "clinical pairs, kept back", [row for row in _clinical() if row[1] != "atropine"]
    if data is None:
        return
    with (data / "scifact_pairs" / "rte_scifact_train.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        refuted = {"not_entailment": "contradiction", "entailment": "same"}
        yield "SciFact", [((row["sentence1"], row["sentence2"]), refuted[row["entailment"]]) for row in rows]
    for name in ("SNLI", "MNLI"):
        with (data / "negation_nli" / f"{name}_first_750.txt").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            yield f"negation {name}", [((row["Text"], row["Hypothesis"]), row["gold_label"]) for row in rows]
    scoped: Labelled = []
    for path in sorted((data / "scone_nli").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                ending = "_edited" if "sentence1_edited" in row else ""
                label = row["gold_label_edited"] if "gold_label_edited" in row else row["gold_label"]
                scoped.append(((row[f"sentence1{ending}"], row[f"sentence2{ending}"]), label))
    yield "ScoNe, no contradictions in it", scoped


def _clinical() -> Labelled:
    with (HERE / "clinical_pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            ((row["premise"], row["hypothesis"]), "atropine" if row["topic"] == "atropine" else row["label"])
            for row in rows
        ]


def _detection(scorer: OnnxPairs, pairs: Labelled) -> dict[str, object]:
    """Contradiction against all other labels at tau; pairs that are too long for the model are counted, not cut."""
    probabilities = _probabilities(scorer, [pair for pair, _ in pairs])
    scored = [(p, label) for p, (_, label) in zip(probabilities, pairs, strict=True) if p is not None]
    too_long = len(pairs) - len(scored)
    by_label = {label: [p for p, name in scored if name == label] for label in sorted({name for _, name in scored})}
    against = by_label.get("contradiction", [])
    others = [p for p, label in scored if label != "contradiction"]
    true, false = sum(p > TAU for p in against), sum(p > TAU for p in others)
    return {
        "pairs": len(scored),
        "too long": too_long,
        "precision": round(true / (true + false), 3) if true + false else None,
        "recall": round(true / len(against), 3) if against else None,
        "AUROC": round(auc(against, others), 3) if against and others else None,
        "called contradiction, by label": {
            label: round(sum(p > TAU for p in found) / len(found), 3) for label, found in by_label.items()
        },
    }


def _probabilities(scorer: OnnxPairs, pairs: list[TextPair]) -> list[float | None]:
    """None for a pair that is too long for the model: it is searched for by halves."""
    try:
        return list(scorer.contradictions(pairs, NEVER).probabilities)
    except TextTooLong:
        if len(pairs) == 1:
            return [None]
        middle = len(pairs) // 2
        return _probabilities(scorer, pairs[:middle]) + _probabilities(scorer, pairs[middle:])


def _transcript(scorer: OnnxPairs, path: Path) -> dict[str, object]:
    content = path.read_bytes()
    transcript = read_transcript(gzip.decompress(content) if path.suffix == ".gz" else content)
    started = time.perf_counter()
    scores: TranscriptScores = score_transcript(transcript, Direct(scorer, NEVER))
    seconds = time.perf_counter() - started
    moments = (scores.cara.before, scores.cara.after)
    passes, pairs = sum(each.passes for each in moments), sum(each.exhaustive_passes for each in moments)
    found = scores.cara.after.majority_set
    return {
        "agents": len(transcript.agents),
        "seconds": round(seconds, 2),
        "NLI passes": passes,
        "of all pairs": pairs,
        "lazy / exhaustive": round(passes / pairs, 3) if pairs else None,
        "CARA": found and found.hybrid,
        "SIM": found and found.similarity,
        "CR": found and found.contradiction_rate,
        "failure modes": [pair.failure_mode for pair in found.pairs] if found else [],
        "signature": scores.cara.signature,
    }


def _speed(scorer: OnnxPairs, pairs: list[TextPair], weights: Path | None) -> dict[str, object]:
    """Pairs per second, the two sides in turns, each pair different so that nothing is computed twice."""
    own = [(f"{premise} ({n})", hypothesis) for n, (premise, hypothesis) in enumerate(pairs)]
    torch_side, operations = _torch_side(weights) if weights else (None, None)
    ours, theirs = [], []
    for _ in range(3):
        started = time.perf_counter()
        probabilities = scorer.contradictions(own, NEVER).probabilities
        ours.append(len(own) / (time.perf_counter() - started))
        if torch_side is not None:
            started = time.perf_counter()
            other = torch_side(own)
            theirs.append(len(own) / (time.perf_counter() - started))
    result: dict[str, object] = {"pairs": len(own), "pairs per second": round(max(ours), 1)}
    if torch_side is not None:
        same = sum((p > TAU) == (q > TAU) for p, q in zip(probabilities, other, strict=True)) / len(own)
        result |= {
            "eager PyTorch fp32, batches of 32": round(max(theirs), 1),
            "ratio": round(max(ours) / max(theirs), 2),
            "same decision": round(same, 4),
        }
        # fp32 cannot be faster than its matrix products: what eager PyTorch reaches of them says what is left to win.
        share = operations(own) * max(theirs) / len(own) / _peak()
        result |= {
            "eager PyTorch reaches of the fp32 peak": round(share, 2),
            "most that fp32 could win": round(1 / share, 2),
        }
    return result


def _peak() -> float:
    """Operations per second of large fp32 matrix products on two threads, the best of ten."""
    import torch

    one, other = torch.randn(2048, 768), torch.randn(768, 3072)
    seconds = []
    for _ in range(10):
        started = time.perf_counter()
        one @ other
        seconds.append(time.perf_counter() - started)
    return 2 * 2048 * 768 * 3072 / min(seconds)


def _torch_side(weights: Path):  # type: ignore[no-untyped-def]
    """The same weights in eager PyTorch as sentence-transformers runs a cross-encoder: batches of 32 by length, padded."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.set_num_threads(2)
    tokenizer = AutoTokenizer.from_pretrained(weights)
    model = AutoModelForSequenceClassification.from_pretrained(weights).eval()
    column = {name.lower(): number for number, name in model.config.id2label.items()}["contradiction"]

    @torch.inference_mode()
    def score(pairs: list[TextPair]) -> list[float]:
        found = [0.0] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda n: -len(pairs[n][0]) - len(pairs[n][1]))
        for start in range(0, len(order), 32):
            part = order[start : start + 32]
            batch = tokenizer([pairs[n] for n in part], padding=True, return_tensors="pt")
            for n, row in zip(part, model(**batch).logits.softmax(-1)[:, column].tolist(), strict=True):
                found[n] = row
        return found

    matrices = sum(p.numel() for name, p in model.named_parameters() if p.dim() == 2 and "embeddings" not in name)

    def operations(pairs: list[TextPair]) -> float:
        """Multiplications and additions of the linear layers, without padding."""
        return 2.0 * matrices * sum(len(ids) for ids in tokenizer(pairs)["input_ids"])

    return score, operations


if __name__ == "__main__":
    main()

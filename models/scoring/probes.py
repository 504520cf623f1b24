"""Whether a scoring model may be believed: its answers to hand-written clinical pairs, and the grade that follows.

    python -m models.scoring.probes [--write] FOLDER ...

prints what the models in these folders make of the probes, and writes it into their cards.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Literal

import msgspec
from msgspec import Struct

from core.consult.alignment import TAU
from core.ports import ScorerGrade
from models.scoring.card import ProbeResult, ScorerCard, card_in, write_card

GRADES: tuple[ScorerGrade, ...] = ("demonstration only", "limited", "validated")
"""Lowest first."""

NLI_BARS: dict[ScorerGrade, tuple[float, float, float]] = {
    "validated": (0.80, 0.05, 0.90),
    "limited": (0.70, 0.10, 0.80),
}
"""Least share of contradictions found, greatest share of false alarms, least area under the curve.

Ours. A warning that is wrong once in ten times is soon ignored, so a tenth of paraphrases called contradiction is the end of
what may be shown; 0.80 found with 0.05 false alarms is what a DeBERTa-v3 of the smallest size reaches on clinical pairs."""

EMBEDDING_BARS: dict[ScorerGrade, float] = {"validated": 0.90, "limited": 0.75}
"""Least area under the curve of the cosine, same statement against another aspect.

Ours. The cosine is asked for one thing only: does the other specialist have a step about the same matter? Opposites are as
close as paraphrases in every embedding model tried; to tell them apart is the task of the NLI model, and no bar for it here."""


class Probe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two steps as specialists write them."""

    premise: str
    hypothesis: str
    label: Literal["contradiction", "same", "different"]
    """`different`: another aspect of the case, neither in conflict nor the same."""
    topic: str


class Probes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pair: tuple[Probe, ...]
    sha256: str = ""
    """Of the file; filled in by `read_probes`."""

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return tuple((each.premise, each.hypothesis) for each in self.pair)


def read_probes(content: bytes) -> Probes:
    """Raises `msgspec.MsgspecError`."""
    found = msgspec.toml.decode(content, type=Probes)
    # Line ends are those of the system the program was unpacked on; they change nothing.
    return msgspec.structs.replace(found, sha256=sha256(content.replace(b"\r\n", b"\n")).hexdigest())


@cache
def probes() -> Probes:
    """The pairs that come with the program. No model was trained on them."""
    return read_probes(files("models.scoring").joinpath("probes.toml").read_bytes())


def nli_result(probabilities: Sequence[float], asked: Probes) -> ProbeResult:
    """From P(contradiction) of each pair."""
    by_label: dict[str, list[float]] = {"contradiction": [], "same": [], "different": []}
    for probability, each in zip(probabilities, asked.pair, strict=True):
        by_label[each.label].append(probability)
    contradictory, same, different = by_label.values()
    found, false_alarms = _alarms(contradictory), _alarms(same)
    area = auc(contradictory, same + different)
    grade: ScorerGrade = "demonstration only"
    for reached, (least_found, most_false, least_area) in reversed(NLI_BARS.items()):
        if found >= least_found and false_alarms <= most_false and area >= least_area:
            grade = reached
    return ProbeResult(
        probes_sha256=asked.sha256,
        pairs=len(asked.pair),
        found=round(found, 6),
        false_alarms=round(false_alarms, 6),
        other_alarms=round(_alarms(different), 6),
        auc=round(area, 6),
        grade=grade,
    )


def embedding_result(cosines: Sequence[float], asked: Probes) -> ProbeResult:
    """From the cosine of each pair."""
    scored = list(zip(cosines, asked.pair, strict=True))
    same, different = ([cosine for cosine, each in scored if each.label == label] for label in ("same", "different"))
    area = auc(same, different)
    grade: ScorerGrade = "demonstration only"
    for reached, least_area in reversed(EMBEDDING_BARS.items()):
        if area >= least_area:
            grade = reached
    return ProbeResult(probes_sha256=asked.sha256, pairs=len(asked.pair), auc=round(area, 6), grade=grade)


def lower(one: ScorerGrade, other: ScorerGrade) -> ScorerGrade:
    """A scorer is as good as the worse of its two models."""
    return min(one, other, key=GRADES.index)


def is_current(card: ScorerCard) -> bool:
    """Whether the card tells of these probes and not of those of another version."""
    return card.probes is not None and card.probes.probes_sha256 == probes().sha256


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Area under the receiver operating characteristic, 0..1: how often a positive scores above a negative, ties half.

    Raises `ValueError` where either is empty.
    Source: rank statistic of Mann and Whitney, U / (number of positives x number of negatives).
    """
    if not positives or not negatives:
        raise ValueError("an area under the curve needs both classes")
    ranked = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    rank_sum, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        mean_rank = (start + 1 + end) / 2
        rank_sum += mean_rank * sum(positive for _, positive in ranked[start:end])
        start = end
    return (rank_sum - len(positives) * (len(positives) + 1) / 2) / (len(positives) * len(negatives))


def _alarms(probabilities: Sequence[float]) -> float:
    return fmean(probability > TAU for probability in probabilities)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result of each folder as JSON, and write it into its card where that is asked for."""
    from models.onnx_pairs import probe_folder

    parser = argparse.ArgumentParser(
        prog="python -m models.scoring.probes", description="Put scoring models to the probes."
    )
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write the result into the card of each model")
    options = parser.parse_args(arguments)
    for folder in options.folder:
        result = probe_folder(folder)
        print(folder.name, msgspec.json.encode(result).decode())
        if options.write:
            write_card(folder, msgspec.structs.replace(card_in(folder), probes=result))
    return 0


if __name__ == "__main__":
    sys.exit(main())

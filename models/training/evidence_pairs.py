"""Pairs about one diagnosis and its grounds: the same ground, a complementary one, or one that is missing."""

from pathlib import Path
from random import Random

from msgspec import Struct

from models.training.facts import Wordings
from models.training.pairs import Label, Pair, balanced
from models.training.wording import opened, two_of

_FOR = (
    "{d} is likely because of {g}.",
    "{g} makes {d} likely.",
    "given {g}, {d} is my leading diagnosis.",
    "{g} points to {d}.",
    "I favor {d} in view of {g}.",
    "the best argument for {d} is {g}.",
    "{d} is supported by {g}.",
    "with {g}, everything speaks for {d}.",
    "{d} would explain {g}.",
)
_AGAINST = (
    "{d} is unlikely because there is no {g}.",
    "the lack of {g} makes {d} unlikely.",
    "without {g}, {d} is not my leading diagnosis.",
    "the absence of {g} points away from {d}.",
    "I doubt {d}, as {g} is missing.",
    "{d} is not supported, since nothing shows {g}.",
)
_NEVERTHELESS = (
    "{d} is unlikely in spite of {g}.",
    "{g} does not make {d} likely.",
    "even {g} does not point to {d}.",
    "{d} is not my diagnosis, whatever is said of {g}.",
    "{d} would not explain {g}.",
)


class Evidence(Struct, frozen=True, kw_only=True):
    diagnosis: Wordings
    grounds: tuple[Wordings, ...]

    @property
    def topic(self) -> str:
        return f"evidence/{self.diagnosis[0]}"


def read_evidence(path: Path) -> list[Evidence]:
    """`@` lines are diagnoses, `=` lines their grounds. Raises `ValueError` with the number of any other line."""
    found: list[Evidence] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        wordings = tuple(wording.strip() for wording in line[1:].split(" / "))
        if line.startswith("@"):
            found.append(Evidence(diagnosis=wordings, grounds=()))
        elif line.startswith("=") and found:
            found[-1] = Evidence(diagnosis=found[-1].diagnosis, grounds=(*found[-1].grounds, wordings))
        elif line and not line.startswith("#"):
            raise ValueError(f"{path.name}, line {number}: neither a diagnosis nor a ground")
    return found


class EvidencePairs:
    def __init__(self, evidence: list[Evidence], rng: Random) -> None:
        self._evidence = evidence
        self._rng = rng

    def grounds(self, evidence: Evidence, per_label: int) -> list[Pair]:
        return balanced(lambda label: self._pair(evidence, label), per_label)

    def _pair(self, evidence: Evidence, label: Label) -> Pair:
        rng = self._rng
        ground, complement = two_of(evidence.grounds, rng)
        favorable = rng.random() < 0.6
        first = self._say(_FOR if favorable else _AGAINST, evidence.diagnosis, ground)
        if label == "entailment":
            second = self._say(_FOR if favorable else _AGAINST, evidence.diagnosis, ground)
        elif label == "contradiction":
            opposite = rng.choice((_AGAINST, _NEVERTHELESS)) if favorable else _FOR
            second = self._say(opposite, evidence.diagnosis, ground)
        elif rng.random() < 0.75:
            second = self._say(_FOR if favorable else _AGAINST, evidence.diagnosis, complement)
        else:
            other = rng.choice([found for found in self._evidence if found is not evidence])
            second = self._say(rng.choice((_FOR, _AGAINST, _NEVERTHELESS)), other.diagnosis, rng.choice(other.grounds))
        both = (first, second) if rng.random() < 0.5 else (second, first)
        return Pair(premise=both[0], hypothesis=both[1], label=label, pattern="evidence", topic=evidence.topic)

    def _say(self, frames: tuple[str, ...], diagnosis: Wordings, ground: Wordings) -> str:
        frame, wording = self._rng.choice(frames), self._rng.choice(ground)
        if any(missing in frame for missing in ("no {g}", "lack of {g}")):
            wording = wording.removeprefix("a ").removeprefix("an ")
        return opened(frame.format(d=self._rng.choice(diagnosis), g=wording))

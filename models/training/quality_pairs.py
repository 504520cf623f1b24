"""Pairs about qualities: present or absent with scope, exclusive attributes, durations, ages, names of diseases."""

import csv
import gzip
import tomllib
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from models.training.pairs import Label, Pair, balanced
from models.training.wording import clause_of, inner, opened, two_of, two_sentences


class Findings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    findings: tuple[tuple[str, ...], ...]
    """Wordings of each finding, fit for "The patient has ..."."""
    present: tuple[str, ...]
    absent: tuple[str, ...]


class Contrast(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sides: tuple[tuple[str, ...], ...]
    """Exclusive qualities, each in several wordings."""
    topics: tuple[str, ...]
    frames: tuple[str, ...]
    """With {topic} and {side}."""

    @property
    def topic(self) -> str:
        return f"contrasts/{self.sides[0][0]}"


def read_findings(path: Path) -> Findings:
    return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Findings)


def read_contrasts(path: Path) -> list[Contrast]:
    return msgspec.convert(tomllib.loads(path.read_text("utf-8"))["contrast"], list[Contrast])


def read_names(path: Path) -> list[tuple[str, ...]]:
    """Names of one disease each, at least two, from a compressed table of terms; letters and spaces only."""
    names: dict[str, list[str]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            term = row["term"]
            if 4 <= len(term) <= 45 and all(c.isalpha() or c in " -'" for c in term) and not term.isupper():
                names[row["concept_id"]].append(term)
    distinct = [tuple(found) for found in names.values() if len({name.lower() for name in found}) > 1]
    return [found for found in distinct if _other_words(found)]


def _other_words(names: tuple[str, ...]) -> bool:
    """Whether two of the names are more than spellings of one another."""
    first, last = (set(name.lower().replace("-", " ").split()) for name in (names[0], names[-1]))
    return len(first & last) < len(first | last) - 1


_KINDS = frozenset(
    "benign cancer carcinoma disease disorder lesion malignant neoplasm primary syndrome tumor tumour".split()  # noqa: SIM905
)
"""Words that name a kind only: two diseases that differ by one of them may be the same, or part of one another."""


def siblings(names: list[tuple[str, ...]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Two diseases each, of which some names differ by exactly one telling word: easily taken for one another."""
    by_rest: dict[tuple[int, tuple[str, ...]], dict[int, str]] = defaultdict(dict)
    for number, group in enumerate(names):
        for words in {tuple(name.lower().replace("-", " ").split()) for name in group}:
            for place, word in enumerate(words):
                if len(words) > 1 and word not in _KINDS:
                    by_rest[place, words[:place] + words[place + 1 :]].setdefault(number, word)
    found: set[tuple[int, int]] = set()
    for members in by_rest.values():
        for one, other in pairwise(members):
            if members[one][:4] != members[other][:4] or {members[one][:5], members[other][:5]} & {"hyper", "hypo"}:
                found.add((one, other))
    return [(names[one], names[other]) for one, other in sorted(found)]


class QualityPairs:
    def __init__(self, findings: Findings, names: list[tuple[str, ...]], rng: Random) -> None:
        self._findings = findings
        self._names = names
        self._rng = rng

    def presence(self, finding: tuple[str, ...], per_label: int) -> list[Pair]:
        """There or not there, also beside another finding, with negations in all three labels."""
        return self._made(lambda label: self._presence(finding, label), per_label, "presence", f"findings/{finding[0]}")

    def contrasts(self, contrast: Contrast, per_label: int) -> list[Pair]:
        return self._made(lambda label: self._contrast(contrast, label), per_label, "contrasts", contrast.topic)

    def diseases(self, names: tuple[str, ...], per_label: int) -> list[Pair]:
        """One disease under two names, held to be likely or excluded."""
        return self._made(lambda label: self._disease(names, label), per_label, "names", f"names/{names[0]}")

    def told_apart(self, one: tuple[str, ...], other: tuple[str, ...], per_label: int) -> list[Pair]:
        """The diagnosis under another name, against a disease that sounds alike."""
        return self._made(lambda label: self._only(one, other, label), per_label, "told apart", f"names/{one[0]}")

    def _only(self, one: tuple[str, ...], other: tuple[str, ...], label: Label) -> tuple[str, str]:
        rng = self._rng
        decided = ("the diagnosis is {}", "the cause of all this is {}", "this is {}", "we are dealing with {}")
        argued = ("the one diagnosis that explains everything is {}", "{} is what the patient has", "I am sure of {}")
        beside = ("the risk of {} is known in the family", "years ago there was {}", "{} should be asked about as well")
        first, second = two_of(one, rng)
        frame = rng.choice((*decided, *argued))
        if label == "entailment":
            return frame.format(first), rng.choice((*decided, *argued)).format(second)
        if label == "contradiction":
            return frame.format(first), rng.choice((*decided, *argued)).format(rng.choice(other))
        return frame.format(first), rng.choice(beside).format(rng.choice((second, rng.choice(other))))

    def times(self, per_label: int) -> list[Pair]:
        """Durations against acute and chronic, ages against their names."""
        return self._made(self._time, per_label, "times", "times")

    def _made(
        self, clauses: Callable[[Label], tuple[str, str] | None], per_label: int, pattern: str, topic: str
    ) -> list[Pair]:
        def make(label: Label) -> Pair | None:
            two = clauses(label)
            if two is None:
                return None
            first, second = two if self._rng.random() < 0.6 else two[::-1]
            premise, hypothesis = two_sentences(clause_of(first), clause_of(second), self._rng)
            return Pair(premise=premise, hypothesis=hypothesis, label=label, pattern=pattern, topic=topic)

        return balanced(make, per_label)

    def _stated(self, finding: tuple[str, ...], present: bool) -> str:
        frame = self._rng.choice(self._findings.present if present else self._findings.absent)
        wording = self._rng.choice(finding)
        if not present and "no {}" in frame:
            wording = wording.removeprefix("a ").removeprefix("an ")
        if not present and frame == "The lack of {} is certain.":
            wording = wording.removeprefix("a ")
        return clause_of(opened(frame.format(wording)))

    def _other(self, finding: tuple[str, ...]) -> tuple[str, ...]:
        return self._rng.choice([other for other in self._findings.findings if other != finding])

    def _presence(self, finding: tuple[str, ...], label: Label) -> tuple[str, str]:
        rng = self._rng
        present = rng.random() < 0.5
        other, other_present = self._other(finding), rng.random() < 0.5
        first = self._stated(finding, present)
        if rng.random() < 0.35:
            first = (
                f"{first}, {'but' if present != other_present else 'and'} {inner(self._stated(other, other_present))}"
            )
        if label == "entailment":
            return first, self._stated(finding, present)
        if label == "contradiction":
            return first, self._stated(finding, not present)
        third = rng.choice([f for f in self._findings.findings if f not in (finding, other)])
        return first, self._stated(third, rng.random() < 0.5)

    def _contrast(self, contrast: Contrast, label: Label) -> tuple[str, str]:
        rng = self._rng
        side, opposite = two_of(contrast.sides, rng)
        topic, beside = two_of(contrast.topics, rng)
        first = rng.choice(contrast.frames).format(topic=topic, side=rng.choice(side))
        if label == "entailment":
            second = rng.choice(contrast.frames).format(topic=topic, side=rng.choice(side))
        elif label == "contradiction":
            second = rng.choice(contrast.frames).format(topic=topic, side=rng.choice(opposite))
        else:
            second = rng.choice(contrast.frames).format(topic=beside, side=rng.choice(rng.choice(contrast.sides)))
        return first, second

    def _disease(self, names: tuple[str, ...], label: Label) -> tuple[str, str]:
        rng = self._rng
        likely = ("{} is likely", "the picture is that of {}", "everything points to {}", "{} cannot be doubted")
        unlikely = ("{} is unlikely", "the picture is not that of {}", "nothing points to {}", "{} has been ruled out")
        one, two = two_of(names, rng)
        favorable = rng.random() < 0.5
        first = rng.choice(likely if favorable else unlikely).format(one)
        if label == "neutral":
            stranger = rng.choice(rng.choice(self._names))
            beside = (
                "{} was seen in a relative",
                "{} was treated years ago",
                "{} was in the news",
                "{} has no bearing on this",
            )
            asked = (*beside, "{} should be asked about too", "the textbook has a chapter on {}")
            return first, rng.choice(asked).format(two if rng.random() < 0.6 and stranger else stranger)
        same = favorable == (label == "entailment")
        return first, rng.choice(likely if same else unlikely).format(two)

    def _time(self, label: Label) -> tuple[str, str]:
        return self._duration(label) if self._rng.random() < 0.6 else self._age(label)

    def _duration(self, label: Label) -> tuple[str, str]:
        rng = self._rng
        topics = ("cough", "diarrhea", "back pain", "headache", "dyspnea", "rash", "weakness", "abdominal pain")
        topic, beside = two_of(topics, rng)
        spans: dict[bool, tuple[str, ...]] = {
            True: (f"{rng.randint(2, 40)} hours", f"{rng.randint(2, 9)} days", "one day"),
            False: (f"{rng.randint(6, 22)} months", f"{rng.randint(2, 15)} years", "half a lifetime"),
        }
        words = {
            True: ("is acute", "is of recent onset", "began only lately", "is not chronic", "is new"),
            False: ("is chronic", "is of long standing", "began long ago", "is not acute", "is an old complaint"),
        }
        shapes = ("the {t} has lasted for {s}", "the {t} has been present for {s}", "for {s} there has been {t}")
        acute = rng.random() < 0.5
        first = rng.choice(shapes).format(t=topic, s=rng.choice(spans[acute]))
        about = beside if label == "neutral" else topic
        matching = acute != (label == "contradiction") if label != "neutral" else rng.random() < 0.5
        if rng.random() < 0.2:
            return first, rng.choice(shapes).format(t=about, s=rng.choice(spans[matching]))
        return first, f"the {about} {rng.choice(words[matching])}"

    def _age(self, label: Label) -> tuple[str, str]:
        rng = self._rng
        groups = (
            (3, 10, ("a child", "a young child", "in childhood")),
            (14, 17, ("an adolescent", "a teenager", "in adolescence")),
            (22, 34, ("a young adult", "in early adult life")),
            (48, 58, ("middle-aged", "in middle age")),
            (74, 93, ("elderly", "of advanced age", "in old age")),
        )
        group, other = two_of(groups, rng)
        age = rng.randint(group[0], group[1])
        shapes = (
            "the patient is {} years old",
            "this is a patient of {} years",
            "at {} years of age the patient fell ill",
        )
        first = rng.choice(shapes).format(age)
        if label == "neutral":
            return first, self._stated(self._other(()), rng.random() < 0.5)
        chosen = group if label == "entailment" else other
        return first, f"the patient is {rng.choice(chosen[2])}"

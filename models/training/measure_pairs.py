"""Pairs about numbers: a value against its name, the wrong name, "normal", another value, another analyte, a trend."""

from random import Random

from models.training.measures import Combination, Level, Measure, State, draw, written
from models.training.pairs import Label, Pair, balanced
from models.training.wording import two_of, two_sentences

_VALUE = (
    "the {n} is {v}",
    "a {n} of {v} was measured",
    "the laboratory reports a {n} of {v}",
    "the {n} came back at {v}",
    "the {n} stands at {v}",
    "on admission the {n} was {v}",
    "we have a {n} of {v}",
    "the chart shows {v} for the {n}",
    "for the {n} we read {v}",
)
_WORD = (
    "{w} is present",
    "the patient has {w}",
    "there is {w}",
    "we are dealing with {w}",
    "the results show {w}",
    "this means {w}",
    "{w} has been demonstrated",
    "the finding here is {w}",
)
_NORMAL = (
    "the {n} is normal",
    "the {n} is within the reference range",
    "nothing is wrong with the {n}",
    "the {n} is neither high nor low",
    "the {n} is unremarkable",
    "the {n} gives no cause for concern",
)
_ABNORMAL = (
    "the {n} is not normal",
    "the {n} is outside the reference range",
    "the {n} is abnormal",
    "something is wrong with the {n}",
)
_PLACE: dict[Level, tuple[str, ...]] = {
    "low": ("the {n} is low", "the {n} is below normal", "the {n} is clearly reduced", "the {n} is not high but low"),
    "high": ("the {n} is high", "the {n} is above normal", "the {n} is clearly raised", "the {n} is not low but high"),
}
_ROSE = ("rose from {a} to {b}", "climbed from {a} to {b}", "went up from {a} to {b}", "was {a} and is now {b}")
_FELL = ("fell from {a} to {b}", "dropped from {a} to {b}", "came down from {a} to {b}", "was {a} and is now {b}")
_UP = ("is rising", "has increased", "has gone up", "is higher than before", "did not fall but rose")
_DOWN = ("is falling", "has decreased", "has gone down", "is lower than before", "did not rise but fell")


class MeasurePairs:
    def __init__(self, measures: list[Measure], combinations: list[Combination], rng: Random) -> None:
        self._measures = measures
        self._combinations = combinations
        self._rng = rng

    def levels(self, measure: Measure, per_label: int) -> list[Pair]:
        """Where a value lies, as a number, as a word, as high, low or normal."""
        return balanced(lambda label: self._level(measure, label), per_label)

    def trends(self, measure: Measure, per_label: int) -> list[Pair]:
        """Rising against falling, with and without numbers."""
        return balanced(lambda label: self._trend(measure, label), per_label)

    def readings(self, combination: Combination, per_label: int) -> list[Pair]:
        """Several values read together, against another reading of the same values."""
        return balanced(lambda label: self._reading(combination, label), per_label)

    def _level(self, measure: Measure, label: Label) -> Pair:
        rng = self._rng
        level = rng.choice(measure.levels())
        first = self._value(measure, level)
        if label == "entailment":
            second = self._said(measure, level)
            if rng.random() < 0.3:
                first = self._said(measure, level)
        elif label == "contradiction":
            second = self._excluded(measure, level)
        else:
            other = self._unrelated(measure)
            second = self._said(other, rng.choice(other.levels()))
            if rng.random() < 0.5:
                first = self._said(measure, level)
        clauses = (first, second) if rng.random() < 0.65 else (second, first)
        return self._pair(clauses, label, "measures", measure.topic)

    def _pair(self, clauses: tuple[str, str], label: Label, pattern: str, topic: str) -> Pair:
        premise, hypothesis = two_sentences(*clauses, self._rng)
        return Pair(premise=premise, hypothesis=hypothesis, label=label, pattern=pattern, topic=topic)

    def _value(self, measure: Measure, level: Level) -> str:
        span = measure.span(level)
        assert span is not None
        number = written(draw(span, measure.digits, self._rng), measure.digits)
        value = f"{number} {self._rng.choice(measure.units)}".strip().replace(" %", "%")
        return _grammatical(self._rng.choice(_VALUE).format(n=self._rng.choice(measure.names), v=value))

    def _said(self, measure: Measure, level: Level) -> str:
        rng = self._rng
        name = rng.choice(measure.names)
        if level == "normal":
            return _grammatical(rng.choice(_NORMAL).format(n=name))
        if rng.random() < 0.6:
            return rng.choice(_WORD).format(w=rng.choice(measure.words(level)))
        places = (*_PLACE[level], *_PLACE[level], rng.choice(_ABNORMAL))
        return _grammatical(rng.choice(places).format(n=name))

    def _excluded(self, measure: Measure, level: Level) -> str:
        """A clause that cannot be true when the value is at this level."""
        rng = self._rng
        other = rng.choice([other for other in measure.levels() if other != level])
        if rng.random() < 0.25:
            return self._value(measure, other)
        if level == "normal" and rng.random() < 0.2:
            return _grammatical(rng.choice(_ABNORMAL).format(n=rng.choice(measure.names)))
        if other == "normal" or rng.random() < 0.6:
            return self._said(measure, other)
        return rng.choice(_WORD).format(w=rng.choice(measure.words(other)))

    def _unrelated(self, measure: Measure) -> Measure:
        """Another analyte that shares no word for its levels with this one."""
        words = {*measure.low_words, *measure.high_words}
        free = [m for m in self._measures if m is not measure and words.isdisjoint({*m.low_words, *m.high_words})]
        return self._rng.choice(free)

    def _trend(self, measure: Measure, label: Label) -> Pair:
        rng = self._rng
        rising = rng.random() < 0.5
        second_measure = self._unrelated(measure) if label == "neutral" else measure
        second_rises = rising != (label == "contradiction") if label != "neutral" else rng.random() < 0.5
        clauses = (self._course(measure, rising, True), self._course(second_measure, second_rises, rng.random() < 0.3))
        return self._pair(clauses if rng.random() < 0.6 else clauses[::-1], label, "trends", measure.topic)

    def _course(self, measure: Measure, rising: bool, numbers: bool) -> str:
        rng = self._rng
        name = rng.choice(measure.names)
        if not numbers:
            return _grammatical(f"the {name} {rng.choice(_UP if rising else _DOWN)}")
        lower, upper = (
            ("low", "normal") if measure.low and (not measure.high or rng.random() < 0.5) else ("normal", "high")
        )
        ends = [written(draw(_span(measure, level), measure.digits, rng), measure.digits) for level in (lower, upper)]
        first, last = ends if rising else ends[::-1]
        return _grammatical(f"the {name} {rng.choice(_ROSE if rising else _FELL).format(a=first, b=last)}")

    def _reading(self, combination: Combination, label: Label) -> Pair | None:
        rng = self._rng
        state, other = two_of(combination.states, rng)
        if label == "entailment":
            other = state
        elif label == "neutral":
            far = rng.choice([found for found in self._combinations if found is not combination])
            other = rng.choice(far.states)
        first = self._values(state) if rng.random() < 0.7 else self._named(state)
        second = self._named(other) if rng.random() < 0.75 else self._values(other)
        return self._pair((first, second), label, "combinations", combination.topic)

    def _values(self, state: State) -> str:
        rng = self._rng
        parts = [
            f"{name} {written(draw((low, high), digits, rng), digits)} {unit}".strip()
            for name, unit, low, high, digits in state.values
        ]
        rng.shuffle(parts)
        frames = ("the values are {}", "we have {}", "the laboratory reports {}", "the results are {}")
        return rng.choice(frames).format(rng.choice((", ", " with ", " and ")).join(parts))

    def _named(self, state: State) -> str:
        frames = ("this is {}", "the values show {}", "the diagnosis is {}", "I read this as {}", "we are facing {}")
        return self._rng.choice(frames).format(self._rng.choice(state.names))


def _span(measure: Measure, level: str) -> tuple[float, float]:
    span = {"low": measure.low, "normal": measure.range, "high": measure.high}[level]
    assert span is not None
    return span


def _grammatical(clause: str) -> str:
    """`a INR` -> `an INR`; plural names take a plural verb."""
    words = clause.split(" ")
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        vowel = following[:1] in "aeioAEI" or following in ("HbA1c", "FEV1/FVC", "LVEF", "MCV", "SpO2", "NT-proBNP")
        if word == "a" and vowel and not following.startswith(("eu", "uni")):
            words[index] = "an"
    text = " ".join(words)
    for plural in ("platelets", "thrombocytes"):
        text = text.replace(f"a {plural} of", f"{plural} of")
        for verb, verbs in (("is", "are"), ("has", "have"), ("was", "were"), ("stands", "stand")):
            text = text.replace(f"{plural} {verb} ", f"{plural} {verbs} ")
    return text

"""Pairs from the tables of facts: one fact worded twice, against what excludes it, against another aspect."""

from random import Random

from models.training.facts import Fact, Wordings, of_one_subject, said_of
from models.training.pairs import Label, Pair, balanced
from models.training.wording import (
    DENIED,
    NOT_DENIED,
    PLAIN,
    clause_of,
    fill,
    inner,
    opened,
    sentence,
    stance,
    two_of,
    two_sentences,
)


class FactPairs:
    """Draws pairs from facts that may all be used together (all of training, or all of validation)."""

    def __init__(self, facts: list[Fact], rng: Random) -> None:
        self._facts = facts
        self._rng = rng
        self._siblings = of_one_subject(fact for fact in facts if fact.subject)

    def single(self, fact: Fact, per_label: int) -> list[Pair]:
        """One statement on each side."""
        return balanced(lambda label: self._framed(fact, self._clauses(fact, label), label, "facts"), per_label)

    def step(self, fact: Fact, per_label: int) -> list[Pair]:
        """Whole steps that have a claim and a ground of their own: no other conclusion is put around them."""
        return balanced(lambda label: self._as_step(fact, label), per_label)

    def compound(self, fact: Fact, per_label: int) -> list[Pair]:
        """A second statement stands beside the first: said again in other words, or only in the premise."""
        return balanced(lambda label: self._compound(fact, label), per_label)

    def stance(self, fact: Fact, diagnoses: list[str], per_label: int) -> list[Pair]:
        """The same ground for or against the same diagnosis, or another ground for it."""
        return balanced(lambda label: self._stance(fact, self._rng.choice(diagnoses), label), per_label)

    def denied(self, fact: Fact, per_label: int) -> list[Pair]:
        """Statements denied, or said not to be deniable: a negation in all three labels."""
        return balanced(lambda label: self._denied(fact, label), per_label)

    def _denied(self, fact: Fact, label: Label) -> Pair | None:
        rng = self._rng
        # Only to deny what was said excludes it: to deny one thing and assert another does not.
        clauses = self._clauses(fact, "neutral" if label == "neutral" else "entailment")
        if clauses is None:
            return None
        denied = rng.random() < 0.5
        first = fill(rng.choice(DENIED if denied else NOT_DENIED), clauses[0])
        if label == "neutral":
            second = fill(rng.choice((*DENIED, *NOT_DENIED, PLAIN, PLAIN, PLAIN)), clauses[1])
        elif denied == (label == "contradiction"):
            second = fill(rng.choice((*NOT_DENIED, PLAIN, PLAIN, PLAIN)), clauses[1])
        else:
            second = fill(rng.choice(DENIED), clauses[1])
        both = (first, second) if rng.random() < 0.5 else (second, first)
        return Pair(premise=both[0], hypothesis=both[1], label=label, pattern="denied", topic=fact.topic)

    def _framed(self, fact: Fact, clauses: tuple[str, str] | None, label: Label, pattern: str) -> Pair | None:
        if clauses is None:
            return None
        premise, hypothesis = two_sentences(*clauses, self._rng)
        return Pair(premise=premise, hypothesis=hypothesis, label=label, pattern=pattern, topic=fact.topic)

    def _as_step(self, fact: Fact, label: Label) -> Pair | None:
        clauses = self._clauses(fact, label)
        if clauses is None:
            return None
        premise, hypothesis = (sentence(clause, self._rng, framed=0.2) for clause in clauses)
        return Pair(premise=premise, hypothesis=hypothesis, label=label, pattern="steps", topic=fact.topic)

    def _clauses(self, fact: Fact, label: Label) -> tuple[str, str] | None:
        """Two clauses in random order, never the same."""
        rng = self._rng
        if label == "entailment":
            group = rng.choice([fact.true, fact.true, *fact.false])
            return self._same(fact.subject, group)
        if label == "contradiction":
            false = rng.choice(fact.false)
            both = (self._say(fact.subject, rng.choice(fact.true)), self._say(fact.subject, rng.choice(false)))
        else:
            group = rng.choice([fact.true, fact.true, *fact.false])
            both = (self._say(fact.subject, rng.choice(group)), self._beside(fact, group))
        return both if rng.random() < 0.5 else both[::-1]

    def _same(self, subject: Wordings, group: Wordings) -> tuple[str, str] | None:
        clauses = [said_of(name, wording) for wording in group for name in (subject or ("",))]
        different = sorted(set(clauses))
        if len(different) < 2:
            return None
        # Other words are worth more than another name of the subject only.
        if len(group) > 1 and self._rng.random() < 0.85:
            one, other = two_of(group, self._rng)
            return self._say(subject, one), self._say(subject, other)
        return two_of(different, self._rng)

    def _beside(self, fact: Fact, group: Wordings) -> str:
        """A clause about another aspect of the subject, or about another subject."""
        rng = self._rng
        if fact.asides and (chance := rng.random()) < 0.7:
            # Asides are short: two of them together keep length from betraying the label.
            if chance < 0.35 or len(fact.asides) < 2:
                return rng.choice(fact.asides)
            one, two = two_of(fact.asides, rng)
            return one + rng.choice((", and {}", ", while {}", "; {}")).format(inner(two))
        siblings = [other for other in self._siblings.get(fact.subject, ()) if other is not fact]
        chance = rng.random()
        if siblings and chance < 0.65:
            other = rng.choice(siblings)
            return self._say(fact.subject, rng.choice(rng.choice([other.true, other.true, *other.false])))
        other = rng.choice(self._neighbors(fact))
        if chance > 0.85:
            # What is said of one thing neither follows from nor excludes the same said of another.
            said = [wording for wordings in (group, *fact.false) for wording in wordings if not wording.startswith("^")]
            if said:
                return self._say(other.subject, rng.choice(said))
        return self._say(other.subject, rng.choice(rng.choice([other.true, *other.false])))

    def _neighbors(self, fact: Fact) -> list[Fact]:
        table = fact.topic.partition("/")[0]
        near = [other for other in self._facts if other.subject != fact.subject and other.topic.startswith(table)]
        return near or [other for other in self._facts if other is not fact]

    def _say(self, subject: Wordings, wording: str) -> str:
        return said_of(self._rng.choice(subject) if subject else "", wording)

    def _compound(self, fact: Fact, label: Label) -> Pair | None:
        rng = self._rng
        clauses = self._clauses(fact, label)
        second = rng.choice(self._neighbors(fact))
        same = self._same(second.subject, second.true)
        if clauses is None or same is None:
            return None
        premise = _joined(clauses[0], same[0], rng)
        hypothesis = _joined(clauses[1], same[1], rng) if rng.random() < 0.6 else opened(f"{clauses[1]}.")
        return Pair(premise=premise, hypothesis=hypothesis, label=label, pattern="compound", topic=fact.topic)

    def _stance(self, fact: Fact, diagnosis: str, label: Label) -> Pair | None:
        """Equal grounds with opposite conclusions contradict each other; so do opposite grounds with equal ones."""
        rng = self._rng
        favorable = rng.random() < 0.5
        opposed = label == "contradiction" and rng.random() < 0.6
        clauses = self._clauses(fact, "entailment" if opposed else label)
        if clauses is None:
            return None
        return Pair(
            premise=stance(clauses[0], diagnosis, favorable, rng),
            hypothesis=stance(clauses[1], diagnosis, favorable != opposed, rng),
            label=label,
            pattern="stance",
            topic=fact.topic,
        )


def _joined(first: str, second: str, rng: Random) -> str:
    one, two = (first, second) if rng.random() < 0.5 else (second, first)
    link = rng.choice((", and {}.", "; moreover, {}.", "; {}.", ", while {}.", ". {}."))
    return opened(clause_of(one)) + link.format(opened(two) if link == ". {}." else inner(two))

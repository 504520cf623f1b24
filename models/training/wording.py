"""How a statement is worded: frames that leave its truth alone, so that no frame betrays the label."""

import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

_KEEPS_CAPITAL = frozenset({"I", "IgA", "IgE", "IgG", "IgM"})
_LOWERED = frozenset(
    re.findall(
        r"\w+",
        "The A An In It He She His Her There This Because Since With Both On By At Under No Not Of One What We Among Under "
        "According Over Neither Nobody From If For As Behind Regarding Low High Elevated Loss Pain Relief Red Small Most",
    )
)


PLAIN = "{S}."
FRAMES = (
    "As we know, {s}.",
    "In my view, {s}.",
    "It is well established that {s}.",
    "Remember that {s}.",
    "The point is that {s}.",
    "What matters here is that {s}.",
    "{S}, as every textbook says.",
    "I would stress that {s}.",
    "Speaking for my specialty, {s}.",
    "The reason is simple: {s}.",
    "In this patient the key is that {s}.",
    "My first ground is that {s}.",
    "I have no doubt that {s}.",
    "Everything else aside, {s}.",
    "Do not forget that {s}.",
    "One thing is certain: {s}.",
    "{S}, and this carries weight.",
    "{S}; that is decisive for me.",
    "It should be noted that {s}.",
    "We all agree that {s}.",
)
GROUNDED = (
    "{C}, because {s}.",
    "{C}, since {s}.",
    "Because {s}, {c}.",
    "Since {s}, {c}.",
    "{C}; the ground is that {s}.",
    "{C}, given that {s}.",
    "{S}, therefore {c}.",
    "{S}; hence {c}.",
    "{S}, so {c}.",
    "As {s}, {c}.",
)
DENIED = (
    "It is not true that {s}.",
    "It would be wrong to say that {s}.",
    "It is not the case that {s}.",
    "I dispute that {s}.",
    "Nothing suggests that {s}.",
    "It is a mistake to believe that {s}.",
)
NOT_DENIED = (
    "I do not dispute that {s}.",
    "Nobody denies that {s}.",
    "It is not wrong to say that {s}.",
    "There is no doubt that {s}.",
    "Nothing speaks against the view that {s}.",
)
CONCLUSIONS: tuple[tuple[str, ...], ...] = (
    ("the working diagnosis stands", "we can keep the working diagnosis", "the working diagnosis need not be changed"),
    ("the plan has to change", "another plan is needed", "we cannot go on with this plan"),
    ("this explains the whole picture", "that accounts for everything we see"),
    ("I rank this diagnosis first", "this diagnosis tops my list", "this is my leading diagnosis"),
    ("further tests are needed", "more testing is required", "the work-up is not finished"),
    ("the next step is clear", "we know what to do next"),
    ("the patient needs close monitoring", "he must be watched closely"),
    ("I agree with my colleague", "my colleague is right in my opinion"),
    ("treatment should begin at once", "therapy must not be delayed", "we should treat immediately"),
    ("surgery should be considered", "an operation is an option"),
    ("the drug chart has to be reviewed", "we must look through the medication again"),
    ("a consultation makes sense", "another specialist should be asked"),
)
FAVORABLE = (
    "{s}, which supports {d}.",
    "{d} is likely, because {s}.",
    "the fact that {s} points to {d}.",
    "{s}; this speaks for {d}.",
    "{d} is favored, since {s}.",
    "that {s} makes {d} more probable.",
    "{d} fits well, for {s}.",
)
UNFAVORABLE = (
    "{s}, which argues against {d}.",
    "{d} is unlikely, because {s}.",
    "the fact that {s} points away from {d}.",
    "{s}; this speaks against {d}.",
    "{d} is not favored, since {s}.",
    "that {s} makes {d} less probable.",
    "{d} does not fit, for {s}.",
)


def opened(clause: str) -> str:
    """As the beginning of a sentence."""
    return clause[:1].upper() + clause[1:]


def inner(clause: str) -> str:
    """As the inside of a sentence: names and abbreviations keep their capitals."""
    first, _, rest = clause.partition(" ")
    if first in _LOWERED and first not in _KEEPS_CAPITAL:
        return f"{first.lower()} {rest}".strip()
    return clause


def clause_of(sentence: str) -> str:
    return sentence.strip().rstrip(".")


def fill(frame: str, clause: str, conclusion: str = "") -> str:
    return frame.format(S=opened(clause), s=inner(clause), C=opened(conclusion), c=conclusion)


def sentence(clause: str, rng: Random, framed: float = 0.25) -> str:
    """The clause as a sentence, in a share of `framed` with a frame around it."""
    return fill(rng.choice(FRAMES) if rng.random() < framed else PLAIN, clause)


def stance(clause: str, diagnosis: str, favorable: bool, rng: Random) -> str:
    frame = rng.choice(FAVORABLE if favorable else UNFAVORABLE)
    return opened(frame.format(s=inner(clause), d=diagnosis))


def two_sentences(first: str, second: str, rng: Random) -> tuple[str, str]:
    """Two clauses as premise and hypothesis: alone, both as grounds of one conclusion, or the first so only."""
    shape = rng.random()
    if shape < 0.75:
        return sentence(first, rng), sentence(second, rng)
    wordings = rng.choice(CONCLUSIONS)
    premise = fill(rng.choice(GROUNDED), first, rng.choice(wordings))
    if shape < 0.93:
        return premise, fill(rng.choice(GROUNDED), second, rng.choice(wordings))
    return premise, sentence(second, rng)


def two_of(items: Sequence[T], rng: Random) -> tuple[T, T]:
    """Two different members in random order."""
    first, second = rng.sample(range(len(items)), 2)
    return items[first], items[second]

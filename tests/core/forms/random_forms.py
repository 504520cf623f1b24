"""Random forms, and random texts that fill them in byte by byte, as an engine with a byte vocabulary would."""

import random
from collections.abc import Callable

import llguidance
import llguidance.numpy as masks
import numpy as np
from hypothesis import strategies as st
from llguidance import LLMatcher

from core.forms import Choice, Field, Filled, Form, Name, Number, Option, Picks, Repeat, Text
from core.forms.expression import regex

TOKENIZER = llguidance.LLTokenizer("byte")
FORBIDDEN = ("or", "such", "vs", "versus")
WORDS = (
    "SUPPORT",
    "OWN-ERROR",
    "emergency medicine",
    "low",
    "lower",
    "<5 %",
    "T > 38 °C",
    "a/b",
    "x|y",
    '"q"',
    "C\\d",
    "田",
)

Draw = Callable[[st.SearchStrategy], object]


@st.composite
def forms(draw: Draw) -> Form:
    """Forms of one to four fields; labels are unique."""
    labels = (f"L{number}" for number in range(1, 1000))
    fields = tuple(draw(_field(labels, depth=2)) for _ in range(draw(st.integers(1, 4))))
    return Form(name="random", fields=fields)


@st.composite
def _field(draw: Draw, labels: object, depth: int) -> Field:
    kinds = [_text, _name, _number, _picks] + ([_choice, _repeat, _listing, _roster] if depth else [])
    return draw(draw(st.sampled_from(kinds))(labels, depth))


@st.composite
def _text(draw: Draw, labels: object, depth: int) -> Text:
    low = draw(st.integers(1, 4))
    return Text(label=next(labels), hint="a text", min_chars=low, max_chars=draw(st.integers(low, 30)))


@st.composite
def _name(draw: Draw, labels: object, depth: int) -> Name:
    return Name(
        label=next(labels), hint="a name", max_words=draw(st.integers(1, 4)), max_word_chars=draw(st.integers(8, 12)),
        forbidden=draw(st.sampled_from([(), FORBIDDEN])),
    )  # fmt: skip


@st.composite
def _number(draw: Draw, labels: object, depth: int) -> Number:
    low = draw(st.integers(-20, 20))
    return Number(label=next(labels), hint="a number", low=low, high=low + draw(st.integers(0, 120)))


@st.composite
def _picks(draw: Draw, labels: object, depth: int) -> Picks:
    options = tuple(f"S{number}" for number in range(1, draw(st.integers(0, 12)) + 1))
    low = draw(st.integers(0, 3))
    return Picks(label=next(labels), hint="some", options=options, low=low, high=low + draw(st.integers(0, 3)))


@st.composite
def _choice(draw: Draw, labels: object, depth: int) -> Choice:
    names = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True))
    follow = st.lists(st.deferred(lambda: _field(labels, depth - 1)), max_size=2).map(tuple)
    return Choice(label=next(labels), options=tuple(Option(name=name, then=draw(follow)) for name in names))


def _bounds(draw: Draw) -> dict[str, int]:
    low = draw(st.integers(0, 2))
    return {"low": low, "high": low + draw(st.integers(1, 2))}


@st.composite
def _repeat(draw: Draw, labels: object, depth: int) -> Repeat:
    first = draw(draw(st.sampled_from([_text, _name, _number, _picks]))(labels, depth))
    rest = tuple(draw(_field(labels, depth - 1)) for _ in range(draw(st.integers(0, 2))))
    return Repeat(label=next(labels), hint="some", fields=(first, *rest), **_bounds(draw))


@st.composite
def _listing(draw: Draw, labels: object, depth: int) -> Repeat:
    """Items told apart by a text or name."""
    first = draw(draw(st.sampled_from([_text, _name]))(labels, depth))
    second = draw(draw(st.sampled_from([_text, _number, _picks]))(labels, depth))
    rest = tuple(draw(_field(labels, depth - 1)) for _ in range(draw(st.integers(0, 1))))
    return Repeat(label=next(labels), hint="some", fields=(first, second, *rest), distinct=True, **_bounds(draw))


@st.composite
def _roster(draw: Draw, labels: object, depth: int) -> Repeat:
    """Items told apart by a choice."""
    first = draw(_choice(labels, depth - 1)) if depth > 1 else Choice(label=next(labels), options=_options(draw))
    rest = tuple(draw(_field(labels, depth - 1)) for _ in range(draw(st.integers(0, 1))))
    return Repeat(label=next(labels), hint="some", fields=(first, *rest), distinct=True, **_bounds(draw))


def _options(draw: Draw) -> tuple[Option, ...]:
    names = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True))
    return tuple(Option(name=name) for name in names)


def matcher_of(form: Form) -> LLMatcher:
    """A matcher of the whole form as one grammar. Fails where llguidance refuses the grammar."""
    return checked(LLMatcher(TOKENIZER, LLMatcher.grammar_from_lark(form.lark())))


def checked(matcher: LLMatcher) -> LLMatcher:
    assert not matcher.is_error(), matcher.get_error()
    return matcher


def grown(matcher: LLMatcher, chance: random.Random, endings: float = 0.15) -> str:
    """A random text that the matcher accepts; line breaks and commas are taken with chance `endings` where they may come."""
    mask = masks.allocate_token_bitmask(1, TOKENIZER.vocab_size)
    text = bytearray()
    while not matcher.is_stopped():
        masks.fill_next_token_bitmask(matcher, mask, 0)
        allowed = np.flatnonzero(np.unpackbits(mask[0].view(np.uint8), bitorder="little")[:256])
        if not len(allowed):
            break  # nothing but the end of the text is allowed
        ends = [byte for byte in allowed if byte in b"\n,"]
        plain = [byte for byte in allowed if 32 <= byte < 127]
        if ends and chance.random() < endings:
            byte = chance.choice(ends)
        else:
            byte = chance.choice(plain if plain and chance.random() < 0.8 else list(allowed))
        text.append(byte)
        assert matcher.consume_token(int(byte)), matcher.get_error()
    checked(matcher)
    assert matcher.is_accepting() or matcher.is_stopped()
    return text.decode("utf-8")


def grown_whole(form: Form, seed: int) -> str:
    """A random filled-in form, from the grammar in one piece."""
    return grown(matcher_of(form), random.Random(seed))


def grown_stepwise(form: Form, seed: int) -> tuple[str, Filled]:
    """A random filled-in form, step by step as an engine goes, and what was filled in."""
    walk, chance, text = form.walk(), random.Random(seed), ""
    try:
        step = next(walk)
        while True:
            said = step.default or ""
            if step.free is not None and step.default is None:
                said = grown(checked(LLMatcher(TOKENIZER, LLMatcher.grammar_from_regex(regex(step.free)))), chance)
            text += step.literal + said
            step = walk.send(said)
    except StopIteration as end:
        return text, end.value


def accepts(form: Form, text: str) -> bool:
    """Whether the grammar in one piece accepts exactly this text."""
    matcher, tokens = matcher_of(form), list(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and (matcher.is_accepting() or matcher.is_stopped())

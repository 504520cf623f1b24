"""A form: named fields in order."""

import functools
import itertools
import re

from msgspec import Struct, structs

from core.forms.expression import Expression, gbnf, lark, regex, sequence
from core.forms.fields import Choice, Field, Repeat, listed
from core.forms.filled import Filled
from core.forms.lines import IDEOGRAPHS, Name, Text
from core.forms.walk import Entries, Rules, Step, Walk


class NotFilled(ValueError):
    """The text is no filled-in form. Never carries the text: it may hold what a patient said."""


class Form(Struct, frozen=True, kw_only=True):
    """What a statement of one round consists of.

    From one declaration: `instructions` for the prompt, `walk` for engines, `lark` and `gbnf` for constrained decoding in one
    piece, `parse` and `write`. Every text that the grammar accepts parses, and `write(parse(text)) == text`.
    """

    name: str
    fields: tuple[Field, ...]

    def instructions(self) -> str:
        """The form in words. Neighboring choices that differ only in their labels are described once."""
        lines: list[str] = []
        for like, group in itertools.groupby(self.fields, _likeness):
            fields = list(group)
            hints = list(fields[0].hints())
            if like is not None and len(fields) > 1:
                lines.append(f"One line for each of {listed(field.label for field in fields)}, in this order:")
                hints[0] = hints[0].replace(fields[0].lead, "<its id and name>:", 1)
            lines += hints if like is not None else [line for field in fields for line in field.hints()]
        return "\n".join(lines)

    def alphabetic(self) -> "Form":
        """The same form without Chinese, Japanese and Korean characters in its texts and names."""
        return structs.replace(self, fields=tuple(map(_alphabetic, self.fields)))

    def most_chars(self) -> int:
        """Upper bound of the length of a filled-in form, in characters."""
        return sum(field.most_chars() for field in self.fields)

    def walk(self) -> Walk[Filled]:
        """Go through the form: yields `Step`s, is sent the free text of each, returns what was filled in."""
        entries: Entries = ()
        for field in self.fields:
            entries += yield from field.walk(field.lead)
        return Filled(entries)

    def parse(self, text: str) -> Filled:
        """What the text holds. Raises `NotFilled` unless the whole text is exactly one filled-in form."""
        walk, position = self.walk(), 0
        try:
            step = next(walk)
            while True:
                said, position = _read(step, text, position)
                step = walk.send(said)
        except StopIteration as end:
            if position != len(text):
                raise NotFilled(f"text behind the end of the form {self.name}") from None
            filled: Filled = end.value
            return filled

    def first(self, text: str, label: str) -> str:
        """The first text, name or pick given for `label`, also where the text stops behind it. Raises `NotFilled`."""
        walk, position = self.walk(), 0
        step = next(walk)
        while True:
            said, position = _read(step, text, position)
            if step.label == label:
                return said[1:-1].strip()
            step = _next(walk, said)

    def write(self, filled: Filled) -> str:
        entries = list(filled.entries)
        return "".join(field.write(entries) for field in self.fields)

    def lark(self) -> str:
        """The whole form as one Lark grammar for llguidance."""
        start, rules = self._grammar()
        return lark(start, rules)

    def gbnf(self) -> str:
        """The whole form as one GBNF grammar for llama.cpp servers."""
        start, rules = self._grammar()
        return gbnf(start, rules)

    def _grammar(self) -> tuple[Expression, Rules]:
        rules: Rules = {}
        return sequence(*(field.expression(rules) for field in self.fields)), rules


def _alphabetic(field: Field) -> Field:
    match field:
        case Text() | Name():
            return structs.replace(field, ideographs=False)
        case Choice():
            options = (structs.replace(o, then=tuple(map(_alphabetic, o.then))) for o in field.options)
            return structs.replace(field, options=tuple(options))
        case Repeat():
            return structs.replace(field, fields=tuple(map(_alphabetic, field.fields)))
    return field


def _likeness(field: Field) -> object:
    """What neighboring choices must have in common to be described together; None for other fields."""
    return (field.options, field.hint) if isinstance(field, Choice) else None


def _next(walk: Walk[Filled], said: str) -> Step:
    try:
        return walk.send(said)
    except StopIteration:
        raise NotFilled("the form has no such field") from None


def _read(step: Step, text: str, position: int) -> tuple[str, int]:
    """The free text of a step at `position`, and the position behind it."""
    if not text.startswith(step.literal, position):
        raise NotFilled("a label of the form is missing")
    position += len(step.literal)
    if step.free is None:
        return "", position
    match = pattern(step.free).match(text, position)
    if match is None:
        raise NotFilled(f"the field {step.label or 'next'} is not filled in as the form asks")
    return match.group(), match.end()


@functools.lru_cache(maxsize=4096)
def pattern(free: Expression) -> re.Pattern[str]:
    """The free part of a step as a compiled regex."""
    return re.compile(regex(free))


def has_ideographs(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters occur."""
    return any(low <= char <= high for char in text for low, high in IDEOGRAPHS)

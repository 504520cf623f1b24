"""Regular and context-free expressions, and their three notations: Python regex, Lark for llguidance, GBNF for servers.

Only what forms need. Names of rules are lower-case with hyphens in GBNF and underscores in Lark.
"""

import re
import sys
from collections.abc import Mapping
from typing import Union

from msgspec import Struct


class Literal(Struct, frozen=True):
    text: str


class Chars(Struct, frozen=True):
    """`low` to `high` characters that lie in (or, negated, outside) a set of ranges."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool
    low: int
    high: int


class Sequence(Struct, frozen=True):
    parts: tuple["Expression", ...]


class Either(Struct, frozen=True):
    options: tuple["Expression", ...]


class Times(Struct, frozen=True):
    part: "Expression"
    low: int
    high: int


class Rule(Struct, frozen=True):
    """A named rule; keeps the grammar small where an expression stands in many places."""

    name: str


Expression = Union[Literal, Chars, Sequence, Either, Times, Rule]


def sequence(*parts: Expression) -> Expression:
    return parts[0] if len(parts) == 1 else Sequence(parts)


def either(*options: Expression) -> Expression:
    return options[0] if len(options) == 1 else Either(options)


def _complement(ranges: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """All characters that lie in none of the ranges, as ranges."""
    rest, start = [], 0
    for low, high in sorted(ranges):
        if ord(low) > start:
            rest.append((chr(start), chr(ord(low) - 1)))
        start = max(start, ord(high) + 1)
    return (*rest, (chr(start), chr(sys.maxunicode)))


def _class(chars: Chars, escape_wide: str) -> str:
    def one(char: str) -> str:
        code = ord(char)
        if code < 0x20 or code == 0x7F:
            return f"\\x{code:02x}"
        if code > 0x7E:
            return escape_wide.format(code)
        return "\\" + char if char in r"\]^-[/\"" else char

    body = "".join(one(a) if a == b else f"{one(a)}-{one(b)}" for a, b in chars.ranges)
    return f"[{'^' if chars.negated else ''}{body}]"


def _times(low: int, high: int) -> str:
    if (low, high) == (1, 1):
        return ""
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def regex(expression: Expression) -> str:
    """The expression as a regex for Python's `re` and for llguidance. Raises `TypeError` on a named rule."""
    match expression:
        case Literal(text):
            return re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", text).replace("\n", "\\n")
        case Chars():
            return _class(expression, "\\u{:04x}") + _times(expression.low, expression.high)
        case Sequence(parts):
            return "".join(regex(part) for part in parts)
        case Either(options):
            return "(?:" + "|".join(regex(option) for option in options) + ")"
        case Times(part, low, high):
            return f"(?:{regex(part)}){{{low},{high}}}"
    raise TypeError("a named rule has no regex")


def _regular(expression: Expression) -> bool:
    match expression:
        case Sequence(parts) | Either(parts):
            return all(_regular(part) for part in parts)
        case Times(part):
            return _regular(part)
    return not isinstance(expression, Rule)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def lark(start: Expression, rules: Mapping[str, Expression]) -> str:
    """A Lark grammar in the dialect of llguidance; its start rule is `start`.

    What is regular becomes one regex: the lexer of llguidance is greedy, and neighboring regexes would take from each other.
    """

    def show(expression: Expression) -> str:
        match expression:
            case Literal(text):
                return _quoted(text)
            case Rule(name):
                return name.replace("-", "_")
            case _ if _regular(expression):
                return f"/{regex(expression)}/"
            case Sequence(parts):
                return "(" + " ".join(show(part) for part in parts) + ")"
            case Either(options):
                return "(" + " | ".join(show(option) for option in options) + ")"
            case Times(part, low, high):
                return f"({show(part)}){{{low},{high}}}"
        raise TypeError(expression)

    lines = [f"start: {show(start)}"]
    lines += [f"{name.replace('-', '_')}: {show(body)}" for name, body in rules.items()]
    return "\n".join(lines) + "\n"


def gbnf(start: Expression, rules: Mapping[str, Expression]) -> str:
    """A GBNF grammar as llama.cpp servers take it; its start rule is `root`.

    What is repeated becomes a rule of its own: llama.cpp counts its symbols once for each repetition and refuses too many.
    """
    repeated: dict[str, str] = {}

    def show(expression: Expression) -> str:
        match expression:
            case Literal(text):
                return _quoted(text)
            case Chars(ranges, negated, low, high):
                # llama.cpp refuses the first byte of a character where it could also begin one of a negated set
                inside = Chars(_complement(ranges) if negated else ranges, False, low, high)
                shown = _class(inside, "\\U{:08X}").replace("\\-", "\\x2d").replace("\\^", "\\x5e")
                return shown.replace("\\/", "/") + _times(low, high)
            case Sequence(parts):
                return "(" + " ".join(show(part) for part in parts) + ")"
            case Either(options):
                return "(" + " | ".join(show(option) for option in options) + ")"
            case Times(part, low, high):
                return f"{repeated.setdefault(show(part), f'repeated-{len(repeated) + 1}')}{{{low},{high}}}"
            case Rule(name):
                return name
        raise TypeError(expression)

    lines = [f"root ::= {show(start)}"]
    lines += [f"{name} ::= {show(body)}" for name, body in rules.items()]
    lines += [f"{name} ::= {body}" for body, name in repeated.items()]
    return "\n".join(lines) + "\n"

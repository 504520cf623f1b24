"""Fields of one line: free text, the name of a disease, a number."""

from collections.abc import Iterator

from msgspec import Struct

from core.forms.expression import Chars, Expression, Literal, Rule, Times, either, sequence
from core.forms.filled import Value, Written
from core.forms.walk import Entries, Rules, Step, Walk

CONTROL = (("\x00", "\x1f"), ("\x7f", "\x85"), ("\u2028", "\u2029"))
"""Line breaks and control characters: never part of a text."""
SPACE = ((" ", " "), ("\u00a0", "\u00a0"), ("\u2000", "\u200f"), ("\u3000", "\u3000"))
IDEOGRAPHS = (
    ("\u1100", "\u11ff"),
    ("\u2e80", "\ua4cf"),
    ("\uac00", "\ud7ff"),
    ("\uf900", "\ufaff"),
    ("\uff00", "\uffef"),
)
"""Chinese, Japanese and Korean. Small models slip into them in the middle of an English sentence."""
PUNCTUATION = (("!", "/"), (":", "@"), ("[", "`"), ("{", "~"))
NEWLINE = Literal("\n")


class Text(Struct, frozen=True, kw_only=True, tag="text"):
    """One line of free text, a sentence, with bounds in characters. A text that reaches `max_chars` is marked cut."""

    label: str
    hint: str = ""
    max_chars: int
    min_chars: int = 3
    ideographs: bool = True
    """False: without Chinese, Japanese and Korean characters."""

    @property
    def _outside(self) -> tuple[tuple[str, str], ...]:
        return CONTROL if self.ideographs else CONTROL + IDEOGRAPHS

    @property
    def lead(self) -> str:
        return f"{self.label}:"

    def most_chars(self) -> int:
        return len(self.lead) + self.max_chars + 2

    def hints(self) -> Iterator[str]:
        yield f"{self.lead} <{self.hint}, at most {self.max_chars // 7} words>"

    def free(self) -> Expression:
        first = Chars(self._outside + SPACE, True, 1, 1)
        rest = Chars(self._outside, True, self.min_chars - 1, self.max_chars - 1)
        return sequence(Literal(" "), first, rest, NEWLINE)

    def walk(self, lead: str) -> Walk[Entries]:
        step = Step(literal=lead, free=self.free(), label=self.label, one_sentence=True)
        said = (yield step)[1:-1]
        return ((self.label, Written(said, len(said) >= self.max_chars)),)

    def expression(self, rules: Rules) -> Expression:
        name = f"text-{self.min_chars}-{self.max_chars}" + ("" if self.ideographs else "-alphabetic")
        rules[name] = self.free()
        return sequence(Literal(self.lead), Rule(name))

    def write(self, entries: list[tuple[str, Value]]) -> str:
        value = entries.pop(0)[1]
        assert isinstance(value, Written)
        return f"{self.lead} {value.text}\n"


class Name(Struct, frozen=True, kw_only=True, tag="name"):
    """The name of one disease: words without brackets, slashes, colons or full stops, and without forbidden words."""

    label: str
    hint: str = ""
    max_words: int = 8
    max_word_chars: int = 48
    forbidden: tuple[str, ...] = ()
    """Lower-case ASCII words, for instance `or`, that would make two names out of one."""
    ideographs: bool = True
    """As in `Text`."""

    OUTSIDE = CONTROL + SPACE + (
        ('"', '"'), ("(", "("), (")", ")"), ("*", "*"), (".", "."), ("/", "/"), (":", ":"), (";", ";"), ("<", "<"),
        (">", ">"), ("[", "["), ("]", "]"), ("\\", "\\"), ("_", "_"), ("`", "`"), ("{", "{"), ("}", "}"), ("|", "|"),
    )  # fmt: skip

    @property
    def _outside(self) -> tuple[tuple[str, str], ...]:
        return self.OUTSIDE if self.ideographs else self.OUTSIDE + IDEOGRAPHS

    @property
    def lead(self) -> str:
        return f"{self.label}:"

    def most_chars(self) -> int:
        return len(self.lead) + self.max_words * (self.max_word_chars + 1) + 1

    def hints(self) -> Iterator[str]:
        yield f"{self.lead} <{self.hint}>"

    def word(self) -> Expression:
        return self._unlike("", self.forbidden, self.max_word_chars)

    def _unlike(self, seen: str, words: tuple[str, ...], room: int) -> Expression:
        """Up to `room` more characters, so that the whole word is none of `words`, which all start with `seen`."""
        heads = sorted({word[len(seen)] for word in words if len(word) > len(seen)})
        cases = tuple((c, c) for head in heads for c in (head, head.upper()))
        # a comma or dash at its ends leaves a forbidden word what it is
        apart = PUNCTUATION if not seen or seen in words else ()
        other = Chars(self._outside + cases + apart, True, 1, 1)
        options: list[Expression] = [sequence(other, Chars(self._outside, True, 0, room - 1))]
        for head in heads:
            longer = tuple(word for word in words if word.startswith(seen + head))
            first = Chars(((head, head), (head.upper(), head.upper())), False, 1, 1)
            options.append(sequence(first, self._unlike(seen + head, longer, room - 1)))
        if seen and seen not in words:
            options.append(Literal(""))
        return either(*options)

    def free(self) -> Expression:
        more = Times(sequence(Literal(" "), self.word()), 0, self.max_words - 1)
        return sequence(Literal(" "), self.word(), more, NEWLINE)

    def walk(self, lead: str) -> Walk[Entries]:
        said = (yield Step(literal=lead, free=self.free(), label=self.label))[1:-1]
        words = said.split(" ")
        cut = len(words) >= self.max_words or any(len(word) >= self.max_word_chars for word in words)
        return ((self.label, Written(said, cut)),)

    def expression(self, rules: Rules) -> Expression:
        name = f"name-{self.max_words}-{self.max_word_chars}" + "".join(f"-{word}" for word in self.forbidden)
        name += "" if self.ideographs else "-alphabetic"
        rules[name] = self.free()
        return sequence(Literal(self.lead), Rule(name))

    def write(self, entries: list[tuple[str, Value]]) -> str:
        value = entries.pop(0)[1]
        assert isinstance(value, Written)
        return f"{self.lead} {value.text}\n"


class Number(Struct, frozen=True, kw_only=True, tag="number"):
    """A whole number from `low` to `high`, at most a few hundred values."""

    label: str
    hint: str = ""
    low: int
    high: int

    @property
    def lead(self) -> str:
        return f"{self.label}:"

    def most_chars(self) -> int:
        return len(self.lead) + max(len(str(self.low)), len(str(self.high))) + 2

    def hints(self) -> Iterator[str]:
        yield f"{self.lead} <{self.hint}, a whole number from {self.low} to {self.high}>"

    def free(self) -> Expression:
        numbers = (Literal(str(number)) for number in range(self.low, self.high + 1))
        return sequence(Literal(" "), either(*numbers), NEWLINE)

    def walk(self, lead: str) -> Walk[Entries]:
        return ((self.label, int((yield Step(literal=lead, free=self.free(), label=self.label)))),)

    def expression(self, rules: Rules) -> Expression:
        return sequence(Literal(self.lead), self.free())

    def write(self, entries: list[tuple[str, Value]]) -> str:
        return f"{self.lead} {entries.pop(0)[1]}\n"

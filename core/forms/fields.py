"""The kinds of fields, and those that choose or repeat.

Every field can say what it wants in words (`hints`), walk through itself (`walk`), give its grammar (`expression`) and write a
value back as text (`write`). Text and numbers stand on one line, `LABEL: value`; a line break ends a field, so a field can never
run into the next one.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import Union

import msgspec
from msgspec import Struct

from core.forms.expression import Expression, Literal, Rule, either, sequence
from core.forms.filled import Filled, Picked, Repeated, Value, Written
from core.forms.lines import NEWLINE, Name, Number, Text
from core.forms.walk import Entries, Rules, Step, Walk

END = "END\n"
MOST_GRAMMAR_OPTIONS = 20_000
"""Beyond this many alternatives the one-piece grammar of distinct picks allows repeats; walking never does."""


class Option(Struct, frozen=True, kw_only=True):
    name: str
    then: tuple["Field", ...] = ()
    """Fields that follow only where this option was taken."""


class Choice(Struct, frozen=True, kw_only=True, tag="choice"):
    """One of several options: a fixed word, or the id of a finding, claim or diagnosis that exists."""

    label: str
    hint: str = ""
    options: tuple[Option, ...]
    title: str = ""
    """Stands behind the label and says what the id in it means."""
    told: str = ""
    """Says in the instructions what can be chosen, where a list of all options would only be long."""

    @property
    def lead(self) -> str:
        return f"{self.label} {self.title}:" if self.title else f"{self.label}:"

    def most_chars(self) -> int:
        options = (len(o.name) + sum(field.most_chars() for field in o.then) for o in self.options)
        return len(self.lead) + max(options) + 2

    def hints(self) -> Iterator[str]:
        yield f"{self.lead} <{f'{self.hint}: ' if self.hint else ''}{self.told or listed(o.name for o in self.options)}>"
        groups: dict[tuple[Field, ...], list[str]] = {}
        for option in self.options:
            groups.setdefault(option.then, []).append(option.name)
        for then, names in groups.items():
            if then:
                yield f"after {listed(names)} also:" if len(groups) > 1 else "then:"
                for field in then:
                    yield from field.hints()

    def free(self) -> Expression:
        return sequence(Literal(" "), either(*(Literal(option.name) for option in self.options)), NEWLINE)

    def walk(self, lead: str) -> Walk[Entries]:
        said = (yield Step(literal=lead, free=self.free(), label=self.label))[1:-1]
        (chosen,) = (option for option in self.options if option.name == said)
        entries: Entries = ((self.label, Picked((said,))),)
        for field in chosen.then:
            entries += yield from field.walk(field.lead)
        return entries

    def expression(self, rules: Rules) -> Expression:
        return sequence(Literal(self.lead), either(*(self.taken(option, rules) for option in self.options)))

    def taken(self, option: Option, rules: Rules) -> Expression:
        """What stands behind the label where this option was taken."""
        return sequence(Literal(f" {option.name}\n"), *(field.expression(rules) for field in option.then))

    def write(self, entries: list[tuple[str, Value]]) -> str:
        value = entries.pop(0)[1]
        assert isinstance(value, Picked)
        (chosen,) = (option for option in self.options if option.name == value.options[0])
        return f"{self.lead} {chosen.name}\n" + "".join(field.write(entries) for field in chosen.then)


class Picks(Struct, frozen=True, kw_only=True, tag="picks"):
    """`low` to `high` different options, in any order, separated by commas; `none` where `low` is 0."""

    label: str
    hint: str = ""
    options: tuple[str, ...]
    low: int
    high: int
    told: str = ""
    """As in `Choice`."""

    @property
    def lead(self) -> str:
        return f"{self.label}:"

    @property
    def most(self) -> int:
        return min(self.high, len(self.options))

    @property
    def least(self) -> int:
        return min(self.low, len(self.options))

    def most_chars(self) -> int:
        return len(self.lead) + self.most * (max(map(len, self.options), default=0) + 2) + len(" none\n")

    def hints(self) -> Iterator[str]:
        count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        none = ', or "none"' if self.least == 0 else ""
        yield f"{self.lead} <{self.hint}: {count} of {self.told or listed(self.options)}, separated by commas{none}>"

    def _ends(self, count: int) -> Expression:
        """What may stand behind the pick number `count`."""
        more = () if count >= self.most else (Literal(","),)
        return either(*more, *(() if count < self.least else (NEWLINE,)))

    def free(self, used: tuple[str, ...]) -> Expression:
        left = (Literal(f" {option}") for option in self.options if option not in used)
        pick = sequence(either(*left), self._ends(len(used) + 1)) if len(used) < self.most else None
        none = (Literal(" none\n"),) if not used and self.least == 0 else ()
        return either(*none, *(() if pick is None else (pick,)))

    def walk(self, lead: str) -> Walk[Entries]:
        used: tuple[str, ...] = ()
        more = True
        while more:
            said = yield Step(literal="" if used else lead, free=self.free(used), label=self.label)
            if said != " none\n":
                used += (said[1:-1],)
            more = said.endswith(",")
        return ((self.label, Picked(used)),)

    def expression(self, rules: Rules) -> Expression:
        return sequence(Literal(self.lead), self._state((), rules, _tellable(len(self.options), self.most)))

    def _state(self, used: tuple[str, ...], rules: Rules, exact: bool) -> Expression:
        """The rule for what may follow after `used`, order aside."""
        name = _rule_name("picks", self.options, self.low, self.high, sorted(used) if exact else len(used))
        if name in rules:
            return Rule(name)
        rules[name] = Literal("")  # taken before the recursion reaches it again
        branches: list[Expression] = [Literal(" none\n")] if not used and self.least == 0 else []
        for option in self.options if len(used) < self.most else ():
            if exact and option in used:
                continue
            following = (*used, option)
            ends: list[Expression] = [] if len(following) < self.least else [NEWLINE]
            if len(following) < self.most:
                ends.append(sequence(Literal(","), self._state(following, rules, exact)))
            branches.append(sequence(Literal(f" {option}"), either(*ends)))
        rules[name] = either(*branches)
        return Rule(name)

    def write(self, entries: list[tuple[str, Value]]) -> str:
        value = entries.pop(0)[1]
        assert isinstance(value, Picked)
        return f"{self.lead} {', '.join(value.options) or 'none'}\n"


class Repeat(Struct, frozen=True, kw_only=True, tag="repeat"):
    """The same fields `low` to `high` times, closed by a line END.

    With `distinct`, what the first field holds may stand in the list only once. A name given again ends the list there; of the
    options of a choice only those that are left can be taken.
    """

    label: str
    hint: str = ""
    fields: tuple["Field", ...]
    low: int
    high: int
    distinct: bool = False

    @property
    def lead(self) -> str:
        return self.fields[0].lead if self.least else ""

    @property
    def _chosen(self) -> Choice | None:
        """The first field where it is a choice whose options are used up one by one."""
        return self.fields[0] if self.distinct and isinstance(self.fields[0], Choice) else None

    @property
    def most(self) -> int:
        return min(self.high, len(self._chosen.options)) if self._chosen else self.high

    @property
    def least(self) -> int:
        return min(self.low, self.most)

    def most_chars(self) -> int:
        return self.most * sum(field.most_chars() for field in self.fields) + len(END)

    def hints(self) -> Iterator[str]:
        count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        yield f"{count} times the following lines ({self.hint}), then a line END:"
        for field in self.fields:
            yield from field.hints()

    def _first(self, used: tuple[str, ...]) -> "Field":
        """The first field with what is still free to take."""
        if self._chosen is None:
            return self.fields[0]
        left = tuple(option for option in self._chosen.options if option.name not in used)
        return msgspec.structs.replace(self._chosen, options=left)

    def walk(self, lead: str) -> Walk[Entries]:
        items: list[Filled] = []
        used: tuple[str, ...] = ()
        while len(items) < self.most:
            first = self._first(used)
            opener = first.lead if items else lead
            if len(items) >= self.least:
                if (yield Step(literal="", free=either(Literal(first.lead), Literal(END)))) == END:
                    return self._value(items, None)
                opener = ""
            entries = yield from first.walk(opener)
            if self.distinct:
                said = entries[0][1]
                key = said.options[0] if isinstance(said, Picked) else _key(said)
                if isinstance(said, Written) and (yield from self._ends_here(key in used)):
                    return self._value(items, said)
                used += (key,)
            for index, field in enumerate(self.fields[1:]):
                written = self.distinct and index == 0 and self._chosen is None
                entries += yield from field.walk("" if written else field.lead)
            items.append(Filled(entries))
        yield Step(literal=END)
        return self._value(items, None)

    def _ends_here(self, again: bool) -> Walk[bool]:
        """Behind a name: the list ends where the name was given before, else the next field begins."""
        following = self.fields[1].lead
        step = Step(literal="", free=either(Literal(following), Literal(END)), default=END if again else following)
        return (yield step) == END

    def _value(self, items: list[Filled], repeated: Written | None) -> Entries:
        return ((self.label, Repeated(tuple(items), repeated)),)

    def expression(self, rules: Rules) -> Expression:
        options = len(self._chosen.options) if self._chosen else 1
        return self._from((), rules, _tellable(options, self.most if self._chosen else 1))

    def _from(self, used: tuple[str, ...], rules: Rules, exact: bool) -> Expression:
        """The rule for what may follow after the items `used`, order aside."""
        name = _rule_name("items", self.label, self.fields, self.low, self.high, sorted(used) if exact else len(used))
        if name in rules:
            return Rule(name)
        end = Literal(END)
        if len(used) >= self.most:
            return end
        rules[name] = end  # taken before the recursion reaches it again
        tail = [field.expression(rules) for field in self.fields[1:]]
        if self._chosen is not None:
            options = (
                sequence(self._chosen.taken(option, rules), *tail, self._from((*used, option.name), rules, exact))
                for option in self._chosen.options
                if not exact or option.name not in used
            )
            # the label stands once before all options: for a greedy lexer it must not be the start of another lexeme
            item = sequence(Literal(self._chosen.lead), either(*options))
        else:
            more = sequence(*tail, self._from((*used, str(len(used))), rules, exact))
            item = sequence(self.fields[0].expression(rules), either(more, end) if self.distinct else more)
        rules[name] = item if len(used) < self.least else either(item, end)
        return Rule(name)

    def write(self, entries: list[tuple[str, Value]]) -> str:
        value = entries.pop(0)[1]
        assert isinstance(value, Repeated)
        lines = []
        for item in value.items:
            inner = list(item.entries)
            lines += [field.write(inner) for field in self.fields]
        if value.repeated is not None:
            lines.append(self.fields[0].write([("", value.repeated)]))
        return "".join(lines) + END


Field = Union[Text, Name, Number, Choice, Picks, Repeat]


def _key(written: Value) -> str:
    """A name without regard to case and spacing."""
    assert isinstance(written, Written)
    return " ".join(written.text.casefold().split())


def _tellable(options: int, most: int) -> bool:
    """Whether a grammar in one piece can keep apart which of the options were taken, order aside."""
    return sum(math.comb(options, taken) for taken in range(most)) * options <= MOST_GRAMMAR_OPTIONS


def _rule_name(kind: str, *key: object) -> str:
    return f"{kind}-{hashlib.blake2b(repr(key).encode(), digest_size=8).hexdigest()}"


def listed(options: Iterable[str]) -> str:
    """The options in words; four or more ids in a row, such as S1, S2, S3, S4, are told by the first and the last."""
    runs: list[list[str]] = []
    for option in options:
        if runs and _number(option) == _number(runs[-1][-1]) + 1 and option.rstrip("0123456789") == _letters(runs[-1]):
            runs[-1].append(option)
        else:
            runs.append([option])
    told = (f"{run[0]} to {run[-1]}" if len(run) > 3 else " / ".join(run) for run in runs)
    return " / ".join(told)


def _letters(run: list[str]) -> str:
    return run[-1].rstrip("0123456789")


def _number(option: str) -> int:
    """The number at the end of an id; far from all others where there is none."""
    digits = option[len(option.rstrip("0123456789")) :]
    return int(digits) if digits else -9


def words(label: str, *options: str, hint: str = "", told: str = "") -> Choice:
    """A choice between fixed words or existing ids without follow-up fields."""
    return Choice(label=label, hint=hint, told=told, options=tuple(Option(name=option) for option in options))


__all__ = ["Choice", "Field", "Name", "Number", "Option", "Picks", "Repeat", "Text", "words"]

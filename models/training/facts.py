"""Tables of clinical facts: what is true, what excludes it, and what is beside the point.

Format of a table, one entry a line, wordings separated by " / ":
    @ wordings of a subject; what follows is said of it. A lone `@` ends the subject: wordings are whole sentences
    = wordings of something true: starts a fact
    ! wordings of one thing that excludes it (each `!` line another one)
    ~ sentences about another aspect, neutral to every wording of the fact
A wording that starts with `^` is a whole sentence and takes no subject.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

Wordings = tuple[str, ...]
"""Clauses that say the same, without full stop."""


class Fact(Struct, frozen=True, kw_only=True):
    topic: str
    """Table and number, for instance `facts_drugs/17`."""
    subject: Wordings
    """Empty where every wording is a whole sentence."""
    true: Wordings
    false: tuple[Wordings, ...]
    """Each excludes `true`. They need not exclude one another."""
    asides: Wordings = ()
    """About another aspect."""


class _Open(Struct, kw_only=True):
    subject: Wordings
    true: Wordings
    false: list[Wordings]
    asides: Wordings = ()


def read_facts(path: Path) -> list[Fact]:
    """Raises `ValueError` with the number of the line that cannot be read."""
    facts: list[Fact] = []
    open_fact: _Open | None = None
    subject: Wordings = ()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        mark, wordings = line[:1], _wordings(line[1:])
        if mark in ("", "#"):
            continue
        if mark in "@=":
            facts += _closed(open_fact, f"{path.stem}/{len(facts)}")
            open_fact = None
        if mark == "@":
            subject = wordings
        elif mark == "=":
            open_fact = _Open(subject=subject, true=wordings, false=[])
        elif mark == "!" and open_fact:
            open_fact.false.append(wordings)
        elif mark == "~" and open_fact:
            open_fact.asides += wordings
        else:
            raise ValueError(f"{path.name}, line {number}: not an entry of a table of facts")
    return facts + _closed(open_fact, f"{path.stem}/{len(facts)}")


def _closed(fact: _Open | None, topic: str) -> list[Fact]:
    if fact is None:
        return []
    if not fact.true or not fact.false:
        raise ValueError(f"{topic}: a fact needs at least one true and one false wording")
    return [Fact(topic=topic, subject=fact.subject, true=fact.true, false=tuple(fact.false), asides=fact.asides)]


def _wordings(text: str) -> Wordings:
    return tuple(wording.strip().rstrip(".") for wording in text.split(" / ") if wording.strip())


def read_tables(folder: Path, prefix: str) -> list[Fact]:
    """All facts of the tables whose names begin so, in the order of the names."""
    return [fact for path in sorted(folder.glob(f"{prefix}*.txt")) for fact in read_facts(path)]


def said_of(subject: str, wording: str) -> str:
    """The clause. `subject` is ignored where the wording is a whole sentence."""
    return wording[1:].strip() if wording.startswith("^") else f"{subject} {wording}".strip()


def of_one_subject(facts: Iterable[Fact]) -> dict[Wordings, list[Fact]]:
    groups: dict[Wordings, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(fact.subject, []).append(fact)
    return groups

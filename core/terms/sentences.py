"""Cutting clinical text into sentences and list items. Every character that is not white space stays in one of them."""

import re

_TITLES = frozenset(
    {
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "st",
        "vs",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "cf",
        "fig",
        "no",
        "nr",
        "approx",
        "ca",
        "z.b",
        "d.h",
        "u.a",
        "sr",
        "sra",
        "mme",
        "bzw",
        "incl",
        "esp",
        "resp",
    }
)
"""Abbreviations that never end a sentence."""
_SHORT_FORMS = frozenset(
    {
        "b.i.d",
        "t.i.d",
        "q.i.d",
        "q.d",
        "q.h",
        "p.o",
        "i.v",
        "i.m",
        "s.c",
        "p.r.n",
        "h.s",
        "a.m",
        "p.m",
        "yr",
        "yrs",
        "mo",
        "mos",
        "wk",
        "wks",
        "hr",
        "hrs",
        "min",
        "sec",
        "wt",
        "ht",
        "temp",
        "abd",
        "hosp",
        "dept",
        "hx",
        "dx",
        "tx",
        "rx",
        "pt",
        "pts",
        "neg",
        "pos",
        "ext",
        "etc",
        "max",
        "avg",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "ggf",
        "u.s",
    }
)
"""Abbreviations that end a sentence only where a capital letter follows."""
_LETTER_NAMES = frozenset(
    {
        "hepatitis",
        "vitamin",
        "type",
        "group",
        "grade",
        "class",
        "stage",
        "factor",
        "hemophilia",
        "haemophilia",
        "influenza",
        "protein",
        "lead",
        "bipolar",
        "and",
        "or",
        "to",
        "is",
        "was",
    }
)
"""Words after which a single capital letter is a name of its own, so that a full stop behind it ends the sentence."""
_BULLET = re.compile(r"\s*(?:[-*•‣◦·\u2013\u2014▪●]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)])\s+(?=\S)")
_STOP = re.compile(
    r"(?P<wide>[。\uff01\uff1f]+[」』”]?)\s*"
    r"|(?P<stop>[.!?…؟।]+[\"'”\u2019»)\]]*)(?:\s+|$)"
    r"|(?<=[a-z]{2})(?P<tight>\.)(?=[A-Z][a-z])"
)
_ITEM_NUMBER = re.compile(r"\s(?=\(?(\d{1,3})[.)]\s)")
_LOOK_BACK = 80
"""Characters before a full stop that decide what it means."""
_OPENERS = "\"'“\u2018«([¿¡<*-•"
_WRAPPED_AT = 50
"""Characters: a line that is at least so long may have been wrapped in the middle of a sentence."""


def split_sentences(text: str) -> tuple[str, ...]:
    """Sentences and list items of `text` in order, white space within them made single; none is empty. Rules of dashes
    and the like belong to the sentence before them.

    A line ends a sentence, unless it is long and goes on in lower case or with a number. Abbreviations, decimals,
    initials and numbers of list items do not end one.
    """
    items = (item for line in _logical_lines(text) for item in _numbered_items(line))
    pieces = (piece for item in items for piece in _split_line(item))
    sentences: list[str] = []
    for piece in pieces:
        sentence = " ".join(piece.split())
        if sentences and sentence and not (_has_word(sentence) and _has_word(sentences[-1])):
            sentences[-1] += " " + sentence
        elif sentence:
            sentences.append(sentence)
    return tuple(sentences)


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _logical_lines(text: str) -> list[str]:
    lines: list[str] = []
    previous = ""
    for line in text.splitlines():
        if previous and _goes_on(previous, line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
        previous = line.strip()
    return lines


def _goes_on(previous: str, line: str) -> bool:
    """Whether `line` continues the sentence of the long line above it."""
    if len(previous) < _WRAPPED_AT or previous[-1] in ".!?:;。\uff01\uff1f" or _BULLET.match(line):
        return False
    first = line.strip()[:1]
    return first.islower() or first.isdigit() or first == "(" or (bool(first) and previous[-1] == ",")


def _numbered_items(line: str) -> list[str]:
    """`1. Cough 2. Rash` as its items; a line that does not begin with 1 is one item."""
    items, start, number = [], 0, 1
    if not re.match(r"\s*\(?1[.)]\s", line):
        return [line]
    for item in _ITEM_NUMBER.finditer(line):
        if int(item[1]) == number + 1:
            items.append(line[start : item.start()])
            start = item.end()
            number += 1
    return [*items, line[start:]]


def _split_line(line: str) -> list[str]:
    pieces, start = [], 0
    bullet = _BULLET.match(line)
    for match in _STOP.finditer(line, bullet.end() if bullet else 0):
        before = line[max(start, match.start() - _LOOK_BACK) : match.start()]
        if match["stop"] and not _ends_sentence(before, match["stop"], line[match.end() : match.end() + 1]):
            continue
        if match["tight"] and _last_word(before).lower() in _TITLES:
            continue
        pieces.append(line[start : match.end()])
        start = match.end()
    return [*pieces, line[start:]]


def _last_word(before: str) -> str:
    words = before.split()
    return words[-1].lstrip("(\"'[") if words else ""


def _ends_sentence(before: str, stop: str, after: str) -> bool:
    """Whether `stop` between `before` and `after` (one character) ends a sentence."""
    if not after or stop[0] != ".":
        return True
    word, following = _last_word(before), after[0]
    lower = word.lower()
    if stop.startswith("..") and following.islower():
        return False
    if lower in _TITLES or not word:
        return False
    if before.strip() == word and word.isdigit():
        return False
    if len(word) == 1 and word.isalpha():
        earlier = before.split()[-2:-1]
        return bool(earlier) and earlier[0].lower() in _LETTER_NAMES and not following.islower()
    if following.islower():
        return len(word) > 2 and lower not in _SHORT_FORMS and "." not in word
    if lower in _SHORT_FORMS:
        return following.isupper()
    return following.isalnum() or following in _OPENERS or not following.isascii()

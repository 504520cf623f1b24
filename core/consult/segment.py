"""Steps of reasoning in free text: sentences and list items, by fixed rules. Source: protocol section 6."""

import re

from core.terms.sentences import split_sentences

LEAST_WORDS = 4
"""Shorter pieces are headings, labels and interjections, no steps."""
_MARK = re.compile(r"^(?:[-*•‣◦·\u2013\u2014▪●]+|\(?\d{1,2}[.)]|\(?[a-z][.)]|\(?[A-Z]\)|#{1,6})\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def segment(text: str) -> tuple[str, ...]:
    """The steps of `text` in order, without list marks and emphasis. Pieces below four words are left out.

    Languages that write without spaces count one word for every two characters.
    """
    pieces = (_MARK.sub("", _EMPHASIS.sub("", sentence)).strip() for sentence in split_sentences(text))
    return tuple(piece for piece in pieces if _words(piece) >= LEAST_WORDS)


def _words(piece: str) -> int:
    unspaced = len(_UNSPACED.findall(piece))
    spaced = sum(any(character.isalnum() for character in word) for word in _UNSPACED.sub(" ", piece).split())
    return spaced + unspaced // 2

"""Exchange words of a sentence for others that say the same: the model must not cling to the tables' own words."""

import re
import tomllib
from pathlib import Path
from random import Random

import msgspec

from models.training.pairs import Pair, normalized

_CHANCE = 0.35
"""Of each phrase that could be exchanged, in a sentence that is chosen for it."""
_BY_SOUND = re.compile(r"\b([Aa])n? (?=(\w+))")
_SILENT = ("eu", "uni", "uri", "ure", "ute")


class Synonyms:
    def __init__(self, groups: list[tuple[str, ...]]) -> None:
        self._others = {phrase: tuple(p for p in group if p != phrase) for group in groups for phrase in group}
        longest_first = sorted(self._others, key=len, reverse=True)
        self._phrases = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b")

    def reworded(self, pair: Pair, rng: Random) -> Pair:
        """The pair with some words exchanged on one side or both, unless that would make the two equal."""
        premise, hypothesis = (self._exchange(text, rng) for text in (pair.premise, pair.hypothesis))
        if normalized(premise) == normalized(hypothesis):
            return pair
        return msgspec.structs.replace(pair, premise=premise, hypothesis=hypothesis)

    def _exchange(self, text: str, rng: Random) -> str:
        if rng.random() < 0.4:
            return text

        def other(found: re.Match[str]) -> str:
            if rng.random() >= _CHANCE:
                return found[1]
            said = rng.choice(self._others[found[1]])
            # `CSF` may open a sentence, and what stands for it is written small.
            return said[0].upper() + said[1:] if found.start() == 0 else said

        # `a severe` may become `a intense`, and `the hypokalemia` has an article already.
        changed = re.sub(
            r"\b(the|a|an|no|his|her|this|The|No|His|Her|This) an? ", r"\1 ", self._phrases.sub(other, text)
        )
        return _BY_SOUND.sub(_with_article, changed) if changed != text else text


def _with_article(found: re.Match[str]) -> str:
    letter, word = found[1], found[2]
    if not word.islower() or len(word) == 1:
        return found[0]  # an abbreviation: how it sounds is not in its letters
    vowel = word[0] in "aeiou" and not word.startswith(_SILENT)
    return f"{letter}n " if vowel else f"{letter} "


def read_synonyms(path: Path) -> Synonyms:
    return Synonyms(msgspec.convert(tomllib.loads(path.read_text("utf-8"))["groups"], list[tuple[str, ...]]))

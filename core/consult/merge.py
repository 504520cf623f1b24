"""When two names are one diagnosis: only if their canonical terms are equal.

A canonical term is the normal spelling of a name, replaced by the preferred name of its concept where the table of
diseases has one. Nothing is merged by overlap, substring or similarity, and no word is left out, so qualifiers and
numbers count.
Source: protocol section 4.
"""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import combinations

from core.terms.diseases import Concept, find_concept
from core.terms.spelling import normal_spelling

_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_SMALL_WORDS = frozenset({"of", "the", "and", "in", "with", "due", "to"})
_QUALIFIERS = frozenset(
    {
        "acute",
        "subacute",
        "chronic",
        "primary",
        "secondary",
        "left",
        "right",
        "upper",
        "lower",
        "central",
        "peripheral",
        "nephrogenic",
        "obstructive",
        "stable",
        "unstable",
        "reduced",
        "preserved",
        "viral",
        "bacterial",
        "benign",
        "malignant",
        "inferior",
        "superior",
        "anterior",
        "posterior",
        "with",
        "without",
    }
)
_SIMILAR = 0.85
"""Ours: least share of equal letters, 0..1, of names that are suggested as possibly the same."""
_SHARED_WORDS = 0.6
"""Ours: least share of common words, 0..1, of the same."""


def canonical(name: str) -> str:
    """The canonical term of `name`: lower case, single spaces. Idempotent.

    Equal terms, and only they, are one diagnosis. A name without any letter or digit is its own term.
    """
    concept, spelling = _look_up(name)
    return concept.canonical if concept else spelling


def same_diagnosis(a: str, b: str) -> bool:
    """Whether both names have the same canonical term."""
    return canonical(a) == canonical(b)


def preferred(name: str) -> tuple[str, str | None]:
    """Name to show and ICD-10-CM code. A name that the table does not know is shown as written, without a code."""
    concept, _ = _look_up(name)
    return (concept.name, concept.icd10) if concept else (name.strip(), None)


def possibly_same(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that look alike and are left apart: suggestions for the clinician, never a merge.

    Pairs stand in the order of `names`. Names that differ only in a qualifier or a number are no suggestion.
    """
    return tuple((a, b) for a, b in combinations(names, 2) if _look_alike(canonical(a), canonical(b)))


def _look_up(name: str) -> tuple[Concept | None, str]:
    plain = _without_checked_abbreviations(name)
    spelling = normal_spelling(plain) or " ".join(name.casefold().split())
    return find_concept(spelling), spelling


def _without_checked_abbreviations(name: str) -> str:
    """`name` without bracketed abbreviations of the words before them; other brackets keep their content."""
    while True:
        for match in _BRACKET.finditer(name):
            before = name[: match.start()]
            if _stands_for(match[1], before):
                name = before + name[match.end() :]
                break
        else:
            return name


def _stands_for(bracketed: str, before: str) -> bool:
    inside, outside = normal_spelling(bracketed), normal_spelling(before)
    concept_inside, concept_outside = find_concept(inside), find_concept(outside)
    if concept_inside and concept_outside:
        return concept_inside == concept_outside
    return len(inside) > 1 and inside in _initials(outside)


def _initials(spelling: str) -> tuple[str, str]:
    """First letters of the words, with and without small words. Numbers are kept whole."""
    words = spelling.split()
    letters = [word if word.isdigit() else word[0] for word in words]
    large = [letter for letter, word in zip(letters, words, strict=True) if word not in _SMALL_WORDS]
    return "".join(letters), "".join(large)


def _look_alike(a: str, b: str) -> bool:
    if a == b:
        return False
    words_a, words_b = set(a.split()), set(b.split())
    only_a, only_b = words_a - words_b, words_b - words_a
    if only_a and only_b and all(map(_qualifies, only_a | only_b)):
        return False
    shared = len(words_a & words_b) / max(1, min(len(words_a), len(words_b)))
    return shared > _SHARED_WORDS or SequenceMatcher(None, a, b, autojunk=False).ratio() >= _SIMILAR


def _qualifies(word: str) -> bool:
    return word in _QUALIFIERS or word.isdigit() or len(word) == 1

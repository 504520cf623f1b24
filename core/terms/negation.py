"""Which words of a sentence say that something is absent.

A cue (`no`, `denies`, `negative for`) reaches to the end of its clause and over the list that follows it. Wordings that
look like a cue and are none (`no relief`, `not only`) do not count: it is safer to take a finding as present.
Source: the idea of cue, scope and pseudo-cue is NegEx (Chapman et al. 2001); word lists and clause rules are ours.
"""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

_EXPECTED = r"(?:pulses?|reflex(?:es)?|breath sounds|bowel sounds|heart sounds|red reflex|fetal movements?)"
"""What is expected in everybody: that it is absent is a finding of its own."""
_PSEUDO = re.compile(
    r"\b(?:(?:no|without|not|never)\s+(?:\w+\s+)?(?:relief|relieved|improve\w*|change[sd]?|better|response|respond\w*|"
    r"increase[sd]?|decrease[sd]?|resol\w+|avail|recovery|lactation|flatus|meconium|urine)|"
    rf"(?:no|absent|without|absence of)\s+(?:\w+\s+)?{_EXPECTED}|{_EXPECTED}\s+(?:is|are|was|were)\s+absent|"
    r"not\s+(?:only|just|certain|sure|necessarily|ruled out|excluded|been ruled out)|"
    r"no\s+(?:longer|doubt|less|more than|sooner|one\s+(?:cause|reason|thing))|"
    r"(?:cannot|can't|could not)\s+(?:be\s+)?(?:excluded?|rule[d]? out)|"
    r"without\s+(?:warning|provocation|apparent|obvious|treatment|delay)|gram[- ]negative|rh[- ]negative)\b",
    re.IGNORECASE,
)
_VERB = (
    r"(?:have|had|has|having|report|complain of|show|reveal|describe|endorse|experience|note|notice|demonstrate|appear|"
    r"smoke|drink|use|take|feel|see|recall|mention)"
)
_STATE = (
    r"(?:present|seen|noted|found|detected|observed|identified|tender|distended|febrile|jaundiced|icteric|cyanotic|"
    r"pregnant|enlarged|erythematous|swollen|associated with|accompanied by|taking|using|any)"
)
_FORWARD = re.compile(
    r"\b(?:no(?!\.)|denies|denied|deny|denying|without|absence of|absent|lack of|lacks|negative for|free of|free from|"
    r"never|neither|nor|none|nil|rules? out|ruled out|"
    rf"(?:does|do|did|has|have|had)(?:\s+not|n't)\s+(?:had\s+)?(?:been\s+)?(?:{_VERB}|{_STATE}|any)\b|"
    rf"(?:is|are|was|were)(?:\s+not|n't)\s+{_STATE}|not\s+(?:have|having|had|any|complaining of)|"
    r"kein\w*|ohne|verneint|niega|sin|nega|senza|sem|sans|nie|pas\s+d[e'\u2019])(?!\w)",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"(?:\b(?:is|are|was|were|been|remains?)\s+|:\s*|\s[-\u2013]\s*|=\s*)"
    rf"(?:absent|negative|denied|ruled out|excluded|none|no|nil|unremarkable for|not\s+{_STATE})\b\W*$",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"(?P<stop>;|\s*\b(?:but|however|although|though|except|apart from|aside from|other than|besides|yet|while|whereas|"
    r"aber|pero|mais|jedoch|sino)\b)|(?P<pair>,?\s*\b(?:and|or|nor|und|oder|y|o|et|ou|e)\b|/)|(?P<comma>,(?!\d))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:has|had|is|was|are|were|reports?|reported|complains?|presents?|presented|shows?|showed|reveals?|revealed|"
    r"develop(?:s|ed)|states?|endorses?|admits?|takes?|appears?|became|positive|he|she|they|his|her|started|began|"
    r"worsen(?:s|ed)|hat|tiene|presenta|refiere)\b|\d",
    re.IGNORECASE,
)
_INTRODUCING = re.compile(
    r"\b(?:shows?|showed|reveals?|revealed|demonstrates?|demonstrated|has|had|have|is|are|was|were|there|reports?|"
    r"reported|states?|stated|says|said|found|with|exhibits?|notes?|noted|and|also|currently)\W*$",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(
    {
        "a",
        "an",
        "the",
        "he",
        "she",
        "they",
        "it",
        "his",
        "her",
        "their",
        "patient",
        "pt",
        "woman",
        "man",
        "boy",
        "girl",
        "child",
        "mother",
        "father",
        "parents",
        "family",
        "there",
        "is",
        "are",
        "was",
        "were",
        "has",
        "had",
        "have",
        "on",
        "in",
        "of",
        "at",
        "for",
        "to",
        "and",
        "or",
        "also",
        "currently",
        "any",
        "examination",
        "exam",
        "physical",
        "auscultation",
        "palpation",
        "review",
        "systems",
        "history",
        "past",
        "medical",
        "surgical",
        "social",
        "x-ray",
        "ct",
        "mri",
        "ecg",
        "ekg",
        "test",
        "tests",
        "laboratory",
        "studies",
        "study",
        "ultrasound",
        "urinalysis",
        "culture",
        "cultures",
        "reports",
        "report",
        "states",
        "shows",
        "reveals",
        "otherwise",
        "today",
        "that",
        "this",
        "these",
        "who",
        "she's",
        "he's",
        "der",
        "die",
        "das",
        "patientin",
        "el",
        "la",
        "le",
        "les",
        "il",
        "paziente",
        "paciente",
        "y",
        "o",
        "et",
    }
)
_SUBJECT_WORDS = 4
"""Ours: so many words before `shows no ...` are its subject and assert nothing."""
_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")


class Span(Struct, frozen=True, kw_only=True):
    """Characters start..stop (exclusive) of a sentence."""

    start: int
    stop: int
    opens_with_cue: bool = False
    """False where what denies it stands behind it, or before the list it belongs to."""


class _Clause(Struct, kw_only=True):
    start: int
    stop: int
    joint: str
    """How it is joined to the clause before: `stop`, `pair`, `comma`, or empty for the first."""
    negated_from: int | None = None
    opens_with_cue: bool = False


@lru_cache(maxsize=8)
def negated_spans(sentence: str) -> tuple[Span, ...]:
    """The stretches of `sentence` that a negation covers, cue included, in order; they do not overlap."""
    return tuple(
        Span(start=clause.negated_from, stop=clause.stop, opens_with_cue=clause.opens_with_cue)
        for clause in _read_clauses(sentence)
        if clause.negated_from is not None
    )


def is_negated(spans: tuple[Span, ...], start: int, stop: int) -> bool:
    """Whether the words at start..stop are denied. A cue among these words (`absent breath sounds`) denies nothing."""
    place = bisect_right(spans, start, key=lambda span: span.start)
    if place == 0:
        return False
    span = spans[place - 1]
    is_cue = span.start == start and span.opens_with_cue
    return stop <= span.stop and not is_cue


def says_absent(sentence: str) -> bool:
    """Whether `sentence` says only that something is absent. A sentence that also asserts something is not absent."""
    clauses = _read_clauses(sentence)
    if all(clause.negated_from is None for clause in clauses):
        return False
    return not any(
        _asserts(sentence[clause.start : clause.stop if clause.negated_from is None else clause.negated_from], clause)
        for clause in clauses
    )


def _asserts(text: str, clause: _Clause) -> bool:
    words = _WORD.findall(text)
    if clause.negated_from is not None and _INTRODUCING.search(text) and len(words) <= _SUBJECT_WORDS + 1:
        return any(character.isdigit() for character in text)
    return any(word.lower() not in _EMPTY_WORDS for word in words)


def _read_clauses(sentence: str) -> list[_Clause]:
    masked = _PSEUDO.sub(lambda match: "x" * len(match[0]), sentence)
    clauses = _cut(masked)
    previous: _Clause | None = None
    for clause in clauses:
        _read_clause(masked, clause, previous)
        previous = clause
    _carry_back(masked, clauses)
    return clauses


def _cut(masked: str) -> list[_Clause]:
    joints = list(_JOINT.finditer(masked))
    starts = [(0, ""), *((match.start(), match.lastgroup or "") for match in joints)]
    ends = [*(match.start() for match in joints), len(masked)]
    return [_Clause(start=start, stop=stop, joint=joint) for (start, joint), stop in zip(starts, ends, strict=True)]


def _read_clause(masked: str, clause: _Clause, previous: _Clause | None) -> None:
    text = masked[clause.start : clause.stop]
    cue = _FORWARD.search(text)
    if _BACKWARD.search(text):
        clause.negated_from = clause.start
    elif cue:
        clause.negated_from = clause.start + cue.start()
        clause.opens_with_cue = True
    elif (
        previous is not None
        and previous.negated_from is not None
        and clause.joint in ("pair", "comma")
        and not _CLAUSE.search(text)
    ):
        clause.negated_from = clause.start


def _carry_back(masked: str, clauses: list[_Clause]) -> None:
    """`Fever and chills are absent`: what is said at the end of a list holds for the names before it."""
    for earlier, later in reversed(list(pairwise(clauses))):
        text = masked[later.start : later.stop]
        said_at_end = bool(_BACKWARD.search(text)) or (later.negated_from == later.start and not _FORWARD.search(text))
        plain = earlier.negated_from is None and not _CLAUSE.search(masked[earlier.start : earlier.stop])
        joined = later.joint == "pair" or (later.joint == "comma" and later is not clauses[-1])
        if said_at_end and plain and joined:
            earlier.negated_from = earlier.start

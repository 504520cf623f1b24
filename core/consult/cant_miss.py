"""Diagnoses that must not be missed: what the specialists named in round 7, joined with the rule list. None is dropped.

A rule row of the case's complaints becomes a flag where the vignette supports it; the other rows are a checklist.
Source: protocol section 9.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from core.consult.merge import canonical, preferred
from core.domain.appraisal import CantMissFlag, CantMissReview, ChecklistRow, FlagSource
from core.domain.case import Case, Finding, FlagId, Settlement, Vignette
from core.domain.statement import CantMissStatement, Statement
from core.errors import BadInput
from core.terms.measures import Measured, read_age, read_vital_signs
from core.terms.negation import is_negated, negated_spans
from core.terms.rules import Complaint, DangerRule, find_complaint, rule_list, wordings
from core.terms.sentences import split_sentences

Urgency = Literal["immediate", "urgent", "routine"]
_URGENCIES: tuple[Urgency, ...] = ("immediate", "urgent", "routine")
_MINUTES = re.compile(r"\bmin(?:utes?)?\b|at once", re.IGNORECASE)
_OTHER_PRESSURE = "".join(
    rf"(?<!{kind} )" for kind in ("blood", "venous", "arterial", "intraocular", "intracranial", "opening", "pulse")
)
"""The trigger `pressure` means pressure that is felt."""
_CHILD_BELOW_YEARS = 13
"""Limits of the rule list for pulse, breathing and blood pressure hold for adults. Source: comment in the list."""
_ADULT_MEASURES = frozenset({"systolic_mmhg", "pulse_per_min", "breaths_per_min"})


def detect_complaints(text: str) -> tuple[str, ...]:
    """Ids of the presenting complaints that `text` names without denying them, in the order of first occurrence."""
    first: dict[str, int] = {}
    for place, sentence in enumerate(split_sentences(text)):
        offset = place * (len(text) + 1)
        for complaint in rule_list().complaints:
            starts = [
                match.start() for words in (complaint.name, *complaint.aliases) for match in _affirmed(words, sentence)
            ]
            if starts:
                first.setdefault(complaint.complaint_id, offset + min(starts))
    return tuple(sorted(first, key=lambda complaint_id: first[complaint_id]))


def review(case: Case, statements: tuple[Statement, ...]) -> CantMissReview:
    """All flags and the checklist of `case`. Raises `BadInput` for a complaint that is not in the rule list."""
    sources = list(_from_specialists(statements))
    checklist = []
    signs = _supported_by_numbers(case.vignette)
    for complaint in _complaints(case):
        for rule in complaint.diagnoses:
            words = _triggers(rule, case.vignette, signs)
            if words:
                sources.append(_from_rule(complaint, rule, words))
            else:
                row = ChecklistRow(
                    diagnosis=rule.name, complaint=complaint.name, key_test=rule.test, window=rule.window
                )
                checklist.append(row)
    return CantMissReview(
        flags=_merge_by_concept(sources),
        checklist=tuple(sorted(checklist, key=lambda row: (row.diagnosis.casefold(), row.complaint))),
        complaints=case.vignette.complaints,
    )


def open_flags(case: Case, review: CantMissReview) -> tuple[FlagId, ...]:
    """Flags, and the checklist if it has rows, that the clinician has not settled yet."""
    settled = {settlement.flag_id for settlement in case.settlements}
    return tuple(flag_id for flag_id in _settleable(review) if flag_id not in settled)


def check_settlement(review: CantMissReview, settlement: Settlement) -> None:
    """Raise `BadInput` where `settlement` names no flag of `review`, gives no reason, or is not signed."""
    if settlement.flag_id not in _settleable(review):
        raise BadInput("This case has no such can't-miss flag; choose one of those that are listed.")
    if not settlement.reason.strip():
        raise BadInput("A can't-miss flag needs a reason; write why it is excluded, taken in, or which test it needs.")
    if not settlement.by.strip():
        raise BadInput("A can't-miss flag is settled by a person; enter your name first.")


def _settleable(review: CantMissReview) -> tuple[FlagId, ...]:
    checklist = (review.checklist_id,) if review.checklist else ()
    return tuple(flag.flag_id for flag in review.flags) + checklist


def _complaints(case: Case) -> tuple[Complaint, ...]:
    found = tuple(find_complaint(complaint_id) for complaint_id in case.vignette.complaints)
    if None in found:
        raise BadInput("A presenting complaint of this case is not in the rule list; choose the complaints again.")
    return tuple(complaint for complaint in found if complaint is not None)


def _from_specialists(statements: tuple[Statement, ...]) -> Iterator[CantMissFlag]:
    for statement in statements:
        if isinstance(statement, CantMissStatement):
            for danger in statement.dangers:
                source = FlagSource(kind="specialist", who=statement.speaker, detail=danger.why)
                yield _flag(danger.diagnosis, danger.urgency, source, danger.key_test, danger.window)


def _from_rule(complaint: Complaint, rule: DangerRule, words: tuple[str, ...]) -> CantMissFlag:
    source = FlagSource(kind="rule", who=f"{complaint.name}/{rule.name}", detail="; ".join(words))
    # The rule list has no urgency of its own. Ours: whatever is lost within minutes is immediate.
    urgency: Urgency = "immediate" if _MINUTES.search(rule.window) else "urgent"
    return _flag(rule.name, urgency, source, rule.test, rule.window)


def _flag(diagnosis: str, urgency: Urgency, source: FlagSource, key_test: str, window: str) -> CantMissFlag:
    term = canonical(diagnosis)
    name, icd10 = preferred(diagnosis)
    return CantMissFlag(
        flag_id=FlagId("flag-" + term.replace(" ", "-")),
        diagnosis=name,
        canonical=term,
        urgency=urgency,
        sources=(source,),
        key_tests=(key_test,) if key_test else (),
        windows=(window,) if window else (),
        icd10=icd10,
    )


def _merge_by_concept(flags: list[CantMissFlag]) -> tuple[CantMissFlag, ...]:
    merged: dict[str, CantMissFlag] = {}
    for flag in flags:
        earlier = merged.get(flag.canonical)
        merged[flag.canonical] = _joined(earlier, flag) if earlier else flag
    return tuple(sorted(merged.values(), key=lambda flag: (flag.diagnosis.casefold(), flag.canonical)))


def _joined(a: CantMissFlag, b: CantMissFlag) -> CantMissFlag:
    return CantMissFlag(
        flag_id=a.flag_id,
        diagnosis=a.diagnosis,
        canonical=a.canonical,
        urgency=min(a.urgency, b.urgency, key=_URGENCIES.index),
        sources=a.sources + b.sources,
        key_tests=tuple(dict.fromkeys(a.key_tests + b.key_tests)),
        windows=tuple(dict.fromkeys(a.windows + b.windows)),
        icd10=a.icd10,
    )


def _triggers(rule: DangerRule, vignette: Vignette, signs: dict[str, str]) -> tuple[str, ...]:
    """The words of the vignette that support `rule`, each with its finding. Ours: an age alone supports nothing."""
    of_age = {vital.finding for vital in rule_list().vital_rules if vital.measure == "age_years"}
    words = {trigger: _words_of(trigger, vignette, signs) for trigger in rule.triggers}
    if not any(found for trigger, found in words.items() if trigger not in of_age):
        return ()
    return tuple(dict.fromkeys(word for found in words.values() for word in found))


def _words_of(trigger: str, vignette: Vignette, signs: dict[str, str]) -> tuple[str, ...]:
    found = [
        f"{match[0]} ({finding.finding_id})"
        for finding in vignette.findings
        for wording in (trigger, *wordings().get(trigger, ()))
        if finding.present or wording.startswith("no ")
        for match in _affirmed(wording, finding.text)
    ]
    if trigger in signs:
        found.append(f"{trigger}: {signs[trigger]}")
    return tuple(found)


def _supported_by_numbers(vignette: Vignette) -> dict[str, str]:
    """Triggers that a number of the vignette supports, with the words of that number and its finding."""
    age = _first_age(vignette.findings)
    is_child = age is not None and age[0].value < _CHILD_BELOW_YEARS
    measured = [(sign, finding) for finding in vignette.findings for sign in read_vital_signs(finding.text)]
    measured += [age] if age else []
    return {
        rule.finding: f"{sign.words} ({finding.finding_id})"
        for rule in rule_list().vital_rules
        if not (is_child and rule.measure in _ADULT_MEASURES)
        for sign, finding in measured
        if sign.measure == rule.measure and rule.holds(sign.value)
    }


def _first_age(findings: tuple[Finding, ...]) -> tuple[Measured, Finding] | None:
    return next(((age, finding) for finding in findings if (age := read_age(finding.text))), None)


def _affirmed(words: str, sentence: str) -> Iterator[re.Match[str]]:
    """Whole-word occurrences of `words` in `sentence` that are not denied there."""
    for match in _pattern(words).finditer(sentence):
        if not is_negated(negated_spans(sentence), match.start(), match.end()):
            yield match


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Whole words, singular or plural, with a space or a hyphen between them, American or British (`e`, `ae`, `oe`)."""
    pattern = r"[\s-]+".join(re.escape(word) for word in re.split(r"[\s-]+", words.lower()))
    pattern = pattern.replace("e", "[ao]?e")
    before = _OTHER_PRESSURE if words == "pressure" else ""
    return re.compile(rf"(?<!\w){before}{pattern}(?:s|es)?(?!\w)", re.IGNORECASE)

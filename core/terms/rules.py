"""The rule list: for each presenting complaint the diagnoses that must not be missed, as typed records.

The list is data in `cant_miss.toml` (CC0) and was not reviewed by a clinician. Each complaint names its sources.
"""

from functools import cache
from importlib import resources
from typing import Literal

import msgspec
from msgspec import Struct

from core.terms.measures import Measure


class DangerRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One diagnosis that must not be missed with one complaint."""

    name: str
    concept: str = ""
    """Id of its concept in the terminology."""
    icd10: str | None = None
    triggers: tuple[str, ...]
    """Words of a vignette that point to it."""
    window: str
    """Time in which it must be found or treated."""
    test: str


class Complaint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A presenting complaint with its dangerous diagnoses."""

    complaint_id: str = msgspec.field(name="id")
    name: str
    aliases: tuple[str, ...]
    """Other wordings by which the complaint is recognized."""
    sources: tuple[str, ...]
    """Keys of `RuleList.sources`."""
    diagnoses: tuple[DangerRule, ...] = msgspec.field(name="diagnosis")


class VitalRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A trigger that a number supports. Limits hold for adults."""

    finding: str
    measure: Measure
    op: Literal[">=", ">", "<"]
    value: float

    def holds(self, value: float) -> bool:
        """Whether `value`, in the unit of `measure`, supports the trigger."""
        if self.op == "<":
            return value < self.value
        return value > self.value or (self.op == ">=" and value == self.value)


class FindingWords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Other wordings of one trigger."""

    name: str
    any_of: tuple[str, ...] = msgspec.field(name="any")


class RuleSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    where: str
    seen: str
    """How much of the source was read."""


class RuleList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    license: str = msgspec.field(name="licence")
    sources: dict[str, RuleSource] = msgspec.field(name="source")
    complaints: tuple[Complaint, ...] = msgspec.field(name="complaint")
    vital_rules: tuple[VitalRule, ...] = msgspec.field(name="vital")
    finding_words: tuple[FindingWords, ...] = msgspec.field(name="finding")


@cache
def rule_list() -> RuleList:
    """The whole list, read once."""
    text = resources.files("core.terms").joinpath("cant_miss.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=RuleList)


@cache
def wordings() -> dict[str, tuple[str, ...]]:
    """For each trigger that has them, its other wordings."""
    return {words.name: words.any_of for words in rule_list().finding_words}


def find_complaint(complaint_id: str) -> Complaint | None:
    """The complaint with this id, or None."""
    return next((c for c in rule_list().complaints if c.complaint_id == complaint_id), None)

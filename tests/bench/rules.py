"""What the rule list of can't-miss diagnoses finds in made-up emergency vignettes. Writes it to out/bench_rules.json.

    python -m tests.bench.rules

Of each complaint two dangers: one vignette that shows the danger without naming it (`present`), and one that denies the same
findings (`absent`). The vignettes were written without sight of the triggers, by no clinician. The review is done twice, with the
complaints that are detected in the text, and with the one complaint that a clinician would confirm. Each share stands with its
95 % Wilson interval.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from statistics import mean
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from core.consult.cant_miss import review
from core.consult.intake import vignette
from core.consult.merge import canonical
from core.domain.appraisal import CantMissReview
from core.domain.case import Case, CaseId, Vignette
from core.domain.panel import Panel
from core.settings import ConsultSettings
from core.terms.rules import find_complaint

HERE = Path(__file__).parent
Z = 1.959964
"""Of the standard normal distribution, for 95 %."""
Place = Literal["flag", "checklist", "missed"]


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    complaint: str
    diagnosis: str
    danger: Literal["present", "absent"]
    text: str


class Outcome(Struct, frozen=True, kw_only=True):
    """Where the danger of one vignette stands after the review."""

    row: Row
    detected: tuple[str, ...]
    place: Place
    words: tuple[str, ...]
    """What triggered the flag, one text for each rule."""
    flags: int
    checklist: int


def main() -> None:
    rows = _rows()
    ways: dict[str, Callable[[Row, Vignette], Vignette]] = {
        "complaints detected": lambda row, read: read,
        "complaint given": lambda row, read: replace(read, complaints=(row.complaint,)),
    }
    result: dict[str, object] = {"vignettes": len(rows)}
    for way, prepare in ways.items():
        outcomes = [_outcome(row, prepare(row, vignette(row.text))) for row in rows]
        if way == "complaints detected":
            result |= _detection(outcomes)
        result[way] = _figures(outcomes)
    print(json.dumps(result, indent=1, ensure_ascii=False))
    Path("out").mkdir(exist_ok=True)
    Path("out/bench_rules.json").write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


def _rows() -> list[Row]:
    """Raises `SystemExit` where a row names a danger that does not stand in the rule list under its complaint."""
    with (HERE / "vignettes.tsv").open(encoding="utf-8", newline="") as file:
        rows = msgspec.convert(list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)), list[Row])
    for row in rows:
        complaint = find_complaint(row.complaint)
        if complaint is None or row.diagnosis not in {rule.name for rule in complaint.diagnoses}:
            raise SystemExit(f"{row.complaint}/{row.diagnosis} is not in the rule list; correct vignettes.tsv.")
    return rows


def _outcome(row: Row, read: Vignette) -> Outcome:
    found = review(_case(read), ())
    term = canonical(row.diagnosis)
    words = tuple(source.detail for flag in found.flags if flag.canonical == term for source in flag.sources)
    return Outcome(
        row=row,
        detected=read.complaints,
        place="flag" if words else _place_without_flag(found, term),
        words=words,
        flags=len(found.flags),
        checklist=len(found.checklist),
    )


def _place_without_flag(found: CantMissReview, term: str) -> Place:
    return "checklist" if term in {canonical(line.diagnosis) for line in found.checklist} else "missed"


def _case(read: Vignette) -> Case:
    return Case(
        case_id=CaseId("case"), title="Vignette", opened_at="2026-01-01T00:00:00Z", vignette=read,
        panel=Panel(specialists=()), settings=ConsultSettings(), seed=0, model_id="none",
    )  # fmt: skip


def _detection(outcomes: list[Outcome]) -> dict[str, object]:
    lost = [each for each in outcomes if each.row.complaint not in each.detected]
    return {
        "complaint detected": _share(each not in lost for each in outcomes),
        "of the present": _share(each not in lost for each in _with(outcomes, "present")),
        "of the absent": _share(each not in lost for each in _with(outcomes, "absent")),
        "complaints detected, mean": round(mean(len(each.detected) for each in outcomes), 2),
        "not detected": [f"{_name(each)}: {', '.join(each.detected) or 'none'}" for each in lost],
    }


def _figures(outcomes: list[Outcome]) -> dict[str, object]:
    present, absent = _with(outcomes, "present"), _with(outcomes, "absent")
    return {
        "danger present": {
            place: _share(each.place == place for each in present) for place in ("flag", "checklist", "missed")
        },
        "present and no flag": {_name(each): each.place for each in present if each.place != "flag"},
        "danger denied, flag all the same": _share(each.place == "flag" for each in absent),
        "false triggers": {_name(each): each.words for each in absent if each.place == "flag"},
        "flags, mean": round(mean(each.flags for each in outcomes), 2),
        "flags where a danger is present, mean": round(mean(each.flags for each in present), 2),
        "flags where it is denied, mean": round(mean(each.flags for each in absent), 2),
        "most flags": max(each.flags for each in outcomes),
        "checklist rows, mean": round(mean(each.checklist for each in outcomes), 2),
    }


def _with(outcomes: list[Outcome], danger: str) -> list[Outcome]:
    return [each for each in outcomes if each.row.danger == danger]


def _name(outcome: Outcome) -> str:
    return f"{outcome.row.complaint}/{outcome.row.diagnosis} ({outcome.row.danger})"


def _share(hits: Iterable[bool]) -> dict[str, object]:
    """How many of how many, the share, and its interval. Source: Wilson 1927."""
    counts = Counter(hits)
    true, total = counts[True], counts.total()
    share, width = true / total, Z * Z / total
    middle = (share + width / 2) / (1 + width)
    half = sqrt(share * (1 - share) * width + width * width / 4) / (1 + width)
    return {
        "of": f"{true}/{total}",
        "share": round(share, 3),
        "95 % interval": [round(middle - half, 3), round(middle + half, 3)],
    }


if __name__ == "__main__":
    main()

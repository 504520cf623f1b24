"""Reports made by hand: a full one, and what can be left out of it."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.domain.alignment import Alignment, Cara
from core.domain.appraisal import Adoption, CantMissReview, Refereeing
from core.domain.report import Report
from core.domain.statement import Abstention, BallotStatement
from core.ports import Address
from core.render import Issued, ReportFile, read_report_file

FULL_REPORT = Path(__file__).parent.parent / "data" / "full_report.json"
"""Every kind of statement and of flag; also proof that files of schema version 2 stay readable."""


@pytest.fixture(scope="session")
def full_report() -> ReportFile:
    return read_report_file(FULL_REPORT.read_text(encoding="utf-8"))


@pytest.fixture
def issued(full_report: ReportFile) -> Issued:
    return full_report.issued


@pytest.fixture
def released(full_report: ReportFile) -> Report:
    """Everything is settled."""
    return full_report.report


@pytest.fixture
def withheld(released: Report) -> Report:
    """As `core.consult.report` makes it while a flag is open."""
    return msgspec.structs.replace(
        released,
        status="withheld",
        withheld_because=("Not settled yet: Aortic dissection.",),
        statements=tuple(statement for statement in released.statements if not isinstance(statement, BallotStatement)),
        cara=None,
        refereeing=None,
        differential=None,
        case=msgspec.structs.replace(released.case, settlements=()),
    )


@pytest.fixture
def silent(released: Report) -> Report:
    """Everybody abstained."""
    seats = tuple(seat.specialist_id for seat in released.case.panel.specialists)
    return msgspec.structs.replace(
        released,
        immediate=(),
        statements=tuple(
            Abstention(address=Address(f"{stage}/{seat}/2"), speaker=seat, reason="The reply did not end.")
            for stage in ("r1", "r2", "r3", "r7")
            for seat in seats
        ),
        cara=Cara(
            before=Alignment(moment="before"),
            after=Alignment(moment="after"),
            not_measured="Not measured: no scorer is installed.",
        ),
        refereeing=Refereeing(adoptions=tuple(Adoption(speaker=seat, flag="no_answer") for seat in seats)),
        cant_miss=CantMissReview(flags=(), checklist=()),
        differential=None,
        case=msgspec.structs.replace(released.case, settlements=(), notes=()),
        left_out=(),
    )


FREE_TEXT = frozenset(
    {
        *("title", "text", "persona", "specialty", "why", "action", "ground", "diagnosis", "name", "names", "repeated"),
        *("possibly_same", "claim", "proposal", "reason", "by", "note", "detail", "key_test", "key_tests", "window"),
        *("windows", "complaint", "missing", "withheld_because", "viability_note", "first_words", "quantization"),
        *("engine", "device", "notes", "icd10", "private", "shared", "peers", "isolated", "model_id"),
    }
)
"""Fields into which a person or a model can write anything."""
CHOSEN = ("confirmed", "unstable")
"""`detail` of an adoption, which nobody writes."""


def _rewritten(value: object, key: str, write: Callable[[str], str]) -> object:
    if key == "reasonings":
        return value  # its steps are the claims, which are shown where they were made
    if isinstance(value, dict):
        return {name: _rewritten(inner, name, write) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rewritten(inner, key, write) for inner in value]
    return write(value) if isinstance(value, str) and key in FREE_TEXT and value not in CHOSEN else value


@pytest.fixture
def rewrite() -> Callable[[Report, Callable[[str], str]], Report]:
    """Every free text of a report passed through a function."""
    return lambda report, write: msgspec.convert(_rewritten(msgspec.to_builtins(report), "", write), Report)

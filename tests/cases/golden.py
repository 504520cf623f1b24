"""Whole cases of a real model, kept as logs: what was asked (as digests), what was answered, what was measured.

`python -m tests.cases.golden write LIBRARY CASE NAME` keeps a finished case of a library (its passphrase in
GROUND_ROUNDS_PASSPHRASE); `python -m tests.cases.golden report NAME` writes the report that follows from it.
A changed prompt or form makes a kept case unreadable on purpose: run it again.
"""

import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from core.consult.pipeline import consult
from core.domain.case import Case, CaseId
from core.domain.report import Report
from core.log import casebook
from core.log.events import CallFinished, PairsScored
from core.log.keys import open_library
from core.log.store import Library
from core.ports import (
    Address,
    ChatRequest,
    ContradictionRequest,
    Contradictions,
    Reply,
    Scores,
    ScoringRequest,
    Similarities,
    SimilarityRequest,
)
from core.render.contents import Issued
from core.render.markdown import render_markdown

FOLDER = Path(__file__).parent
ISSUED = Issued(product_version="golden", issued_at="2026-01-01T00:00:00Z")
NAMES = ("platelets", "after_surgery", "fatigue")


class Answered(Struct, frozen=True, kw_only=True, tag=True):
    address: Address
    request: str
    """Digest, 32 hex digits."""
    reply: Reply


class Measured(Struct, frozen=True, kw_only=True, tag=True):
    address: Address
    request: str
    scores: Scores | None


class Kept(Struct, frozen=True, tag_field="kind", tag="case"):
    case: Case


class GoldenGate:
    """`core.ports.ModelGate` over a kept log; refuses every question that is not letter for letter the one of then."""

    def __init__(self, rows: Sequence[Answered | Measured]) -> None:
        self._rows = {row.address: row for row in rows}

    def ask_all(self, requests: Sequence[ChatRequest]) -> tuple[Reply, ...]:
        replies = []
        for request in requests:
            row = self._row(request.address, request)
            assert isinstance(row, Answered)
            replies.append(row.reply)
        return tuple(replies)

    def similarities(self, request: SimilarityRequest) -> Similarities | None:
        row = self._row(request.address, request)
        assert isinstance(row, Measured)
        assert row.scores is None or isinstance(row.scores, Similarities)
        return row.scores

    def contradictions(self, request: ContradictionRequest) -> Contradictions | None:
        row = self._row(request.address, request)
        assert isinstance(row, Measured)
        assert row.scores is None or isinstance(row.scores, Contradictions)
        return row.scores

    def _row(self, address: Address, request: ChatRequest | ScoringRequest) -> Answered | Measured:
        row = self._rows[address]
        assert row.request == digest(request), f"another question than then: {address}"
        return row


def digest(request: ChatRequest | ScoringRequest) -> str:
    return blake2b(msgspec.json.encode(request), digest_size=16).hexdigest()


def read(name: str) -> tuple[Case, GoldenGate]:
    lines = (FOLDER / name / "log.jsonl").read_bytes().splitlines()
    case = msgspec.json.decode(lines[0], type=Kept).case
    rows = [msgspec.json.decode(line, type=Answered | Measured) for line in lines[1:]]
    return case, GoldenGate(rows)


def report_of(name: str) -> Report:
    case, gate = read(name)
    return consult(case, gate)


def markdown_of(name: str) -> str:
    return render_markdown(report_of(name), issued=ISSUED)


def write(library: Library, case_id: CaseId, name: str) -> None:
    rows: list[Answered | Measured] = []
    for event in library.events(case_id):
        if isinstance(event, CallFinished):
            rows.append(Answered(address=event.request.address, request=digest(event.request), reply=event.reply))
        elif isinstance(event, PairsScored):
            rows.append(Measured(address=event.request.address, request=digest(event.request), scores=event.scores))
    encoder = msgspec.json.Encoder()
    lines = [encoder.encode(Kept(case=casebook.load_case(library, case_id))), *map(encoder.encode, rows)]
    (FOLDER / name / "log.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    import os

    if sys.argv[1] == "write":
        opened = open_library(Path(sys.argv[2]), os.environ.get("GROUND_ROUNDS_PASSPHRASE"))
        write(opened, CaseId(sys.argv[3]), sys.argv[4])
        opened.close()
    else:
        (FOLDER / sys.argv[2] / "report.md").write_text(markdown_of(sys.argv[2]), encoding="utf-8")

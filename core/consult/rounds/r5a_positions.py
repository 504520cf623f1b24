"""Round 5a: a stance on every diagnosis of the list, and the leading one. Everyone sees the board as it stood before."""

from core.consult.asking import Question, answers, requests
from core.consult.board import board
from core.consult.changing import LEADING, cause_fields, cause_of, leading_field, leading_told
from core.consult.roles import task_of
from core.domain.case import Case, FindingId, considered
from core.domain.debate import last_leading, listed_diagnoses, pick_names
from core.domain.panel import SpecialistId
from core.domain.statement import (
    Abstention,
    DiagnosisId,
    ListedDiagnosis,
    Position,
    PositionStatement,
    Statement,
)  # fmt: skip
from core.forms import Choice, Filled, Form, Option, Picks, Text
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r5a"


def take_positions(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    rows = listed_diagnoses(statements)
    if not rows:
        return ()
    told = _form(case, rows, leading_told(cause_fields(statements, None)))
    task = Block(text=fill("r5a_positions", form=told.instructions()))
    questions = [
        Question(
            specialist=seat,
            form=_form(case, rows, _leading(statements, seat.specialist_id)),
            role=task_of(seat, statements),
        )
        for seat in case.panel.specialists
    ]
    asked = requests(case, STAGE, (*board(case, statements), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else PositionStatement(
            address=request.address,
            speaker=seat.specialist_id,
            positions=tuple(_position(filled, row.diagnosis_id) for row in rows),
            leading=pick_names(rows)[filled.pick(LEADING)],
            leading_cause=cause_of(filled.after(LEADING)),
        )
        for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )


def _leading(statements: tuple[Statement, ...], speaker: SpecialistId) -> Choice:
    causes = cause_fields(statements, speaker)
    return leading_field(listed_diagnoses(statements), last_leading(statements, speaker), causes)


def _form(case: Case, rows: tuple[ListedDiagnosis, ...], leading: Choice) -> Form:
    ids = tuple(finding.finding_id for finding in considered(case))
    stances = (
        Option(name="SUPPORT", then=(Text(label="GROUND", hint="what supports it", max_chars=100),)),
        Option(
            name="CHALLENGE",
            then=(
                Text(label="COUNTER-GROUND", hint="what speaks against it", max_chars=100),
                Picks(label="FINDINGS", hint="findings against it", options=ids, low=1, high=2),
            ),
        ),
        Option(name="NEUTRAL"),
    )
    fields = tuple(Choice(label=row.diagnosis_id, title=row.name, options=stances) for row in rows)
    return Form(name="positions", fields=(*fields, leading))


def _position(filled: Filled, diagnosis_id: DiagnosisId) -> Position:
    stance, more = filled.pick(diagnosis_id), filled.after(diagnosis_id)
    if stance == "SUPPORT":
        return Position(diagnosis_id=diagnosis_id, stance="SUPPORT", ground=more.text("GROUND"))
    if stance == "CHALLENGE":
        findings = tuple(map(FindingId, more.picks("FINDINGS")))
        ground = more.text("COUNTER-GROUND")
        return Position(diagnosis_id=diagnosis_id, stance="CHALLENGE", ground=ground, findings=findings)
    return Position(diagnosis_id=diagnosis_id, stance="NEUTRAL")

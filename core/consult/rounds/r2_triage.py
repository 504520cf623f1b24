"""Round 2: what must be done, and how soon. Nobody sees the board."""

from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import findings_block
from core.domain.case import Case, FindingId
from core.domain.statement import Abstention, Statement, TriageAction, TriageStatement, Urgency
from core.forms import Filled, Form, Picks, Repeat, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r2"


def triage_form(findings: tuple[str, ...]) -> Form:
    action = (
        Text(label="ACTION", hint="one thing to do", max_chars=90),
        words("URGENCY", "immediate", "urgent", "routine"),
        Picks(label="FINDINGS", hint="why", options=findings, low=1, high=3),
    )
    return Form(
        name="triage",
        fields=(Repeat(label="ACTIONS", hint="most urgent first", fields=action, low=1, high=3, distinct=True),),
    )


def triage(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    form = triage_form(tuple(finding.finding_id for finding in case.vignette.findings))
    task = Block(text=fill("r2_triage", form=form.instructions()))
    questions = [Question(specialist=specialist, form=form) for specialist in case.panel.specialists]
    asked = requests(case, STAGE, (findings_block(case.vignette.findings), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else TriageStatement(
            address=request.address,
            speaker=specialist.specialist_id,
            actions=tuple(_action(item) for item in filled.items("ACTIONS")),
        )
        for specialist, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )


def _action(item: Filled) -> TriageAction:
    return TriageAction(
        action=item.text("ACTION"),
        urgency=cast(Urgency, item.pick("URGENCY")),
        findings=tuple(map(FindingId, item.picks("FINDINGS"))),
    )

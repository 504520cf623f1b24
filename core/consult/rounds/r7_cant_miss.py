"""Round 7: what must not be missed, likely or not."""

from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import board
from core.consult.independent import disease_name
from core.domain.case import Case
from core.domain.statement import Abstention, CantMissStatement, Danger, Statement, Urgency
from core.forms import Filled, Form, Repeat, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r7"
DANGER = (
    disease_name(),
    words("URGENCY", "immediate", "urgent", "routine"),
    Text(label="WHY", hint="what in this patient makes it possible", max_chars=120),
    Text(label="KEY-TEST", hint="the test that finds or excludes it", max_chars=60, min_chars=2),
    Text(label="WINDOW", hint="time within which it must be found", max_chars=40, min_chars=2),
)
FORM = Form(
    name="cant_miss",
    fields=(Repeat(label="DANGERS", hint="most dangerous first", fields=DANGER, low=1, high=3, distinct=True),),
)


def name_dangers(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    task = Block(text=fill("r7_cant_miss", form=FORM.instructions()))
    questions = [Question(specialist=seat, form=FORM) for seat in case.panel.specialists]
    asked = requests(case, STAGE, (*board(case, statements), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else CantMissStatement(
            address=request.address,
            speaker=seat.specialist_id,
            dangers=tuple(map(_danger, filled.items("DANGERS"))),
        )
        for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )


def _danger(item: Filled) -> Danger:
    return Danger(
        diagnosis=item.name("DIAGNOSIS"),
        urgency=cast(Urgency, item.pick("URGENCY")),
        why=item.text("WHY"),
        key_test=item.text("KEY-TEST"),
        window=item.text("WINDOW"),
    )

"""Round 1: how relevant each specialty is to this case. Nobody sees the board."""

from core.consult.asking import Question, answers, requests
from core.consult.board import findings_block
from core.domain.case import Case
from core.domain.statement import Abstention, RelevanceStatement, Statement
from core.forms import Form, Number, Text
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r1"
FORM = Form(
    name="specialty_ranking",
    fields=(
        Number(label="RELEVANCE", hint="0 has nothing to do with this case, 10 decides it", low=0, high=10),
        Text(label="WHY", hint="which findings concern your specialty", max_chars=140),
    ),
)


def rank_specialties(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    task = Block(text=fill("r1_specialty_ranking", form=FORM.instructions()))
    questions = [Question(specialist=specialist, form=FORM) for specialist in case.panel.specialists]
    asked = requests(case, STAGE, (findings_block(case.vignette.findings), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else RelevanceStatement(
            address=request.address,
            speaker=specialist.specialist_id,
            relevance=filled.number("RELEVANCE"),
            why=filled.text("WHY"),
        )
        for specialist, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )

"""Round 6: each specialist's ballot, out of the list, late proposals included."""

from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import board
from core.domain.case import Case
from core.domain.debate import listed_diagnoses, pick_names
from core.domain.statement import Abstention, BallotStatement, Confidence, Statement
from core.forms import Form, Picks, words
from core.ports import Block, ModelGate
from core.prompts import fill

STAGE = "r6"
CHOICES = 3
"""Positions on a ballot. Source: protocol sections 3 and 5."""


def ballot_form(names: tuple[str, ...]) -> Form:
    return Form(
        name="ballot",
        fields=(
            Picks(
                label="BALLOT",
                hint="best first, no repeats",
                told="the names of the LIST",
                options=names,
                low=CHOICES,
                high=CHOICES,
            ),
            words("CONFIDENCE", "low", "moderate", "high"),
        ),
    )


def vote(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    rows = listed_diagnoses(statements)
    if not rows:
        return ()
    names = pick_names(rows)
    form = ballot_form(tuple(names))
    task = Block(text=fill("r6_ballot", form=form.instructions()))
    questions = [Question(specialist=seat, form=form) for seat in case.panel.specialists]
    asked = requests(case, STAGE, (*board(case, statements), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else BallotStatement(
            address=request.address,
            speaker=seat.specialist_id,
            choices=tuple(names[name] for name in filled.picks("BALLOT")),
            confidence=cast(Confidence, filled.pick("CONFIDENCE")),
        )
        for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )

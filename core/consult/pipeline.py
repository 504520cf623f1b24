"""A whole case on one page.

A stage takes what is there and returns something new; no stage calls another; only the gate has effects. So the same lines run
a case live, resume it after a crash, and derive its report again from the log years later, without any model.
"""

from collections.abc import Callable

from core.consult.cant_miss import review
from core.consult.cara import measure
from core.consult.differential import rank
from core.consult.ledger import Ledger
from core.consult.referee import ask_again_in_private
from core.consult.report import assemble
from core.consult.roles import remind_of_roles
from core.consult.rounds.r1_specialty_ranking import rank_specialties
from core.consult.rounds.r2_triage import triage
from core.consult.rounds.r3_differentials import differentiate
from core.consult.rounds.r4_master_list import list_diagnoses
from core.consult.rounds.r5_catfish import speak_against
from core.consult.rounds.r5a_positions import take_positions
from core.consult.rounds.r5b_challenges import challenge
from core.consult.rounds.r5c_answers import answer, answer_again
from core.consult.rounds.r6_ballot import vote
from core.consult.rounds.r7_cant_miss import name_dangers
from core.domain.case import Case
from core.domain.report import Report
from core.domain.statement import Statement
from core.ports import ModelGate

ROUNDS = (
    rank_specialties,
    triage,
    differentiate,
    list_diagnoses,
    take_positions,
    remind_of_roles,
    challenge,
    list_diagnoses,  # again: what was proposed in the challenges can be voted for
    remind_of_roles,
    answer,
    *(speak_against, list_diagnoses, answer_again) * 2,  # nothing where the debate did not collapse
    vote,
    name_dangers,
)

Hear = Callable[[tuple[Statement, ...]], None]
"""Is told after each round what was said so far."""


def unheard(statements: tuple[Statement, ...]) -> None:
    """The hearing of those who wait for the report."""


def consult(case: Case, gate: ModelGate, hear: Hear = unheard) -> Report:
    """Work up a case whose panel is seated. Raises what the gate raises; what was answered until then is in the log."""
    ledger = Ledger(gate)
    statements: tuple[Statement, ...] = ()
    for deliberate in ROUNDS:
        statements += deliberate(case, statements, ledger)
        hear(statements)
    cara = measure(case, statements, ledger)
    refereeing = ask_again_in_private(case, statements, ledger)
    dangers = review(case, statements)
    differential = rank(case, statements, refereeing)
    return assemble(case, statements, cara, refereeing, dangers, differential, ledger)

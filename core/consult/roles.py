"""Debate roles: what they ask for, how specialists keep to them, and the reminder for who left its role.

Speech acts are read from the filled-in fields of rounds 5a to 5c; round 3 is the same for all and tells nothing.
Source: protocol section 7.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from core.domain.case import Case
from core.domain.panel import Role, Specialist, SpecialistId
from core.domain.statement import (
    Acts,
    AnswerStatement,
    Challenge,
    ChallengeStatement,
    PositionStatement,
    RoleReminder,
    Statement,
)
from core.ports import Address, ModelGate

Act = Literal["asserting", "asking", "challenging", "conceding", "supporting"]
ACTS: tuple[Act, ...] = ("asserting", "asking", "challenging", "conceding", "supporting")
TASKS: dict[Role, str] = {
    "advocate": "In the debate you are the ADVOCATE: build the strongest case for the diagnosis that fits best.",
    "operator": "In the debate you are the OPERATOR: ask what can be tested and done now, and what each step would show.",
    "edge-case hunter": "In the debate you are the EDGE-CASE HUNTER: look for the rare disease and what does not fit.",
    "skeptic": "In the debate you are the SKEPTIC: look for the flaw in each claim and the ground that does not carry it.",
    "red team": "In the debate you are the RED TEAM: try to show that the leading diagnosis is wrong.",
}  # fmt: skip
"""Debate roles along the adversarial gradient. Source: protocol section 2; wording ours."""
PROFILES: dict[Role, tuple[float, ...]] = {
    "advocate": (0.40, 0.10, 0.10, 0.15, 0.25),
    "operator": (0.30, 0.25, 0.15, 0.15, 0.15),
    "edge-case hunter": (0.20, 0.35, 0.30, 0.05, 0.10),
    "skeptic": (0.15, 0.30, 0.40, 0.05, 0.10),
    "red team": (0.20, 0.10, 0.60, 0.05, 0.05),
}
"""Expected shares of the acts, in the order of `ACTS`. Source: protocol section 7; ours, except the operator's first three."""
LATE = frozenset({"r5b", "r5c"})
"""From here on an operator that turns to challenging is a signal, not a drift."""


def remind_of_roles(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """A reminder for everybody who drifted from its role; each stands in the next prompt of its specialist."""
    found = (_reminder(case, seat, statements) for seat in case.panel.specialists)
    return tuple(reminder for reminder in found if reminder is not None)


def task_of(seat: Specialist, statements: Iterable[Statement]) -> str:
    """What the role asks for, and the reminder where one is due; empty without a role."""
    if seat.role is None:
        return ""
    reminder = pending_reminder(statements, seat.specialist_id)
    return TASKS[seat.role] + (f" {_told(reminder)}" if reminder else "")


def pending_reminder(statements: Iterable[Statement], speaker: SpecialistId) -> RoleReminder | None:
    """The reminder that this specialist has not yet answered with a statement."""
    for statement in reversed(tuple(statements)):
        if isinstance(statement, RoleReminder) and statement.speaker == speaker:
            return statement
        if getattr(statement, "speaker", None) == speaker:
            return None
    return None


def acts_of(statements: Iterable[Statement]) -> Acts:
    """Speech acts in the statements of one specialist."""
    return _counted(act for act, _ in _acts(statements))


def drift(statements: Iterable[Statement], role: Role) -> float | None:
    """Half the sum of the differences between expected and observed shares of the acts, 0..1; None without any act.

    What is expected of an act is the profile among the acts that the form left open at that place: on a position one can
    support or challenge, but not ask.
    """
    acts = list(_acts(statements))
    if not acts:
        return None
    observed = Counter(act for act, _ in acts)
    expected: Counter[Act] = Counter()
    for _, open_acts in acts:
        whole = sum(_expected(act, role) for act in open_acts)
        expected.update({act: _expected(act, role) / whole for act in open_acts})
    return sum(abs(expected[act] - observed[act]) for act in ACTS) / 2 / len(acts)


def _expected(act: Act, role: Role) -> float:
    return PROFILES[role][ACTS.index(act)]


def _counted(acts: Iterable[Act]) -> Acts:
    counts = Counter(acts)
    return Acts(**{act: counts[act] for act in ACTS})


_POSITION: tuple[Act, ...] = ("challenging", "supporting")
_TO_A_CLAIM: tuple[Act, ...] = ("asserting", "asking", "challenging", "supporting")
_TO_A_CHALLENGE: tuple[Act, ...] = ("asserting", "conceding")


def _acts(statements: Iterable[Statement]) -> Iterator[tuple[Act, tuple[Act, ...]]]:
    """Every act with the acts that could have stood in its place. Staying neutral is no act."""
    for statement in statements:
        match statement:
            case PositionStatement():
                for position in statement.positions:
                    if position.stance != "NEUTRAL":
                        yield "supporting" if position.stance == "SUPPORT" else "challenging", _POSITION
            case ChallengeStatement():
                yield _act_of(statement.challenge), _TO_A_CLAIM
            case AnswerStatement():
                for answer in statement.answers:
                    yield "asserting" if answer.act == "DEFEND" else "conceding", _TO_A_CHALLENGE
                for holding in statement.holdings:
                    yield "asserting" if holding.status == "MAINTAINED" else "conceding", _TO_A_CHALLENGE


def _act_of(made: Challenge) -> Act:
    if made.act == "ASK":
        return "asking"
    if made.stance == "DISAGREE":
        return "challenging"
    return "asserting" if made.act == "PROPOSE" else "supporting"


def _reminder(case: Case, seat: Specialist, statements: tuple[Statement, ...]) -> RoleReminder | None:
    own = [statement for statement in statements if getattr(statement, "speaker", None) == seat.specialist_id]
    reminders = [place for place, statement in enumerate(own) if isinstance(statement, RoleReminder)]
    since = own[reminders[-1] + 1 :] if reminders else own
    acts = acts_of(since)
    if seat.role is None or sum(getattr(acts, act) for act in ACTS) < case.settings.drift_least_acts:
        return None
    measured = drift(since, seat.role)
    if measured is None or measured <= case.settings.drift_threshold or _is_signal(seat.role, acts, own[-1]):
        return None
    address = Address(f"role/{seat.specialist_id}/{len(reminders) + 1}")
    return RoleReminder(address=address, speaker=seat.specialist_id, role=seat.role, acts=acts, drift=measured)


def _is_signal(role: Role, acts: Acts, last: Statement) -> bool:
    """Whether an operator turns to challenging late in the debate: that tells about the case, and is left alone."""
    return role == "operator" and last.address.split("/")[0] in LATE and _most(acts) == "challenging"


def _most(acts: Acts) -> Act:
    return max(ACTS, key=lambda act: int(getattr(acts, act)))


def _told(reminder: RoleReminder) -> str:
    often = {
        "asserting": "assert",
        "asking": "ask",
        "challenging": "challenge",
        "conceding": "give in",
        "supporting": "agree",
    }[_most(reminder.acts)]
    return f"REMINDER: so far you mostly {often}; keep to this role."

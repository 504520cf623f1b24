"""One claim with its ground, and what became of it; one challenge with its answer."""

from core.domain.panel import SpecialistId
from core.domain.statement import Answer, Cause, Challenge, Claim, Holding
from core.render.contents import Fact, Facts, Section, fact
from core.render.references import NOT_LOOKED_UP, References, ids


def claim(made: Claim, names: References) -> Section:
    return Section(title=_title(made, names), blocks=(Facts(rows=_rows(made, names)),))


def holding(held: Holding, names: References) -> Section:
    """A claim of round 5c, with what changed and why."""
    status = f"{names.diagnosis(held.diagnosis_id)}: {held.status}{because(held.cause, names)}"
    rows = (fact("Diagnosis", status), *_rows(held.claim, names))
    return Section(title=_title(held.claim, names), blocks=(Facts(rows=rows),))


def because(cause: Cause | None, names: References) -> str:
    """` because of NEW-GROUND, C4 (cardiology, gout)`; empty without a cause."""
    return f" because of {cause.kind}, {names.ground(cause.ground)}" if cause else ""


def challenge(made: Challenge, names: References) -> Section:
    return Section(
        title=f"{made.challenge_id}, {names.specialty(made.speaker)}",
        blocks=(Facts(rows=challenge_rows(made, names)),),
    )


def challenge_rows(made: Challenge, names: References) -> tuple[Fact, ...]:
    answers = [_answered(who, answer, names) for who, answer in names.answers_to(made)]
    return (
        fact("To", names.claim(made.target)),
        fact("Act and stance", f"{made.act}, {made.stance}"),
        *((fact("Proposes", made.proposal),) if made.proposal is not None else ()),
        fact("Claim", made.claim),
        fact("Ground", made.ground),
        fact("Findings", ids(made.findings)),
        fact("Answer", *(answers or ["not answered"])),
    )


def _title(made: Claim, names: References) -> str:
    return f"{made.claim_id}, {names.specialty(made.speaker)}: {made.diagnosis}"


def _rows(made: Claim, names: References) -> tuple[Fact, ...]:
    kind = NOT_LOOKED_UP if made.ground_kind == "guideline" else made.ground_kind
    challenges = names.challenges_to(made.claim_id)
    return (
        fact("Claim", made.text),
        fact(f"Ground ({kind})", made.ground),
        fact("Findings", f"for: {ids(made.supporting)}", f"against: {ids(made.opposing)}"),
        *((fact("Challenged by", *(_received(challenge, names) for challenge in challenges)),) if challenges else ()),
    )


def _received(made: Challenge, names: References) -> str:
    answer = "\n".join(_answered(who, answer, names) for who, answer in names.answers_to(made)) or "Not answered."
    who = f"{made.challenge_id}, {names.specialty(made.speaker)} ({made.act}, {made.stance})"
    return f"{who}: {made.claim}\nGround: {made.ground}\n{answer}"


def _answered(who: SpecialistId, answer: Answer, names: References) -> str:
    return f"{names.specialty(who)} answered {answer.act}: {answer.why} (findings: {ids(answer.findings)})"

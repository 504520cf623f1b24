"""Does the panel still disagree, and do its members still play their part? Pure functions over statements.

A step of the debate is a moment at which everybody names a leading diagnosis: round 3, round 5a, round 5c and each round
5c that follows the catfish. Source: protocol section 7.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise

from msgspec import Struct
from msgspec.structs import replace

from core.consult.merge import canonical
from core.consult.roles import drift
from core.domain.case import Case, FindingId
from core.domain.debate import (
    all_challenges,
    all_claims,
    last_answer,
    last_leading,
    listed_diagnoses,
    own_differential,
)
from core.domain.dissent import CatfishEffect, DebateStep, Dissent, Dissenter, LeadingChange, ReminderEffect
from core.domain.panel import SpecialistId
from core.domain.statement import (
    AnswerStatement,
    CatfishStatement,
    Cause,
    Claim,
    Collapse,
    DifferentialStatement,
    GroundId,
    PositionStatement,
    RoleReminder,
    Statement,
)
from core.settings import ConsultSettings


class Step(Struct, frozen=True, kw_only=True):
    """What led for whom at one moment. Who abstained is missing: no answer is no agreement."""

    stage: str
    leading: Mapping[SpecialistId, str]
    """Canonical name of the leading diagnosis, by specialist, in board order."""
    causes: Mapping[SpecialistId, Cause | None]


def steps(statements: Iterable[Statement]) -> tuple[Step, ...]:
    """In the order of the debate."""
    said = tuple(statements)
    names = {row.diagnosis_id: row.canonical for row in listed_diagnoses(said)}
    found: dict[str, dict[SpecialistId, tuple[str, Cause | None]]] = {}
    for statement in said:
        if isinstance(statement, DifferentialStatement) and statement.claims:
            leading, cause = canonical(statement.claims[0].diagnosis), None
        elif isinstance(statement, PositionStatement | AnswerStatement):
            leading, cause = names[statement.leading], statement.leading_cause
        else:
            continue
        found.setdefault(_stage(statement), {})[statement.speaker] = (leading, cause)
    return tuple(
        Step(
            stage=stage,
            leading={speaker: leading for speaker, (leading, _) in row.items()},
            causes={speaker: cause for speaker, (_, cause) in row.items()},
        )
        for stage, row in found.items()
    )


def disagreement(leading: Mapping[SpecialistId, str], among: Iterable[SpecialistId]) -> float | None:
    """Share of pairs with different leading diagnoses, 0..1; None for fewer than two specialists."""
    pairs = list(combinations([leading[speaker] for speaker in among], 2))
    return sum(one != other for one, other in pairs) / len(pairs) if pairs else None


def _fell(was: float, now: float) -> float:
    """Without the last digits of binary numbers: from 1 to 0.7 is a fall of 0.3, not of more."""
    return round(was - now, 9)


def leading_changes(statements: tuple[Statement, ...]) -> tuple[LeadingChange, ...]:
    """Every change of a leading diagnosis from the specialist's own step before, in the order of the debate."""
    order = _stages(statements)
    grounds = _grounds(statements)
    last: dict[SpecialistId, tuple[str, str]] = {}
    changes = []
    for step in steps(statements):
        for speaker, leading in step.leading.items():
            stage_before, before = last.get(speaker, (step.stage, leading))
            if leading != before:
                cause = step.causes[speaker]
                changes.append(
                    LeadingChange(
                        speaker=speaker,
                        stage=step.stage,
                        before=before,
                        after=leading,
                        cause=cause,
                        justified=cause is not None
                        and _justifies(cause, speaker, before, stage_before, order, grounds),
                    )
                )
            last[speaker] = (step.stage, leading)
    return tuple(changes)


def collapses(statements: tuple[Statement, ...], settings: ConsultSettings) -> tuple[Collapse, ...]:
    """Every step at which disagreement fell by more than `collapse_fall` while more than `collapse_unjustified` of the
    changes had no cause that counts. Only specialists who spoke at both steps are compared.
    """
    found = []
    sequence = steps(statements)
    changes = leading_changes(statements)
    for before, after in pairwise(sequence):
        both = [speaker for speaker in before.leading if speaker in after.leading]
        was, now = disagreement(before.leading, both), disagreement(after.leading, both)
        here = [change for change in changes if change.stage == after.stage and change.speaker in both]
        unjustified = sum(not change.justified for change in here)
        if was is None or now is None or not here:
            continue
        if _fell(was, now) > settings.collapse_fall and unjustified / len(here) > settings.collapse_unjustified:
            found.append(
                Collapse(
                    before=before.stage,
                    after=after.stage,
                    disagreement_before=was,
                    disagreement_after=now,
                    changes=len(here),
                    unjustified=unjustified,
                )
            )
    return tuple(found)


def unanswered_collapse(statements: tuple[Statement, ...], settings: ConsultSettings) -> Collapse | None:
    """The collapse against which the catfish must speak now, or None.

    None as well once disagreement is real again (within `collapse_fall` of what it was), or once everybody to whom the
    catfish spoke answered it with a ground that rests on a finding.
    """
    found = collapses(statements, settings)
    if not found:
        return None
    worst = max(found, key=lambda collapse: collapse.disagreement_before - collapse.disagreement_after)
    last = steps(statements)[-1]
    now = disagreement(last.leading, last.leading)
    if now is None or _fell(worst.disagreement_before, now) <= settings.collapse_fall or _answered(statements):
        return None
    return worst


def consensus(step: Step) -> str | None:
    """The diagnosis that leads for most, the first in panel order where several do; None where nobody spoke."""
    names = list(step.leading.values())
    return max(names, key=lambda name: (names.count(name), -names.index(name))) if names else None


def addressed_by(catfish: CatfishStatement, statements: tuple[Statement, ...]) -> tuple[SpecialistId, ...]:
    """Those for whom the consensus led when the catfish spoke against it: each has to answer."""
    names = {row.diagnosis_id: row.canonical for row in listed_diagnoses(statements)}
    spoken = statements[: statements.index(catfish)]
    step = steps(spoken)[-1]
    return tuple(speaker for speaker, leading in step.leading.items() if leading == names[catfish.against])


def describe(case: Case, statements: tuple[Statement, ...]) -> Dissent:
    """How the debate went, for the report. Nothing of it may be seen before the gate opens: it tells who leads."""
    names = {row.canonical: row.name for row in listed_diagnoses(statements)}
    order = [seat.specialist_id for seat in case.panel.specialists]
    sequence = steps(statements)
    return Dissent(
        steps=tuple(
            DebateStep(
                stage=step.stage,
                leading=tuple((speaker, names[step.leading[speaker]]) for speaker in order if speaker in step.leading),
                disagreement=disagreement(step.leading, step.leading),
            )
            for step in sequence
        ),
        changes=tuple(
            replace(change, before=names[change.before], after=names[change.after])
            for change in leading_changes(statements)
        ),
        collapses=collapses(statements, case.settings),
        dissenters=_dissenters(statements, order),
        catfish=tuple(_effect(s, statements) for s in statements if isinstance(s, CatfishStatement)),
        reminders=tuple(_heeded(s, statements) for s in statements if isinstance(s, RoleReminder)),
    )


def _dissenters(statements: tuple[Statement, ...], order: list[SpecialistId]) -> tuple[Dissenter, ...]:
    """Everybody for whom another diagnosis leads at the end than for most; all of them where no diagnosis leads alone."""
    rows = {row.diagnosis_id: row for row in listed_diagnoses(statements)}
    last = {speaker: leading for speaker in order if (leading := last_leading(statements, speaker))}
    counts = Counter(last.values()).most_common(2)
    tied = len(counts) == 2 and counts[0][1] == counts[1][1]
    return tuple(
        Dissenter(
            speaker=speaker,
            leading=rows[leading].name,
            claims=tuple(
                claim.claim_id
                for claim in _last_claims(statements, speaker)
                if canonical(claim.diagnosis) == rows[leading].canonical
            ),
        )
        for speaker, leading in last.items()
        if tied or leading != counts[0][0]
    )


def _last_claims(statements: tuple[Statement, ...], speaker: SpecialistId) -> tuple[Claim, ...]:
    held, own = last_answer(statements, speaker), own_differential(statements, speaker)
    if held is not None:
        return tuple(holding.claim for holding in held.holdings)
    return own.claims if own else ()


def _effect(catfish: CatfishStatement, statements: tuple[Statement, ...]) -> CatfishEffect:
    place = statements.index(catfish)
    before = steps(statements[:place])[-1]
    stage = catfish.address.split("/")[0].replace("r5b", "r5c")
    after = next((step for step in steps(statements) if step.stage == stage), None)
    addressed = addressed_by(catfish, statements)
    return CatfishEffect(
        challenge_id=catfish.challenge.challenge_id,
        addressed=addressed,
        answered=tuple(speaker for speaker in addressed if speaker in _grounded_answers(catfish, statements)),
        changed=tuple(change.speaker for change in leading_changes(statements) if change.stage == stage),
        disagreement_before=disagreement(before.leading, before.leading),
        disagreement_after=disagreement(after.leading, after.leading) if after else None,
    )


def _heeded(reminder: RoleReminder, statements: tuple[Statement, ...]) -> ReminderEffect:
    later = statements[statements.index(reminder) + 1 :]
    own = [statement for statement in later if getattr(statement, "speaker", None) == reminder.speaker]
    return ReminderEffect(speaker=reminder.speaker, before=reminder.drift, after=drift(own, reminder.role))


def _grounded_answers(catfish: CatfishStatement, statements: tuple[Statement, ...]) -> set[SpecialistId]:
    """Who answered the catfish with a ground that rests on a finding."""
    return {
        statement.speaker
        for statement in statements
        if isinstance(statement, AnswerStatement)
        for answer in statement.answers
        if answer.challenge_id == catfish.challenge.challenge_id and answer.findings
    }


def _answered(statements: tuple[Statement, ...]) -> bool:
    """Whether everybody answered the last catfish with a ground."""
    catfish = [statement for statement in statements if isinstance(statement, CatfishStatement)]
    if not catfish:
        return False
    return _grounded_answers(catfish[-1], statements).issuperset(addressed_by(catfish[-1], statements))


def _stage(statement: Statement) -> str:
    return statement.address.split("/")[0]


def _stages(statements: tuple[Statement, ...]) -> dict[str, int]:
    """Place of each stage in the debate."""
    return {stage: place for place, stage in enumerate(dict.fromkeys(map(_stage, statements)))}


class _Ground(Struct, frozen=True, kw_only=True):
    speaker: SpecialistId
    diagnosis: str | None
    """Canonical name of what a claim is for; None for a challenge."""
    stage: str
    findings: tuple[FindingId, ...]


def _grounds(statements: tuple[Statement, ...]) -> dict[GroundId, _Ground]:
    """Every claim and challenge with when it was made and what it rests on."""
    found: dict[GroundId, _Ground] = {}
    for statement in statements:
        for claim in all_claims((statement,)):
            ground = _Ground(
                speaker=claim.speaker,
                diagnosis=canonical(claim.diagnosis),
                stage=_stage(statement),
                findings=claim.supporting,
            )
            found[GroundId(claim.claim_id)] = ground
        for made in all_challenges((statement,)):
            ground = _Ground(speaker=made.speaker, diagnosis=None, stage=_stage(statement), findings=made.findings)
            found[GroundId(made.challenge_id)] = ground
    return found


def _justifies(
    cause: Cause,
    speaker: SpecialistId,
    before: str,
    stage_before: str,
    order: Mapping[str, int],
    grounds: Mapping[GroundId, _Ground],
) -> bool:
    ground = grounds.get(cause.ground)
    if ground is None:
        return False
    if cause.kind == "OWN-ERROR":
        # An error in a claim for another diagnosis is no reason to leave this one.
        return ground.speaker == speaker and ground.diagnosis == before
    # The board showed what stood on it before the stage began: all else of that stage, and of later ones, is new.
    is_new = order[ground.stage] >= order[stage_before]
    return ground.speaker != speaker and is_new and bool(ground.findings)

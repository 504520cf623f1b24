"""Round 5: positions on the list, challenges to single claims, answers. Everyone sees the board as it stood before."""

from typing import cast

from core.consult.asking import Question, answers, requests
from core.consult.board import board, challenge_line, claim_line, findings_block
from core.consult.independent import disease_name
from core.domain.case import Case, FindingId
from core.domain.debate import all_challenges, all_claims, listed_diagnoses, listing_of, own_differential, pick_names
from core.domain.panel import Specialist
from core.domain.statement import (
    Abstention,
    Answer,
    AnswerAct,
    AnswerStatement,
    Challenge,
    ChallengeAct,
    ChallengeId,
    ChallengeStatement,
    Claim,
    ClaimId,
    DiagnosisId,
    GroundKind,
    Holding,
    ListedDiagnosis,
    Position,
    PositionStatement,
    Stance,
    Statement,
)  # fmt: skip
from core.forms import Choice, Field, Filled, Form, Option, Picks, Repeat, Text, words
from core.ports import Block, ModelGate
from core.prompts import fill

POSITIONS, CHALLENGES, ANSWERS = "r5a", "r5b", "r5c"
OF_THE_LIST = "a name of the LIST, exactly as it stands there"
KINDS = ("mechanism", "guideline", "epidemiology", "finding")


def take_positions(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """5a: a stance on every diagnosis of the list, and the leading one."""
    rows = listed_diagnoses(statements)
    if not rows:
        return ()
    form = _position_form(case, rows)
    task = Block(text=fill("r5a_positions", form=form.instructions()))
    questions = [Question(specialist=seat, form=form, in_debate=True) for seat in case.panel.specialists]
    asked = requests(case, POSITIONS, (findings_block(case.vignette), *board(statements), task), questions)
    return tuple(
        filled
        if isinstance(filled, Abstention)
        else PositionStatement(
            address=request.address,
            speaker=seat.specialist_id,
            positions=tuple(_position(filled, row.diagnosis_id) for row in rows),
            leading=pick_names(rows)[filled.pick("LEADING")],
        )
        for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True)
    )


def _position_form(case: Case, rows: tuple[ListedDiagnosis, ...]) -> Form:
    ids = tuple(finding.finding_id for finding in case.vignette.findings)
    stances = (
        Option(name="SUPPORT", then=(Text(label="GROUND", hint="what supports it", max_chars=80),)),
        Option(
            name="CHALLENGE",
            then=(
                Text(label="COUNTER-GROUND", hint="what speaks against it", max_chars=80),
                Picks(label="FINDINGS", hint="findings against it", options=ids, low=1, high=2),
            ),
        ),
        Option(name="NEUTRAL"),
    )
    fields = tuple(Choice(label=row.diagnosis_id, title=row.name, options=stances) for row in rows)
    leading = words("LEADING", *pick_names(rows), hint="the most likely diagnosis", told=OF_THE_LIST)
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


def challenge(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """5b: each specialist takes up one claim of a colleague; who has no colleague with a claim is not asked."""
    claims = tuple(all_claims(statements))
    targets = {
        seat.specialist_id: tuple(_target(claim) for claim in claims if claim.speaker != seat.specialist_id)
        for seat in case.panel.specialists
    }
    seats = [seat for seat in case.panel.specialists if targets[seat.specialist_id]]
    if not seats:
        return ()
    findings = tuple(finding.finding_id for finding in case.vignette.findings)
    questions = [
        Question(
            specialist=seat,
            form=_challenge_form(targets[seat.specialist_id], findings),
            more=_own_claims(claims, seat),
            in_debate=True,
        )
        for seat in seats
    ]
    # The form stands in the shared part as it is for everybody; that nobody picks its own claim is the grammar's business.
    form = _challenge_form(tuple(map(_target, claims)), findings).instructions()
    task = Block(text=fill("r5b_challenges", form=form))
    asked = requests(case, CHALLENGES, (findings_block(case.vignette), *board(statements), task), questions)
    said: list[Statement] = []
    number = len(all_challenges(statements))
    for seat, request, filled in zip(seats, asked, answers(case, asked, gate), strict=True):
        if isinstance(filled, Abstention):
            said.append(filled)
            continue
        number += 1
        made = _challenge(filled, ChallengeId(f"Q{number}"), seat)
        said.append(ChallengeStatement(address=request.address, speaker=seat.specialist_id, challenge=made))
    return tuple(said)


def _target(claim: Claim) -> str:
    """A claim as it is picked: its id, and in words whose it is and of what."""
    return f"{claim.claim_id} {claim.speaker}, {claim.diagnosis}"


def _own_claims(claims: tuple[Claim, ...], seat: Specialist) -> str:
    mine = ", ".join(claim.claim_id for claim in claims if claim.speaker == seat.specialist_id)
    return f"Your own claims are {mine}; take up one of another specialist." if mine else ""


def _challenge_form(targets: tuple[str, ...], findings: tuple[str, ...]) -> Form:
    counter = Picks(label="FINDINGS", hint="findings of your counter-ground", options=findings, low=1, high=3)
    disagree = Option(name="DISAGREE", then=(counter,))
    stances = Choice(label="STANCE", options=(Option(name="AGREE"), disagree, Option(name="EXTEND")))
    acts = (
        Option(name="CHALLENGE", then=(Choice(label="STANCE", options=(disagree,)),)),
        Option(name="PROPOSE", then=(disease_name("PROPOSAL"), stances)),
        Option(name="ASK", then=(stances,)),
        Option(name="CITE", then=(stances,)),
    )
    return Form(
        name="challenge",
        fields=(
            words("TARGET", *targets, told="id of the colleague's claim, with whose it is and of what"),
            Choice(label="ACT", options=acts),
            Text(label="CLAIM", hint="your own assertion about it", max_chars=110),
            Text(label="GROUND", hint="the fact behind it", max_chars=110),
        ),
    )


def _challenge(filled: Filled, challenge_id: ChallengeId, seat: Specialist) -> Challenge:
    return Challenge(
        challenge_id=challenge_id,
        speaker=seat.specialist_id,
        target=ClaimId(filled.pick("TARGET").split()[0]),
        act=cast(ChallengeAct, filled.pick("ACT")),
        stance=cast(Stance, filled.pick("STANCE")),
        claim=filled.text("CLAIM"),
        ground=filled.text("GROUND"),
        findings=tuple(map(FindingId, filled.picks("FINDINGS"))) if "FINDINGS" in filled else (),
        proposal=filled.name("PROPOSAL") if "PROPOSAL" in filled else None,
    )


def answer(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """5c: answers to the challenges addressed to each, then the three diagnoses that each holds in the end."""
    rows = listed_diagnoses(statements)
    if not rows:
        return ()
    claims = {claim.claim_id: claim for claim in all_claims(statements)}
    received = {
        seat.specialist_id: tuple(
            c for c in all_challenges(statements) if claims[c.target].speaker == seat.specialist_id
        )
        for seat in case.panel.specialists
    }
    questions = [
        Question(
            specialist=seat,
            form=_answer_form(case, received[seat.specialist_id], _holding_options(statements, seat)),
            more=_addressed(received[seat.specialist_id], claims),
            in_debate=True,
        )
        for seat in case.panel.specialists
    ]
    form = _answer_form(case, (), _any_holding(statements)).instructions()
    task = Block(text=fill("r5c_answers", form=form))
    asked = requests(case, ANSWERS, (findings_block(case.vignette), *board(statements), task), questions)
    said: list[Statement] = []
    names = pick_names(rows)
    number = len(claims)
    for seat, request, filled in zip(case.panel.specialists, asked, answers(case, asked, gate), strict=True):
        if isinstance(filled, Abstention):
            said.append(filled)
            continue
        replied = tuple(_reply(filled, c.challenge_id) for c in received[seat.specialist_id])
        holdings = tuple(
            _holding(item, seat, rows, number + place) for place, item in enumerate(filled.items("HOLDINGS"), start=1)
        )
        number += len(holdings)
        said.append(
            AnswerStatement(
                address=request.address, speaker=seat.specialist_id, answers=replied, holdings=holdings,
                leading=names[filled.pick("LEADING")],
            )
        )  # fmt: skip
    return tuple(said)


def _addressed(mine: tuple[Challenge, ...], claims: dict[ClaimId, Claim]) -> str:
    """Every challenge to this specialist in full, with the claim that it attacks."""
    if not mine:
        return "Nobody challenged you: begin with the three diagnoses that you hold."
    lines = [f"{claim_line(claims[c.target])}\n{challenge_line(c)}" for c in mine]
    ids = ", ".join(c.challenge_id for c in mine)
    return "CHALLENGES TO YOU\n" + "\n".join(lines) + f"\nBegin with your answers to {ids}."


def _answer_form(case: Case, received: tuple[Challenge, ...], options: tuple[Option, ...]) -> Form:
    findings = tuple(finding.finding_id for finding in case.vignette.findings)
    why = (Text(label="WHY", hint="your ground", max_chars=100),)
    acts = (Option(name="DEFEND", then=why), Option(name="UPDATE", then=why))
    holding: tuple[Field, ...] = (
        Choice(label="DIAGNOSIS", told=OF_THE_LIST, options=options),
        Text(label="CLAIM", hint="why it fits this patient", max_chars=100),
        Text(label="GROUND", hint="the fact behind it", max_chars=100),
        words("GROUND-KIND", *KINDS),
        Picks(label="FOR", hint="findings that support it", options=findings, low=1, high=3),
    )
    names = (option.name for option in options)
    return Form(
        name="answers",
        fields=(
            *(Choice(label=challenge.challenge_id, options=acts) for challenge in received),
            Repeat(label="HOLDINGS", hint="best first", fields=holding, low=3, high=3, distinct=True),
            words("LEADING", *names, hint="the most likely diagnosis", told=OF_THE_LIST),
        ),
    )


def _holding_options(statements: tuple[Statement, ...], seat: Specialist) -> tuple[Option, ...]:
    """Every diagnosis of the list. What the specialist did not name itself can only be a change; a change has a cause."""
    rows = listed_diagnoses(statements)
    own = own_differential(statements, seat.specialist_id)
    named = {listing_of(claim.diagnosis, rows) for claim in own.claims} if own else set()
    mine = tuple(claim.claim_id for claim in own.claims) if own else ()
    theirs = tuple(claim.claim_id for claim in all_claims(statements) if claim.speaker != seat.specialist_id)
    changed = _changed(mine, theirs)
    kept = (Option(name="MAINTAINED"),)
    return tuple(
        _with_status(name, (*kept, *changed) if diagnosis_id in named else changed or kept)
        for name, diagnosis_id in pick_names(rows).items()
    )


def _any_holding(statements: tuple[Statement, ...]) -> tuple[Option, ...]:
    """The same for the instructions, which all specialists share."""
    ids = tuple(claim.claim_id for claim in all_claims(statements))
    statuses = (Option(name="MAINTAINED"), *_changed(ids, ids))
    return tuple(_with_status(name, statuses) for name in pick_names(listed_diagnoses(statements)))


def _with_status(name: str, statuses: tuple[Option, ...]) -> Option:
    return Option(name=name, then=(Choice(label="STATUS", options=statuses),))


def _changed(mine: tuple[ClaimId, ...], theirs: tuple[ClaimId, ...]) -> tuple[Option, ...]:
    """The option CHANGED with the causes that there can be; nothing where there is no claim to name."""
    causes = []
    if mine:
        causes.append(Option(name="OWN-ERROR", then=(words("CAUSE-CLAIM", *mine, hint="which of your claims"),)))
    if theirs:
        causes.append(Option(name="NEW-GROUND", then=(words("CAUSE-CLAIM", *theirs, hint="whose claim"),)))
    return (Option(name="CHANGED", then=(Choice(label="CAUSE", options=tuple(causes)),)),) if causes else ()


def _reply(filled: Filled, challenge_id: ChallengeId) -> Answer:
    act = cast(AnswerAct, filled.pick(challenge_id))
    return Answer(challenge_id=challenge_id, act=act, why=filled.after(challenge_id).text("WHY"))


def _holding(item: Filled, seat: Specialist, rows: tuple[ListedDiagnosis, ...], number: int) -> Holding:
    diagnosis_id = pick_names(rows)[item.pick("DIAGNOSIS")]
    changed = item.pick("STATUS") == "CHANGED"
    return Holding(
        diagnosis_id=diagnosis_id,
        status="CHANGED" if changed else "MAINTAINED",
        cause=("OWN-ERROR" if item.pick("CAUSE") == "OWN-ERROR" else "NEW-GROUND") if changed else None,
        cause_claim=ClaimId(item.pick("CAUSE-CLAIM")) if changed else None,
        claim=Claim(
            claim_id=ClaimId(f"C{number}"),
            speaker=seat.specialist_id,
            diagnosis=next(row.name for row in rows if row.diagnosis_id == diagnosis_id),
            text=item.text("CLAIM"),
            ground=item.text("GROUND"),
            ground_kind=cast(GroundKind, item.pick("GROUND-KIND")),
            supporting=tuple(map(FindingId, item.picks("FOR"))),
            opposing=(),
            cut=bool(item.cut),
        ),
    )

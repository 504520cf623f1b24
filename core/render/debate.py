"""What the panel said, round by round, every statement with its ids."""

from collections.abc import Iterator
from itertools import groupby

from core.domain.report import Report
from core.domain.statement import (
    Abstention,
    AnswerStatement,
    BallotStatement,
    CantMissStatement,
    CatfishStatement,
    ChallengeStatement,
    Claim,
    DifferentialStatement,
    ListedDiagnosis,
    MasterList,
    PositionStatement,
    RelevanceStatement,
    RoleReminder,
    Statement,
    TriageStatement,
)  # fmt: skip
from core.render import claims
from core.render.contents import Block, Paragraph, Section, table
from core.render.references import References, ids, stage_of, stage_title

BALLOTS = "r6"
LEGEND = (
    "S: finding of the vignette. C: claim. D: diagnosis of the list. Q: challenge. [cut]: the text "
    "reached its length limit and ends there. A ground of the kind guideline was stated by "
    "the model and not looked up."
)


def debate(report: Report, names: References) -> Section:
    """All rounds in their order. While withheld: no ballots, no leading diagnoses, no proposers."""
    released = report.status == "released"
    rounds = tuple(
        _round(stage, tuple(group), names, released)
        for stage, group in groupby(report.statements, lambda statement: stage_of(statement.address))
        if released or stage != BALLOTS
    )
    hidden = Section(title="Round 6", blocks=(Paragraph(text="Withheld until every can't-miss flag is settled."),))
    return Section(
        title="The debate, round by round",
        blocks=(Paragraph(text=LEGEND), *rounds, *(() if released else (hidden,))),
    )


def _round(stage: str, statements: tuple[Statement, ...], names: References, released: bool) -> Section:
    return Section(title=stage_title(stage), blocks=tuple(_blocks(statements, names, released)))


def _blocks(statements: tuple[Statement, ...], names: References, released: bool) -> Iterator[Block]:
    """Short statements of one kind stand in one table, abstentions behind all others."""
    for kind, group in groupby(sorted(statements, key=lambda s: isinstance(s, Abstention)), type):
        same = tuple(group)
        if kind is RelevanceStatement:
            yield _relevance(same, names)
        elif kind is TriageStatement:
            yield _triage(same, names)
        elif kind is BallotStatement:
            if released:
                yield _ballots(same, names)
        elif kind is CantMissStatement:
            yield _dangers(same, names)
        else:
            for statement in same:
                yield from _long(statement, names, released)


def _long(statement: Statement, names: References, released: bool) -> Iterator[Block]:
    match statement:
        case DifferentialStatement():
            ordered = statement.claims if released else sorted(statement.claims, key=_alphabet)
            yield from (claims.claim(made, names) for made in ordered)
            if statement.repeated is not None:
                who = names.specialty(statement.speaker)
                yield Paragraph(
                    text=f"{who} gave the name {statement.repeated} twice; the list ended there.", tone="notice"
                )
        case MasterList():
            yield _listed(statement.diagnoses, names, released)
        case PositionStatement():
            yield _positions(statement, names, released)
        case ChallengeStatement():
            yield claims.challenge(statement.challenge, names)
        case AnswerStatement():
            yield from _answers(statement, names, released)
        case CatfishStatement():
            yield claims.challenge(statement.challenge, names)
            yield Paragraph(text=f"The consensus would be right if: {statement.would_justify}")
        case RoleReminder():
            who = names.specialty(statement.speaker)
            text = f"{who} was reminded of the role {statement.role} (drift {statement.drift:.2f})."
            yield Paragraph(text=text)
        case Abstention():
            who = names.specialty(statement.speaker)
            text = f"Abstention, {who}: {statement.reason} It counts as no answer, never as agreement."
            yield Paragraph(text=text, tone="notice")


def _alphabet(made: Claim) -> str:
    """A specialist's own order is best first; while withheld the alphabet takes its place."""
    return made.diagnosis.casefold()


def _relevance(statements: tuple[Statement, ...], names: References) -> Block:
    rows: list[tuple[str, ...]] = [
        (names.specialty(s.speaker), str(s.relevance), s.why) for s in statements if isinstance(s, RelevanceStatement)
    ]
    return table(
        "Relevance of the own specialty", ("Specialist", "Relevance (0 to 10)", "Why"), rows, "Nothing was said."
    )


def _triage(statements: tuple[Statement, ...], names: References) -> Block:
    rows: list[tuple[str, ...]] = []
    for s in statements:
        if isinstance(s, TriageStatement):
            who = names.specialty(s.speaker)
            rows += [(who, a.urgency, a.action, ids(a.findings)) for a in s.actions] or [
                (who, "none", "no action", "none")
            ]
    return table("Actions", ("Specialist", "Urgency", "Action", "Findings"), rows, "Nothing was said.")


def _listed(diagnoses: tuple[ListedDiagnosis, ...], names: References, released: bool) -> Block:
    head = ("Diagnosis", "Id", "ICD-10-CM", "Merged from the names", "Possibly the same, left apart", "Entered in")
    rows: list[tuple[str, ...]] = []
    for row in sorted(diagnoses, key=lambda row: row.name.casefold()):
        merged, alike = "; ".join(row.names) or "none", "; ".join(row.possibly_same) or "none"
        entered = stage_title(row.entered).split(":")[0]
        proposers = (names.specialties(row.proposers),) if released else ()
        rows.append((row.name, row.diagnosis_id, row.icd10 or "none", merged, alike, entered, *proposers))
    caption = "Diagnoses in the order of the alphabet, not of likelihood"
    return table(caption, (*head, "Proposed by") if released else head, rows, "Nobody proposed a diagnosis.")


def _positions(statement: PositionStatement, names: References, released: bool) -> Section:
    rows: list[tuple[str, ...]] = [
        (names.diagnosis(p.diagnosis_id), p.stance, p.ground or "none", ids(p.findings)) for p in statement.positions
    ]
    who = names.specialty(statement.speaker)
    positions = table(
        f"Positions of {who}", ("Diagnosis", "Stance", "Ground", "Findings"), rows, "No position was taken."
    )
    leading = _leading(statement, names)
    return Section(title=who, blocks=(positions, *((leading,) if released else ())))


def _answers(statement: AnswerStatement, names: References, released: bool) -> Iterator[Block]:
    who = names.specialty(statement.speaker)
    rows: list[tuple[str, ...]] = [
        (answer.challenge_id, answer.act, answer.why, ids(answer.findings)) for answer in statement.answers
    ]
    answers = table(
        f"Answers of {who}", ("Challenge", "Answer", "Why", "Findings"), rows, f"{who} had no challenge to answer."
    )
    leading = _leading(statement, names)
    yield Section(title=who, blocks=(answers, *((leading,) if released else ())))
    held = statement.holdings if released else sorted(statement.holdings, key=lambda holding: _alphabet(holding.claim))
    yield from (claims.holding(holding, names) for holding in held)


def _leading(statement: PositionStatement | AnswerStatement, names: References) -> Paragraph:
    because = claims.because(statement.leading_cause, names)
    return Paragraph(text=f"Leading diagnosis: {names.diagnosis(statement.leading)}{because and ', changed'}{because}.")


def _ballots(statements: tuple[Statement, ...], names: References) -> Block:
    rows: list[tuple[str, ...]] = []
    for s in statements:
        if isinstance(s, BallotStatement):
            places = [*map(names.diagnosis, s.choices), "none", "none", "none"][: max(3, len(s.choices))]
            rows.append((names.specialty(s.speaker), *places[:3], s.confidence))
    head = ("Specialist", "First choice", "Second choice", "Third choice", "Confidence, as stated")
    return table("Ballots", head, rows, "No ballot was cast.")


def _dangers(statements: tuple[Statement, ...], names: References) -> Block:
    rows: list[tuple[str, ...]] = []
    for s in statements:
        if isinstance(s, CantMissStatement):
            who = names.specialty(s.speaker)
            none = [("no diagnosis", who, "none", "none", "none", "none")]
            rows += [(d.diagnosis, who, d.urgency, d.why, d.key_test, d.window) for d in s.dangers] or none
    head = ("Diagnosis", "Specialist", "Urgency", "Why", "Key test", "Time window")
    return table("Diagnoses that must not be missed", head, rows, "Nothing was said.")

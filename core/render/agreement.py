"""How the panel's agreement came about: answers adopted from peers, and alignment of reasoning. Only when released."""

from core.domain.appraisal import Adoption, Alignment, Cara, Refereeing
from core.render.contents import Block, Facts, Paragraph, Section, fact, table
from core.render.references import References, percent

FLAGS = {
    "adopted": "Changed under the panel: look. The ballot names what most peers name, the private answer "
    "something else.",
    "independent": "No sign of an adopted answer.",
    "no_answer": "Nothing can be said: the ballot or the private answer is missing.",
    "no_peers": "Nothing can be said: the others have no single most frequent leading diagnosis.",
}
DETAILS = {
    "confirmed": " Confirmed: the own answer in round 3 differs from the ballot as well.",
    "unstable": " Unstable: the own answer in round 3 equals the ballot, so the private answer may be chance.",
}
MEANING = (
    "A flag means: this specialist changed under the panel, look at why. It does not mean that the "
    "ballot is wrong, and it changes no weight. With honest peers, 54 to 74 of 100 flags are right "
    "(published precision .54-.74), and 11-22% of the specialists who adopted nothing are flagged all "
    "the same (published false-positive rate)."
)
PROXY = (
    "Proxy check: the private answer stands in for what the specialist would say without the panel. This "
    "substitution was not validated in the publication, so it is compared with round 3, which was "
    "answered before any colleague was heard."
)
NOT_CORRECTNESS = "Alignment is not correctness: a panel can reason alike and be wrong."
READING = (
    "Read the two together. Contradiction rate and similarity both fall: consistency illusion, beware. "
    "The contradiction rate falls and similarity rises: true alignment. The contradiction rate alone is fragile."
)


def referee(found: Refereeing | None, names: References) -> Section:
    title = "Referee: asked again in private"
    if found is None:
        return Section(title=title, blocks=(Paragraph(text="Not measured: the referee did not run."),))
    answers: list[tuple[str, ...]] = [
        (names.specialty(a.speaker), a.shared or "none", a.peers or "none", a.private or "none", a.isolated or "none")
        for a in found.adoptions
    ]
    findings: list[tuple[str, ...]] = [
        (names.specialty(a.speaker), FLAGS[a.flag] + DETAILS.get(a.detail or "", ""), _noise(a), _proxy(a))
        for a in found.adoptions
    ]
    head = ("Specialist", "Ballot (shared)", "Most peers' ballots", "Asked again in private", "Round 3 (isolated)")
    return Section(
        title=title,
        blocks=(
            Paragraph(text="After the ballots each specialist got its round-3 question again, word for word, alone."),
            table("Leading diagnoses", head, answers, "No specialist was asked."),
            table(
                "What the referee found", ("Specialist", "Finding", "Noise floor", "Proxy check"), findings,
                "There are no findings.",
            ),
            Facts(rows=(fact("Contagion", _contagion(found)), fact("Proxy agreement", _agreement(found)))),
            Paragraph(text=MEANING, tone="notice"),
            Paragraph(text=PROXY),
        ),
    )  # fmt: skip


def _noise(adoption: Adoption) -> str:
    if adoption.noise_floor is None:
        return "not measured"
    return f"{percent(adoption.noise_floor)} of {adoption.noise_answers} repeats gave the ballot's diagnosis"


def _proxy(adoption: Adoption) -> str:
    if adoption.proxy_agrees is None:
        return "not measured"
    return "private answer equals round 3" if adoption.proxy_agrees else "private answer differs from round 3"


def _contagion(found: Refereeing) -> str:
    if found.contagion is None:
        return "not measured: no specialist gave a private answer"
    return f"{percent(found.contagion)} of the specialists with a private answer were flagged"


def _agreement(found: Refereeing) -> str:
    if found.proxy_agreement is None:
        return "not measured"
    return f"{percent(found.proxy_agreement)} of the private answers equal the specialist's answer in round 3"


def alignment(cara: Cara | None, names: References) -> Section:
    if cara is None:
        figures: tuple[Block, ...] = (Paragraph(text="Not measured."),)
    elif cara.not_measured is not None:
        figures = (Paragraph(text=cara.not_measured, tone="notice"),)
    else:
        figures = (
            table(
                "Alignment before and after the debate",
                ("Moment", "Specialists with the majority's leading diagnosis", "CARA (-1 to 1)", "CARA (0 to 1)",
                 "Similarity (-1 to 1)", "Contradiction rate"),
                [_moment(cara.before, names), _moment(cara.after, names)],
                "Not measured.",
            ),
            Paragraph(text=READING),
        )  # fmt: skip
    return Section(title="Alignment of reasoning", blocks=(*figures, Paragraph(text=NOT_CORRECTNESS, tone="notice")))


def _moment(at: Alignment, names: References) -> tuple[str, ...]:
    hybrid = at.cara_hybrid
    rate = at.contradiction_rate
    return (
        f"{at.moment} the debate",
        names.specialties(at.members),
        _figure(hybrid),
        _figure(None if hybrid is None else (1 + hybrid) / 2),
        _figure(at.similarity),
        "not measured" if rate is None else f"{percent(rate)} of the closest pairs of steps",
    )


def _figure(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"

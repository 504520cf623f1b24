"""How the panel's agreement came about: answers adopted from peers. Only when released."""

from core.domain.appraisal import Adoption, Refereeing
from core.render.contents import Facts, Paragraph, Section, fact, table
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

"""The question of round 3. The referee asks it again word for word, so it is written in one place."""

from core.consult.asking import Question, requests
from core.consult.board import findings_block
from core.consult.seeds import seed_of
from core.domain.case import Case, considered
from core.forms import Form, Name, Picks, Repeat, Text, words
from core.ports import Address, Block, ChatRequest, Sampling
from core.prompts import fill

STAGE = "r3"
NOISE_STAGE = "noise"
REFEREE_STAGE = "referee"
LEADING = "DIAGNOSIS"
"""The list stands best first: its first name is the leading diagnosis, complete after the first line."""
TWO_NAMES = ("or", "such", "vs", "versus")
"""Words that would make two names, or a group, out of one disease."""


def disease_name(label: str = LEADING) -> Name:
    return Name(label=label, hint="the name of one disease", forbidden=TWO_NAMES)


def differential_form(findings: tuple[str, ...]) -> Form:
    diagnosis = (
        disease_name(),
        Text(label="CLAIM", hint="which findings of this patient the disease explains", max_chars=110),
        Text(label="GROUND", hint="by which mechanism the disease causes them", max_chars=110),
        words("GROUND-KIND", "mechanism", "guideline", "epidemiology", "finding"),
        Picks(label="FOR", hint="the findings that are most specific for it", options=findings, low=1, high=3),
        Picks(label="AGAINST", hint="findings that speak against it", options=findings, low=0, high=2),
    )
    return Form(
        name="differential",
        fields=(Repeat(label="DIFFERENTIAL", hint="best first", fields=diagnosis, low=3, high=5, distinct=True),),
    )


def independent_requests(case: Case) -> tuple[ChatRequest, ...]:
    """The requests of round 3, one a specialist: no board, no word of any colleague."""
    findings = considered(case)
    form = differential_form(tuple(finding.finding_id for finding in findings))
    task = Block(text=fill("r3_differentials", form=form.instructions()))
    questions = [Question(specialist=specialist, form=form) for specialist in case.panel.specialists]
    return requests(case, STAGE, (findings_block(findings), task), questions)


def private_requests(case: Case) -> tuple[ChatRequest, ...]:
    """The same questions for the referee: temperature 0, each alone from an empty state."""
    return tuple(
        _asked_again(
            case, request, Address(f"{REFEREE_STAGE}/{_speaker(request)}/1"), Sampling(temperature=0.0), alone=True,
            until=None if case.settings.whole_private_differential else LEADING,
        )
        for request in independent_requests(case)
    )  # fmt: skip


def noise_requests(case: Case) -> tuple[ChatRequest, ...]:
    """The same questions, repeated at each specialist's own temperature, up to the leading diagnosis."""
    return tuple(
        _asked_again(
            case, request, Address(f"{NOISE_STAGE}/{_speaker(request)}/{repeat}"), request.sampling, alone=False,
            until=LEADING,
        )
        for request in independent_requests(case)
        for repeat in range(1, case.settings.noise_repeats + 1)
    )  # fmt: skip


def _speaker(request: ChatRequest) -> str:
    return request.address.split("/")[1]


def _asked_again(
    case: Case, request: ChatRequest, address: Address, sampling: Sampling, *, alone: bool, until: str | None
) -> ChatRequest:
    return ChatRequest(
        address=address, system=request.system, shared=request.shared, own=request.own, form=request.form,
        sampling=sampling, seed=seed_of(case.seed, address), alone=alone, until=until,
    )  # fmt: skip

"""Asking the panel: one request for each specialist, all at once, and one more try where a reply is no answer."""

from collections.abc import Sequence

from msgspec import Struct, structs

from core.consult.seeds import seed_of
from core.domain.case import Case
from core.domain.panel import Specialist, SpecialistId
from core.domain.statement import Abstention
from core.forms import Filled, Form, has_ideographs
from core.ports import Address, Block, ChatRequest, ModelGate, Reply, Sampling
from core.prompts import fill

ENDED = {
    "context_full": "The reply did not end within the model's context.",
    "repeated_picks": "The reply picked the same id twice.",
}


class Question(Struct, frozen=True, kw_only=True):
    """What one specialist is asked beyond what all of them share."""

    specialist: Specialist
    form: Form
    more: str = ""
    """Text that only this specialist sees."""
    role: str = ""
    """What its debate role asks for; empty outside the debate."""
    model: str = ""
    """As in `ChatRequest`."""


def requests(
    case: Case, stage: str, blocks: tuple[Block, ...], questions: Sequence[Question]
) -> tuple[ChatRequest, ...]:
    """One request a question, first attempt. Replies hold no ideographs where the case has none."""
    wide = has_ideographs(case.vignette.text)
    return tuple(
        ChatRequest(
            address=(address := Address(f"{stage}/{question.specialist.specialist_id}/1")),
            system=fill("rules"),
            shared=blocks,
            own=_own(question),
            form=question.form if wide else question.form.alphabetic(),
            sampling=Sampling(temperature=question.specialist.temperature),
            seed=seed_of(case.seed, address),
            model=question.model,
        )
        for question in questions
    )


def _own(question: Question) -> str:
    return fill(
        "seat",
        specialty=question.specialist.specialty,
        persona=question.specialist.persona,
        role=f" {question.role}" if question.role else "",
        more=question.more,
    )


def answers(case: Case, asked: Sequence[ChatRequest], gate: ModelGate) -> tuple[Filled | Abstention, ...]:
    """What each request brought: a filled-in form, or an abstention after a second attempt failed as well.

    Nothing is patched up: a reply that ended before its form was complete is no answer.
    """
    replies = dict(zip((request.address for request in asked), gate.ask_all(asked), strict=True))
    again = [_again(case, request) for request in asked if replies[request.address].ended != "complete"]
    if again:
        replies |= {
            Address(request.address.rsplit("/", 1)[0] + "/1"): reply
            for request, reply in zip(again, gate.ask_all(again), strict=True)
        }
    return tuple(_answer(request, replies[request.address]) for request in asked)


def _again(case: Case, request: ChatRequest) -> ChatRequest:
    address = Address(request.address.rsplit("/", 1)[0] + "/2")
    return structs.replace(request, address=address, seed=seed_of(case.seed, address))


def _answer(request: ChatRequest, reply: Reply) -> Filled | Abstention:
    if reply.ended == "complete":
        return request.form.parse(reply.text)
    speaker = SpecialistId(request.address.split("/")[1])
    return Abstention(address=request.address, speaker=speaker, reason=ENDED[reply.ended])

"""Round 3: each specialist's own differential, made without a word of the others."""

from typing import cast

from core.consult.asking import answers
from core.consult.independent import independent_requests, noise_requests
from core.consult.merge import same_diagnosis
from core.domain.case import Case, FindingId
from core.domain.panel import SpecialistId
from core.domain.statement import Abstention, Claim, ClaimId, DifferentialStatement, GroundKind, Statement
from core.forms import Filled, Repeated
from core.ports import ModelGate


def differentiate(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    asked = independent_requests(case)
    # The referee's noise floor repeats these very questions: asked in the same batch, they cost next to nothing. The
    # referee finds the replies in the log.
    gate.ask_all((*asked, *noise_requests(case)))
    said: list[Statement] = []
    count = 0
    for request, filled in zip(asked, answers(case, asked, gate), strict=True):
        if isinstance(filled, Abstention):
            said.append(filled)
            continue
        speaker = SpecialistId(request.address.split("/")[1])
        items, repeated = _until_repeated(filled)
        claims = tuple(_claim(item, speaker, count + number) for number, item in enumerate(items, start=1))
        count += len(claims)
        said.append(DifferentialStatement(address=request.address, speaker=speaker, claims=claims, repeated=repeated))
    return tuple(said)


def _until_repeated(filled: Filled) -> tuple[tuple[Filled, ...], str | None]:
    """The items up to the first diagnosis that stands in the list already, under whatever name. Source: section 3."""
    value = filled["DIFFERENTIAL"]
    assert isinstance(value, Repeated)
    for index, item in enumerate(value.items):
        name = item.name("DIAGNOSIS")
        if any(same_diagnosis(name, earlier.name("DIAGNOSIS")) for earlier in value.items[:index]):
            return value.items[:index], name
    return value.items, value.repeated.text.strip() if value.repeated else None


def _claim(item: Filled, speaker: SpecialistId, number: int) -> Claim:
    return Claim(
        claim_id=ClaimId(f"C{number}"),
        speaker=speaker,
        diagnosis=item.name("DIAGNOSIS"),
        text=item.text("CLAIM"),
        ground=item.text("GROUND"),
        ground_kind=cast(GroundKind, item.pick("GROUND-KIND")),
        supporting=tuple(map(FindingId, item.picks("FOR"))),
        opposing=tuple(map(FindingId, item.picks("AGAINST"))),
        cut=bool(item.cut),
    )

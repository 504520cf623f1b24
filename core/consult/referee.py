"""The referee: each specialist is asked its round-3 question again in private, to find answers adopted from peers.

No model and no person: the same question, word for word, at temperature 0, without the board, one at a time. A flag means
"changed under the panel: look", never "wrong". Source: protocol section 8.
"""

from collections import Counter
from collections.abc import Sequence

from core.consult.independent import LEADING, noise_requests, private_requests
from core.consult.merge import canonical, preferred
from core.domain.appraisal import Adoption, AdoptionFlag, Refereeing
from core.domain.case import Case
from core.domain.debate import listed_diagnoses, own_differential
from core.domain.panel import SpecialistId
from core.domain.statement import BallotStatement, Statement
from core.ports import ChatRequest, ModelGate, Reply


def ask_again_in_private(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> Refereeing:
    """Adoptions in panel order, contagion and proxy agreement. Diagnoses are compared by canonical concept only."""
    private = _leading_names(private_requests(case), gate)
    noise = _leading_names(noise_requests(case), gate)
    shared = _shared(statements)
    adoptions = tuple(
        _adoption(speaker, shared, private[speaker][0], _isolated(statements, speaker), noise.get(speaker, []))
        for speaker in (seat.specialist_id for seat in case.panel.specialists)
    )
    answered = [adoption for adoption in adoptions if adoption.private is not None]
    compared = [adoption.proxy_agrees for adoption in adoptions if adoption.proxy_agrees is not None]
    flagged = sum(adoption.flag == "adopted" for adoption in answered)
    return Refereeing(
        adoptions=adoptions,
        contagion=flagged / len(answered) if answered else None,
        proxy_agreement=sum(compared) / len(compared) if compared else None,
    )


def _leading_names(asked: Sequence[ChatRequest], gate: ModelGate) -> dict[SpecialistId, list[str | None]]:
    """The leading diagnosis of every reply, by specialist; None for a reply that is no answer."""
    names: dict[SpecialistId, list[str | None]] = {}
    for request, reply in zip(asked, gate.ask_all(asked), strict=True):
        names.setdefault(SpecialistId(request.address.split("/")[1]), []).append(_leading_name(request, reply))
    return names


def _leading_name(request: ChatRequest, reply: Reply) -> str | None:
    return request.form.first(reply.text, LEADING) if reply.ended == "complete" else None


def _shared(statements: tuple[Statement, ...]) -> dict[SpecialistId, str]:
    """Name of the first choice on each ballot."""
    names = {row.diagnosis_id: row.name for row in listed_diagnoses(statements)}
    ballots = (statement for statement in statements if isinstance(statement, BallotStatement))
    return {ballot.speaker: names[ballot.choices[0]] for ballot in ballots if ballot.choices}


def _isolated(statements: tuple[Statement, ...], speaker: SpecialistId) -> str | None:
    own = own_differential(statements, speaker)
    return own.claims[0].diagnosis if own and own.claims else None


def _adoption(
    speaker: SpecialistId,
    ballots: dict[SpecialistId, str],
    private: str | None,
    isolated: str | None,
    noise: Sequence[str | None],
) -> Adoption:
    shared = ballots.get(speaker)
    peers = _most_frequent([name for other, name in ballots.items() if other != speaker])
    again = [name for name in noise if name is not None]
    flag = adoption_flag(shared, private, peers)
    return Adoption(
        speaker=speaker,
        flag=flag,
        detail=("unstable" if _same(isolated, shared) else "confirmed") if flag == "adopted" else None,
        shared=shared,
        peers=peers,
        private=None if private is None else preferred(private)[0],
        isolated=None if isolated is None else preferred(isolated)[0],
        noise_floor=sum(_same(name, shared) for name in again) / len(again) if again and shared else None,
        noise_answers=len(again),
        proxy_agrees=None if None in (private, isolated) else _same(private, isolated),
    )


def adoption_flag(shared: str | None, private: str | None, peers: str | None) -> AdoptionFlag:
    """Adopted: what most peers say was said with them, and in private something else. By canonical concept.

    Source: protocol section 8.
    """
    if shared is None or private is None:
        return "no_answer"
    if peers is None:
        return "no_peers"
    return "adopted" if _same(shared, peers) and not _same(private, shared) else "independent"


def _most_frequent(names: Sequence[str]) -> str | None:
    """The one name that most of the others chose; None where there is none or several are tied."""
    counts = Counter(map(canonical, names)).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return next(name for name in names if canonical(name) == counts[0][0])


def _same(a: str | None, b: str | None) -> bool:
    return a is not None and b is not None and canonical(a) == canonical(b)

"""Round 4: all proposals as one list, in the order of the alphabet, every proposer kept. No model call.

Runs again after the challenges of round 5, which may propose something new: ids given once stay, new ones follow.
"""

from collections.abc import Iterator

from core.consult.merge import canonical, possibly_same, preferred
from core.domain.case import Case
from core.domain.panel import SpecialistId
from core.domain.statement import (
    CatfishStatement,
    ChallengeStatement,
    DiagnosisId,
    DifferentialStatement,
    ListedDiagnosis,
    MasterList,
    Statement,
)  # fmt: skip
from core.ports import Address, ModelGate


def list_diagnoses(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> tuple[Statement, ...]:
    """A new `MasterList`, or nothing where the list would stay as it is."""
    earlier = [statement for statement in statements if isinstance(statement, MasterList)]
    known = earlier[-1].diagnoses if earlier else ()
    names: dict[str, list[str]] = {}
    proposers: dict[str, list[SpecialistId]] = {}
    for name, speaker in _proposals(statements):
        concept = canonical(name)
        if name not in names.setdefault(concept, []):
            names[concept].append(name)
        if speaker not in proposers.setdefault(concept, []):
            proposers[concept].append(speaker)
    ids = {listed.canonical: listed.diagnosis_id for listed in known}
    new = sorted(
        (concept for concept in names if concept not in ids), key=lambda concept: preferred(names[concept][0])[0]
    )
    if not new:
        return ()
    ids |= {concept: DiagnosisId(f"D{number}") for number, concept in enumerate(new, start=len(ids) + 1)}
    alike = possibly_same(tuple(found[0] for found in names.values()))
    rows = tuple(
        ListedDiagnosis(
            diagnosis_id=ids[concept],
            name=preferred(names[concept][0])[0],
            canonical=concept,
            names=tuple(names[concept]),
            proposers=tuple(proposers[concept]),
            icd10=preferred(names[concept][0])[1],
            entered="r5b" if earlier and concept in new else "r3",
            possibly_same=tuple(b if a == names[concept][0] else a for a, b in alike if names[concept][0] in (a, b)),
        )
        for concept in ids
    )
    return (MasterList(address=Address(f"r4/list/{len(earlier) + 1}"), diagnoses=rows),)


def _proposals(statements: tuple[Statement, ...]) -> Iterator[tuple[str, SpecialistId]]:
    for statement in statements:
        if isinstance(statement, DifferentialStatement):
            for claim in statement.claims:
                yield claim.diagnosis, statement.speaker
        elif isinstance(statement, ChallengeStatement | CatfishStatement) and statement.challenge.proposal:
            yield statement.challenge.proposal, statement.speaker

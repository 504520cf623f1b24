"""A panel of four that wrote different wordings of four diagnoses, as statements, in a few words."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from core.consult.differential import rank
from core.consult.merge import canonical
from core.consult.names import RuledList, as_ruled, spelled
from core.domain.appraisal import Adoption, Refereeing
from core.domain.case import NameRuling
from core.domain.differential import Differential
from core.domain.panel import SpecialistId
from core.domain.statement import (
    BallotStatement,
    Challenge,
    ChallengeId,
    ChallengeStatement,
    Claim,
    ClaimId,
    DiagnosisId,
    DifferentialStatement,
    ListedDiagnosis,
    MasterList,
    Statement,
)
from core.ports import Address
from tests.core.consult.debates import FINDINGS, case_of, specialist

LIST = {
    "D1": ("Gout", "gouty arthritis", "urate arthritis"),
    "D2": ("Lyme disease",),
    "D3": ("heart attack", "MI"),
    "D4": ("Pseudogout", "CPPD"),
}
NAMES = {"D1": "Gout", "D2": "Lyme disease", "D3": "Myocardial infarction", "D4": "Pseudogout"}
WORDINGS = [name for names in LIST.values() for name in names]
SEATS = 4
Kind = Literal["split", "join"]
Rulings = tuple[NameRuling, ...]


class Panel:
    """`wrote`: names of round 3, a sequence a specialist; `ballots`: rows of the list; `proposed`: names of round 5b."""

    def __init__(
        self, wrote: Sequence[Sequence[str]], ballots: Sequence[Sequence[str]], proposed: dict[int, str]
    ) -> None:
        self.statements: tuple[Statement, ...] = ()
        for number, names in enumerate(wrote):
            claims = tuple(claim(number, place, name) for place, name in enumerate(names))
            address = Address(f"r3/s{number}/1")
            self.statements += (DifferentialStatement(address=address, speaker=specialist(number), claims=claims),)
        rows = tuple(
            ListedDiagnosis(
                diagnosis_id=DiagnosisId(row),
                name=NAMES[row],
                canonical=canonical(NAMES[row]),
                names=names,
                proposers=self._proposers(names, proposed),
                icd10=f"{row}.0",
            )
            for row, names in LIST.items()
        )
        self.statements += (MasterList(address=Address("r4/list/1"), diagnoses=rows),)
        self.statements += tuple(_proposal(number, name) for number, name in proposed.items())
        self.statements += tuple(
            BallotStatement(
                address=Address(f"r6/s{number}/1"),
                speaker=specialist(number),
                choices=tuple(map(DiagnosisId, choices)),
                confidence="low",
            )
            for number, choices in enumerate(ballots)
            if choices
        )

    def _proposers(self, names: tuple[str, ...], proposed: dict[int, str]) -> tuple[SpecialistId, ...]:
        early = [s.speaker for s in self.statements if isinstance(s, DifferentialStatement) and _wrote(s, names)]
        late = [specialist(number) for number, name in proposed.items() if name in names]
        return tuple(dict.fromkeys((*early, *late)))

    def ruled(self, rulings: Rulings) -> RuledList:
        return as_ruled(self.statements, rulings)

    def ranked(self, rulings: Rulings = (), adoptions: tuple[Adoption, ...] = ()) -> Differential:
        case = replace(case_of(SEATS), rulings=rulings)
        found = rank(case, self.statements, Refereeing(adoptions=adoptions))
        assert found is not None
        return found

    def rule(self, rulings: Rulings, kind: Kind, *names: str) -> Rulings:
        found = spelled(self.statements, rulings, kind, names)
        return (*rulings, NameRuling(kind=kind, names=found, by="Dr. Ruiz", at="2026-03-01T08:00:00Z"))


def _wrote(statement: DifferentialStatement, names: tuple[str, ...]) -> bool:
    return any(claim.diagnosis in names for claim in statement.claims)


def claim(number: int, place: int, name: str) -> Claim:
    return Claim(
        claim_id=ClaimId(f"C{10 * number + place}"),
        speaker=specialist(number),
        diagnosis=name,
        text="It explains it.",
        ground="It is known to do so.",
        ground_kind="mechanism",
        supporting=(FINDINGS[number], FINDINGS[4]),
        opposing=(),
    )


def _proposal(number: int, name: str) -> ChallengeStatement:
    made = Challenge(
        challenge_id=ChallengeId(f"Q{number}"), speaker=specialist(number), target=ClaimId("C0"), act="PROPOSE",
        stance="EXTEND", claim="Also.", ground="Known.", proposal=name,
    )  # fmt: skip
    return ChallengeStatement(address=Address(f"r5b/s{number}/1"), speaker=specialist(number), challenge=made)

"""Debates written down in a few words, as statements: who leads with what at each step, and why somebody changed."""

from collections.abc import Sequence

from core.consult.merge import canonical
from core.domain.case import Case, CaseId, Finding, FindingId, Vignette
from core.domain.panel import Panel, Role, Specialist, SpecialistId
from core.domain.statement import (
    AnswerStatement,
    Cause,
    Challenge,
    ChallengeId,
    ChallengeStatement,
    Claim,
    ClaimId,
    DiagnosisId,
    DifferentialStatement,
    GroundId,
    Holding,
    ListedDiagnosis,
    MasterList,
    Position,
    PositionStatement,
    Statement,
)
from core.ports import Address
from core.settings import ConsultSettings

FINDINGS = tuple(FindingId(f"S{number}") for number in range(1, 9))
ROLES: tuple[Role, ...] = ("advocate", "operator", "edge-case hunter", "skeptic", "red team")
Names = Sequence[str]


def specialist(number: int) -> SpecialistId:
    return SpecialistId(f"s{number}")


def case_of(seats: int, settings: ConsultSettings | None = None) -> Case:
    return Case(
        case_id=CaseId("case"),
        title="A case",
        opened_at="2026-01-01T00:00:00Z",
        vignette=Vignette(text="text", findings=tuple(Finding(finding_id=f, text=f) for f in FINDINGS)),
        panel=Panel(
            specialists=tuple(
                Specialist(
                    specialist_id=specialist(number),
                    specialty=f"specialty {number}",
                    persona="A persona.",
                    temperament="conservative",
                    temperature=0.3,
                    role=ROLES[number % len(ROLES)],
                )
                for number in range(seats)
            )
        ),
        settings=settings or ConsultSettings(),
        seed=1,
        model_id="scripted",
    )


class Debate:
    """Rounds are added in their order; each gives itself back. Claims are C1, C2 ..., challenges Q1, Q2 ..."""

    def __init__(self) -> None:
        self.statements: tuple[Statement, ...] = ()
        self._claims = self._challenges = 0
        self._ids: dict[str, DiagnosisId] = {}

    def begin(self, leading: Names) -> "Debate":
        """Round 3: claim number i + 1 is the one claim of specialist i."""
        for number, name in enumerate(leading):
            said = DifferentialStatement(
                address=Address(f"r3/s{number}/1"), speaker=specialist(number), claims=(self._claim(number, name),)
            )
            self.statements += (said,)
        return self._listed(leading)

    def positions(
        self,
        leading: Sequence[str | None],
        causes: dict[int, Cause] | None = None,
        stances: dict[int, str] | None = None,
    ) -> "Debate":
        """Round 5a. None: abstained. `stances`: one letter a position, S, C or N, for specialists that take some."""
        self._listed([name for name in leading if name])
        for number, name in enumerate(leading):
            if name is not None:
                letters = (stances or {}).get(number, "")
                said = PositionStatement(
                    address=Address(f"r5a/s{number}/1"),
                    speaker=specialist(number),
                    positions=tuple(map(_position, letters)),
                    leading=self._ids[canonical(name)],
                    leading_cause=(causes or {}).get(number),
                )
                self.statements += (said,)
        return self

    def challenge(self, number: int, target: str, act: str = "CHALLENGE", findings: int = 1) -> "Debate":
        """Round 5b, one specialist."""
        self._challenges += 1
        made = Challenge(
            challenge_id=ChallengeId(f"Q{self._challenges}"),
            speaker=specialist(number),
            target=ClaimId(target),
            act=act,  # type: ignore[arg-type]
            stance="DISAGREE" if act == "CHALLENGE" else "EXTEND",
            claim="It does not fit.",
            ground="The time course is another one.",
            findings=FINDINGS[:findings],
        )
        said = ChallengeStatement(address=Address(f"r5b/s{number}/1"), speaker=specialist(number), challenge=made)
        self.statements += (said,)
        return self

    def answers(self, leading: Sequence[str | None], causes: dict[int, Cause] | None = None) -> "Debate":
        """Round 5c. None: abstained."""
        self._listed([name for name in leading if name])
        for number, name in enumerate(leading):
            if name is not None:
                diagnosis_id = self._ids[canonical(name)]
                held = Holding(diagnosis_id=diagnosis_id, status="MAINTAINED", claim=self._claim(number, name))
                said = AnswerStatement(
                    address=Address(f"r5c/s{number}/1"),
                    speaker=specialist(number),
                    answers=(),
                    holdings=(held,),
                    leading=diagnosis_id,
                    leading_cause=(causes or {}).get(number),
                )
                self.statements += (said,)
        return self

    def _claim(self, number: int, name: str) -> Claim:
        self._claims += 1
        return Claim(
            claim_id=ClaimId(f"C{self._claims}"),
            speaker=specialist(number),
            diagnosis=name,
            text=f"{name} explains it.",
            ground="It is known to do so.",
            ground_kind="mechanism",
            supporting=FINDINGS[:1],
            opposing=(),
        )

    def _listed(self, names: Names) -> "Debate":
        before = len(self._ids)
        for name in names:
            self._ids.setdefault(canonical(name), DiagnosisId(f"D{len(self._ids) + 1}"))
        if len(self._ids) > before:
            rows = tuple(
                ListedDiagnosis(diagnosis_id=row, name=name, canonical=name, names=(name,), proposers=())
                for name, row in self._ids.items()
            )
            self.statements += (MasterList(address=Address("r4/list/1"), diagnoses=rows),)
        return self


def new_ground(ground: str) -> Cause:
    return Cause(kind="NEW-GROUND", ground=GroundId(ground))


def own_error(ground: str) -> Cause:
    return Cause(kind="OWN-ERROR", ground=GroundId(ground))


def _position(letter: str) -> Position:
    stance = {"S": "SUPPORT", "C": "CHALLENGE", "N": "NEUTRAL"}[letter]
    return Position(diagnosis_id=DiagnosisId("D1"), stance=stance)  # type: ignore[arg-type]

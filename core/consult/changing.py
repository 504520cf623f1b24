"""Changing one's mind: allowed for an own error or a better ground only, and the form asks which.

Whoever names another leading diagnosis than before names the cause as well; the detector judges it afterwards
(`core.consult.dissent`). Source: Grounded Debate Protocol, protocol sections 3 and 7.
"""

from collections.abc import Iterable

from core.domain.debate import all_challenges, all_claims, pick_names
from core.domain.panel import SpecialistId
from core.domain.statement import Cause, DiagnosisId, GroundId, ListedDiagnosis, Statement
from core.forms import Choice, Field, Filled, Option, words

LEADING = "LEADING"
OF_THE_LIST = "a name of the LIST, exactly as it stands there"


def cause_fields(statements: tuple[Statement, ...], speaker: SpecialistId | None) -> tuple[Field, ...]:
    """The fields that name a cause; none where there is no claim and no challenge to name.

    Without a speaker: as the instructions tell it to everybody.
    """
    claims, challenges = tuple(all_claims(statements)), all_challenges(statements)
    mine = tuple(claim.claim_id for claim in claims if speaker in (None, claim.speaker))
    theirs: tuple[str, ...] = (
        *(claim.claim_id for claim in claims if claim.speaker != speaker),
        *(challenge.challenge_id for challenge in challenges if challenge.speaker != speaker),
    )
    causes = []
    if mine:
        causes.append(
            Option(name="OWN-ERROR", then=(words("CAUSE-CLAIM", *mine, hint="your own claim that was wrong"),))
        )
    if theirs:
        causes.append(Option(name="NEW-GROUND", then=(words("CAUSE-CLAIM", *theirs, hint="whose claim or challenge"),)))
    return (Choice(label="CAUSE", options=tuple(causes)),) if causes else ()


def cause_of(filled: Filled) -> Cause | None:
    """What stands in these fields."""
    if "CAUSE" not in filled:
        return None
    kind = filled.pick("CAUSE")
    return Cause(kind="OWN-ERROR" if kind == "OWN-ERROR" else "NEW-GROUND", ground=GroundId(filled.pick("CAUSE-CLAIM")))


def leading_field(rows: Iterable[ListedDiagnosis], before: DiagnosisId | None, causes: tuple[Field, ...]) -> Choice:
    """The leading diagnosis out of the list; with its cause where it is another one than `before`."""
    options = tuple(
        Option(name=name, then=() if before in (None, diagnosis_id) else causes)
        for name, diagnosis_id in pick_names(rows).items()
    )
    return Choice(label=LEADING, hint="the most likely diagnosis", told=OF_THE_LIST, options=options)


def leading_told(causes: tuple[Field, ...]) -> Choice:
    """The same for the instructions, which all specialists share."""
    options = (
        Option(name="the diagnosis that led for you before"),
        Option(name="another one than led for you before", then=causes),
    )
    return Choice(label=LEADING, hint="the most likely diagnosis", told=OF_THE_LIST, options=options)

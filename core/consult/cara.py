"""Do specialists who agree also reason alike? Cross-agent reasoning alignment, before and after the debate."""

from core.domain.appraisal import Alignment, Cara
from core.domain.case import Case
from core.domain.statement import Statement
from core.ports import ModelGate

NO_SCORER = "not measured: no scorer installed"


def measure(case: Case, statements: tuple[Statement, ...], gate: ModelGate) -> Cara:
    """Every figure is `None` as long as nothing can measure it."""
    return Cara(before=Alignment(moment="before"), after=Alignment(moment="after"), not_measured=NO_SCORER)

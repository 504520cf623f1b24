"""Everything that is known about a case as one record, with the gate that withholds the differential."""

from core.consult.cant_miss import open_flags
from core.consult.dissent import describe
from core.consult.evidence import map_evidence
from core.consult.ledger import Ledger
from core.consult.withholding import unranked
from core.domain.alignment import Cara
from core.domain.appraisal import CantMissReview, Refereeing
from core.domain.case import Case
from core.domain.differential import Differential
from core.domain.report import ImmediateAction, Report
from core.domain.statement import Statement, TriageStatement
from core.ports import ModelIdentity

VIABLE_PARAMETERS = 3_000_000_000
"""Below this a panel does worse than a single pass. Source: protocol section 10."""


def assemble(
    case: Case,
    statements: tuple[Statement, ...],
    cara: Cara,
    refereeing: Refereeing,
    review: CantMissReview,
    differential: Differential | None,
    ledger: Ledger,
) -> Report:
    """The report. While flags are open it holds nothing that ranks or counts: not hidden, but absent."""
    reasons = _withheld_because(case, review)
    models = ledger.models()
    return Report(
        case=case,
        status="withheld" if reasons else "released",
        withheld_because=reasons,
        immediate=immediate_actions(statements),
        statements=unranked(statements) if reasons else statements,
        cara=None if reasons else cara,
        refereeing=None if reasons else refereeing,
        cant_miss=review,
        differential=None if reasons else differential,
        dissent=None if reasons else describe(case, statements),
        evidence=None if reasons else map_evidence(case, statements),
        models=models,
        viability_note=viability_note(models),
        figures=ledger.figures(),
        left_out=ledger.left_out(),
    )


def _withheld_because(case: Case, review: CantMissReview) -> tuple[str, ...]:
    flags = open_flags(case, review)
    names = {flag.flag_id: flag.diagnosis for flag in review.flags}
    names[review.checklist_id] = f"the checklist of {len(review.checklist)} other dangerous diagnoses"
    return tuple(f"Not settled yet: {names[flag]}." for flag in flags)


def immediate_actions(statements: tuple[Statement, ...]) -> tuple[ImmediateAction, ...]:
    """What round 2 calls immediate; shown on top of everything, whatever else is withheld."""
    return tuple(
        ImmediateAction(speaker=statement.speaker, action=action)
        for statement in statements
        if isinstance(statement, TriageStatement)
        for action in statement.actions
        if action.urgency == "immediate"
    )


def viability_note(models: tuple[ModelIdentity, ...]) -> str | None:
    """What must be said of models below 3 billion parameters, as a sentence; None where all are larger."""
    small = [model for model in models if model.parameters < VIABLE_PARAMETERS]
    if not small:
        return None
    if all(model.parameters == 0 for model in small):
        return "The replies come from a script, not from a model: this shows how the program works and nothing about the case."
    names = ", ".join(f"{model.model_id} ({model.parameters / 1e9:.2f} billion parameters)" for model in small)
    return (
        f"{names} lies below 3 billion parameters. Panels of such small models do worse than a single pass: this run proves "
        "that the machinery works and says nothing of clinical value."
    )

"""The cases that a released one can be compared with, as words."""

from datetime import datetime

from msgspec import Struct

from core.domain.case import Case, CaseId


class ComparableRow(Struct, frozen=True):
    case_id: CaseId
    text: str
    """Title, then how it belongs to the other case and when it was opened, on a second line."""


def comparable_row(other: Case, shown: Case, is_family: bool) -> ComparableRow:
    """`is_family`: both continue one case, in whatever way."""
    at = datetime.fromisoformat(other.opened_at).astimezone().strftime("%Y-%m-%d %H:%M")
    return ComparableRow(other.case_id, f"{other.title}\n{at}  ·  {_relation(other, shown, is_family)}")


def _relation(other: Case, shown: Case, is_family: bool) -> str:
    if other.continues == shown.case_id:
        return f"continues this case{_without(other, shown)}"
    if shown.continues == other.case_id:
        return f"this case continues it{_without(shown, other)}"
    return "belongs to the same case" if is_family else "has a finding in common"


def _without(later: Case, earlier: Case) -> str:
    """Findings that were left out between the two."""
    left_out = [finding for finding in later.excluded if finding not in earlier.excluded]
    return f" without {', '.join(left_out)}" if left_out else ""

"""Settings that change what a case is asked or how it is counted. Stored with each case, so a replay uses the same."""

from typing import Literal

import msgspec

from core.errors import BadInput

PROTOCOL_VERSION = 3
"""Rises whenever a prompt, form or order of calls changes; a case of another version opens read-only from its report."""


class ConsultSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    specialists: Literal[1, 3, 5] = 5
    """Seats on the panel. Source: SCoT 5.1 and 5.4."""
    innovative_temperature: float = 0.7
    """Temperature of innovative specialists (two of five, one of three). Source: SCoT 5.3."""
    conservative_temperature: float = 0.3
    """Temperature of conservative specialists. Source: SCoT 5.3."""
    roles: bool = True
    """Debate roles along the adversarial gradient; off is plain SCoT. Source: Catfish."""
    valence: Literal["findings", "keywords"] = "findings"
    """`findings`: ours. `keywords`: as in the published code, for reproduction. Source: protocol section 5."""
    weight_floor: bool = True
    """Ours: no ballot weighs less than half the median."""
    noise_repeats: int = 3
    """How often the private re-query is repeated at the specialist's own temperature, 0..10. Source: section 8."""
    whole_private_differential: bool = False
    """True: the private re-query writes its whole differential instead of stopping after the leading diagnosis."""

    collapse_fall: float = 0.3
    """Fall of disagreement from one step of the debate to the next beyond which it may have collapsed, 0..1.
    Source: Catfish, protocol section 7."""
    collapse_unjustified: float = 0.5
    """Share of changes without a cause beyond which such a fall is a collapse, 0..1. Source: as above."""
    catfish_times: int = 2
    """How often the catfish may speak in one case, 0..2; 0 switches it off. Source: as above."""
    catfish_model: str = ""
    """Id of a second model that speaks as the catfish; empty: the model of the panel."""
    drift_threshold: float = 0.4
    """Drift from the debate role beyond which a specialist is reminded of it, 0..1. Source: protocol section 7."""
    drift_least_acts: int = 6
    """Speech acts without which no drift is measured, 1 or more. Source: as above."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            if not low <= getattr(self, name) <= high:
                raise BadInput(f"The setting {name} must lie between {low} and {high}.")


_RANGES = {
    "innovative_temperature": (0, 2),
    "conservative_temperature": (0, 2),
    "noise_repeats": (0, 10),
    "collapse_fall": (0, 1),
    "collapse_unjustified": (0, 1),
    "catfish_times": (0, 2),
    "drift_threshold": (0, 1),
    "drift_least_acts": (1, 100),
}

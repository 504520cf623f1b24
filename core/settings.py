"""Settings that change what a case is asked or how it is counted. Stored with each case, so a replay uses the same."""

from typing import Literal

import msgspec

from core.errors import BadInput

PROTOCOL_VERSION = 2
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

    def __post_init__(self) -> None:
        for name in ("innovative_temperature", "conservative_temperature"):
            if not 0 <= getattr(self, name) <= 2:
                raise BadInput(f"The setting {name} must lie between 0 and 2.")
        if not 0 <= self.noise_repeats <= 10:
            raise BadInput("The setting noise_repeats must lie between 0 and 10.")

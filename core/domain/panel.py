"""The panel: specialists with distinct specialties, their personas, temperatures and debate roles."""

from typing import Literal, NewType

from msgspec import Struct

SpecialistId = NewType("SpecialistId", str)
"""Lower-case specialty with hyphens, for instance `emergency-medicine`."""
Role = Literal["advocate", "operator", "edge-case hunter", "skeptic", "red team"]


class Specialist(Struct, frozen=True, kw_only=True):
    specialist_id: SpecialistId
    specialty: str
    """One of `core.consult.panel.SPECIALTIES`."""
    persona: str
    """At most 25 words."""
    temperament: Literal["innovative", "conservative"]
    temperature: float
    role: Role | None = None
    """None where roles are switched off."""


class Panel(Struct, frozen=True, kw_only=True):
    specialists: tuple[Specialist, ...]
    """In panel order, by which ties break."""

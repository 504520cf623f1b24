"""Who sits on the panel: specialists with distinct specialties, chosen by the model and confirmed by the clinician."""

from core.consult.board import findings_block
from core.consult.seeds import seed_of
from core.domain.case import Vignette
from core.domain.panel import Panel, Role, Specialist, SpecialistId
from core.errors import UnsupportedModel
from core.forms import Choice, Filled, Form, Option, Repeat, Text, has_ideographs, words
from core.ports import Address, Block, ChatRequest, ModelGate, Sampling
from core.prompts import fill
from core.settings import ConsultSettings

GENERALISTS = ("emergency medicine", "family medicine", "geriatrics", "internal medicine", "pediatrics")
"""Source: protocol section 2 asks for at least one; the list is ours."""
SPECIALTIES = (
    "addiction medicine", "allergy and immunology", "anesthesiology", "cardiac surgery", "cardiology", "clinical genetics",
    "critical care", "dermatology", "endocrinology", "gastroenterology", "general surgery", "gynecology", "hematology",
    "hepatology", "infectious disease", "maternal-fetal medicine", "medical toxicology", "neonatology", "nephrology",
    "neurology", "neurosurgery", "obstetrics", "oncology", "ophthalmology", "orthopedics", "otolaryngology",
    "palliative medicine", "pathology", "pediatric neurology", "physical medicine and rehabilitation", "psychiatry",
    "pulmonology", "radiology", "rheumatology", "sleep medicine", "sports medicine", "transplant medicine",
    "tropical medicine", "urology", "vascular surgery",
)  # fmt: skip
"""Closed list beside the generalists, 45 in all. Source: protocol section 2; the choice of names is ours."""
INNOVATIVE_SEATS = {1: (), 3: (1,), 5: (1, 3)}
"""Seats (from 0) with the higher temperature: one of three, two of five. Source: SCoT 5.3; which seats is ours."""
ROLES: dict[int, tuple[Role | None, ...]] = {
    1: (None,),
    3: ("advocate", "edge-case hunter", "skeptic"),
    5: ("advocate", "operator", "edge-case hunter", "skeptic", "red team"),
}
"""Roles by seat. Source: protocol section 2; for three seats ours."""
PERSONA_CHARS = 170
"""About 25 words."""


def panel_form(seats: int) -> Form:
    persona = Text(label="PERSONA", hint="what this physician pays attention to", max_chars=PERSONA_CHARS)
    specialty = Choice(label="SPECIALTY", hint="one of", options=tuple(Option(name=name) for name in SPECIALTIES))
    rest = Repeat(
        label="OTHERS", hint="different specialties", fields=(specialty, persona), low=seats - 1, high=seats - 1, distinct=True
    )  # fmt: skip
    generalist = words("GENERALIST", *GENERALISTS, hint="one of")
    return Form(name="panel", fields=(generalist, persona) if seats == 1 else (generalist, persona, rest))


def propose_panel(vignette: Vignette, settings: ConsultSettings, seed: int, gate: ModelGate) -> Panel:
    """Ask the model for a panel. Raises `UnsupportedModel` where it gives none in two attempts."""
    form = panel_form(settings.specialists)
    asked = form if has_ideographs(vignette.text) else form.alphabetic()
    task = Block(text=fill("panel", count=str(settings.specialists), form=form.instructions()))
    for attempt in (1, 2):
        address = Address(f"panel/chair/{attempt}")
        request = ChatRequest(
            address=address, system=fill("rules"), shared=(findings_block(vignette.findings), task), own="", form=asked,
            sampling=Sampling(temperature=settings.conservative_temperature), seed=seed_of(seed, address),
        )  # fmt: skip
        (reply,) = gate.ask_all((request,))
        if reply.ended == "complete":
            return _panel(form.parse(reply.text), settings)
    raise UnsupportedModel("The model did not name a panel in two attempts; choose another model.")


def _panel(filled: Filled, settings: ConsultSettings) -> Panel:
    named = [(filled.pick("GENERALIST"), filled.text("PERSONA"))]
    if "OTHERS" in filled:
        named += [(item.pick("SPECIALTY"), item.text("PERSONA")) for item in filled.items("OTHERS")]
    return seated(tuple(named), settings)


def seated(named: tuple[tuple[str, str], ...], settings: ConsultSettings) -> Panel:
    """A panel from (specialty, persona) pairs in panel order: temperatures and roles go by the seat."""
    innovative = INNOVATIVE_SEATS[settings.specialists]
    roles = ROLES[settings.specialists] if settings.roles else (None,) * settings.specialists
    return Panel(
        specialists=tuple(
            Specialist(
                specialist_id=SpecialistId(specialty.replace(" ", "-")),
                specialty=specialty,
                persona=persona,
                temperament="innovative" if seat in innovative else "conservative",
                temperature=settings.innovative_temperature
                if seat in innovative
                else settings.conservative_temperature,
                role=roles[seat],
            )
            for seat, (specialty, persona) in enumerate(named)
        )
    )

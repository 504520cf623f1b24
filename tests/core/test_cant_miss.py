"""Can't-miss flags: joined from specialists and rules, none dropped, each settled by a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.cant_miss import check_settlement, detect_complaints, open_flags, review
from core.consult.intake import vignette
from core.domain.case import Case, CaseId, Settlement
from core.domain.panel import Panel, SpecialistId
from core.domain.statement import CantMissStatement, Danger
from core.errors import BadInput
from core.ports import Address
from core.settings import ConsultSettings
from core.terms.rules import rule_list

CASE = (
    "A 62-year-old man has sudden tearing chest pain radiating to the back for 2 hours. "
    "He denies hemoptysis and pleuritic pain. BP 130/80 mmHg."
)
COMPLAINTS = [complaint.complaint_id for complaint in rule_list().complaints]


def make_case(
    text: str, *, complaints: tuple[str, ...] | None = None, settlements: tuple[Settlement, ...] = ()
) -> Case:
    read = vignette(text)
    if complaints is not None:
        read = type(read)(text=read.text, findings=read.findings, complaints=complaints)
    return Case(
        case_id=CaseId("c1"),
        title="t",
        opened_at="2026-01-01T00:00:00Z",
        vignette=read,
        panel=Panel(specialists=()),
        settings=ConsultSettings(),
        seed=1,
        model_id="m",
        settlements=settlements,
    )


def named(speaker: str, diagnosis: str, urgency: str = "urgent") -> CantMissStatement:
    danger = Danger(diagnosis=diagnosis, urgency=urgency, why="because", key_test="CT", window="hours")
    return CantMissStatement(address=Address(f"r7/{speaker}/1"), speaker=SpecialistId(speaker), dangers=(danger,))


def settle(flag_id: str, reason: str = "normal CT", by: str = "Dr. Ada") -> Settlement:
    return Settlement(flag_id=flag_id, decision="excluded", reason=reason, by=by, at="2026-01-01T00:00:00Z")


def test_a_supported_rule_becomes_a_flag_with_the_words_that_triggered_it():
    found = review(make_case(CASE), ())
    (dissection,) = [flag for flag in found.flags if flag.canonical == "aortic dissection"]
    assert dissection.flag_id == "flag-aortic-dissection"
    assert dissection.icd10 == "I71.00"
    assert dissection.urgency == "immediate"
    assert "tearing (S1)" in dissection.sources[0].detail
    assert dissection.sources[0].who == "chest pain/aortic dissection"


def test_a_denied_word_triggers_nothing():
    found = review(make_case(CASE), ())
    assert "pulmonary embolism" in {row.diagnosis for row in found.checklist}


@pytest.mark.parametrize("text", ["Chest pain. Blood pressure normal.", "Chest pain. He is 30 years old."])
def test_blood_pressure_is_no_chest_pressure_and_an_age_alone_supports_nothing(text):
    assert review(make_case(text), ()).flags == ()


def test_numbers_and_other_wordings_support_a_rule():
    details = {
        flag.canonical: flag.sources[0].detail
        for flag in review(make_case("Chest pain. HR 130/min. He is diaphoretic."), ()).flags
    }
    assert details["pulmonary embolism"] == "tachycardia: HR 130 (S2)"
    assert "diaphoretic (S3)" in details["st elevation myocardial infarction"]


def test_one_diagnosis_from_many_sources_is_one_flag_with_all_of_them():
    statements = (named("cardiology", "Aortic Dissections", "routine"), named("surgery", "aortic dissection"))
    found = review(make_case(CASE), statements)
    (dissection,) = [flag for flag in found.flags if flag.canonical == "aortic dissection"]
    assert [source.who for source in dissection.sources] == ["cardiology", "surgery", "chest pain/aortic dissection"]
    assert dissection.urgency == "immediate"


@given(
    st.lists(st.sampled_from(COMPLAINTS), unique=True, max_size=4).map(tuple),
    st.lists(st.sampled_from(["aortic dissection", "Blue Moon Fever", "SLE", "sepsis"]), max_size=5),
)
def test_nothing_is_dropped(complaints, diagnoses):
    statements = tuple(named(f"s{number}", diagnosis) for number, diagnosis in enumerate(diagnoses))
    found = review(make_case(CASE, complaints=complaints), statements)
    sources = [source for flag in found.flags for source in flag.sources]
    rules = [rule for c in rule_list().complaints if c.complaint_id in complaints for rule in c.diagnoses]
    assert sum(source.kind == "specialist" for source in sources) == len(diagnoses)
    assert sum(source.kind == "rule" for source in sources) + len(found.checklist) == len(rules)
    shown = [flag.diagnosis.casefold() for flag in found.flags]
    assert shown == sorted(shown)
    assert len({flag.flag_id for flag in found.flags}) == len(found.flags)


def test_all_flags_and_the_checklist_are_open_until_settled():
    found = review(make_case(CASE), ())
    everything = (*(flag.flag_id for flag in found.flags), found.checklist_id)
    assert open_flags(make_case(CASE), found) == everything
    settled = make_case(CASE, settlements=(settle("flag-aortic-dissection"), settle("checklist")))
    assert open_flags(settled, found) == tuple(
        flag_id for flag_id in everything if flag_id not in ("flag-aortic-dissection", "checklist")
    )


def test_a_case_without_complaint_has_no_checklist_to_settle():
    case = make_case("Fatigue.")
    assert open_flags(case, review(case, ())) == ()


@pytest.mark.parametrize(
    "settlement",
    [settle("flag-unheard-of"), settle("flag-aortic-dissection", reason=" "), settle("checklist", by="")],
)
def test_a_settlement_needs_a_flag_a_reason_and_a_name(settlement):
    found = review(make_case(CASE), ())
    with pytest.raises(BadInput):
        check_settlement(found, settlement)


def test_a_good_settlement_is_taken():
    check_settlement(review(make_case(CASE), ()), settle("flag-aortic-dissection"))


def test_an_unknown_complaint_is_refused():
    with pytest.raises(BadInput):
        review(make_case(CASE, complaints=("hiccups",)), ())


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("Headache, then chest pain.", ("headache", "chest_pain")),
        ("No chest pain. He has a headache.", ("headache",)),
        ("Haemoptysis since today.", ("hemoptysis",)),
        ("He denies chest pain.", ()),
        ("Buy milk.", ()),
        ("Fever is absent.", ()),
        ("Seizures are denied.", ()),
        ("Headache: none.", ()),
        ("No one has seen a seizure.", ()),
    ],
)
def test_complaints_are_detected_in_order_unless_denied(text, complaints):
    assert detect_complaints(text) == complaints

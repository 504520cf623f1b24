"""Files and text become numbered findings; nothing is lost, what is absent is marked, what is missing is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.intake import MAX_BYTES, NO_CASE, read_case_bytes, read_case_file, vignette
from core.errors import BadInput

CASE = (
    "A 62-year-old man comes to the emergency department because of sudden tearing chest pain for 2 hours. "
    "He denies dyspnea, hemoptysis, or leg swelling. BP 190/110 mmHg, HR 110/min. He takes lisinopril 10 mg daily."
)


def texts(case: str) -> list[str]:
    return [finding.text for finding in vignette(case).findings]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"abc\x00def", "binary"),
        ("Fièvre".encode("latin-1"), "UTF-8"),
        ("fever".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04rest", "Word or zip"),
        (b"%PDF-1.7", "PDF"),
        (b"\xd0\xcf\x11\xe0rest", "old Word"),
        (b"{\\rtf1 fever}", "rich-text"),
        (b"x" * (MAX_BYTES + 1), "more than 200,000 bytes"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence(data, says):
    with pytest.raises(BadInput) as caught:
        read_case_bytes(data, "case.txt")
    message = str(caught.value)
    assert says in message
    assert message.startswith("case.txt")
    assert message.endswith(".")
    assert caught.value.__context__ is None


def test_a_byte_order_mark_is_no_part_of_the_case():
    assert read_case_bytes(b"\xef\xbb\xbf" + "Fièvre ≥ 38 °C".encode(), "case.txt") == "Fièvre ≥ 38 °C"


def test_a_file_is_read_and_a_missing_one_named(tmp_path):
    file = tmp_path / "case.txt"
    file.write_text(CASE, encoding="utf-8")
    assert read_case_file(str(file)) == CASE
    with pytest.raises(BadInput, match=r"no file other\.txt"):
        read_case_file(str(tmp_path / "other.txt"))
    with pytest.raises(BadInput, match="folder"):
        read_case_file(str(tmp_path))


def test_an_empty_case_is_refused():
    with pytest.raises(BadInput):
        vignette(" \n\t ")


@pytest.mark.parametrize(
    ("case", "sentences"),
    [
        ("Seen by Dr. Smith. He is ill.", ["Seen by Dr. Smith.", "He is ill."]),
        ("He has e.g. pain vs. numbness. CRP 3.5 mg/dL.", ["He has e.g. pain vs. numbness.", "CRP 3.5 mg/dL."]),
        ("Metoprolol 25 mg b.i.d. for years. OK.", ["Metoprolol 25 mg b.i.d. for years.", "OK."]),
        ("Metoprolol 25 mg b.i.d. She is well.", ["Metoprolol 25 mg b.i.d.", "She is well."]),
        ("ST elevation in II, III and aVF. No pain.", ["ST elevation in II, III and aVF.", "No pain."]),
        ("He has hepatitis B. She is well.", ["He has hepatitis B.", "She is well."]),
        ("Culture: S. aureus. Temp. 38.5 °C.", ["Culture: S. aureus.", "Temp. 38.5 °C."]),
        ("fever\ncough\nheadache", ["fever", "cough", "headache"]),
        ("- fever\n- no chills\n* rash", ["- fever", "- no chills", "* rash"]),
        ("1. Cough 2. Rash 3. Fever", ["1. Cough", "2. Rash", "3. Fever"]),
        ("Temp was 38. He coughs.", ["Temp was 38.", "He coughs."]),
        ("bp 90/60. no cough.", ["bp 90/60.", "no cough."]),
        ("Der Patient hat z.B. Fieber. Kein Husten.", ["Der Patient hat z.B. Fieber.", "Kein Husten."]),
        ("患者发热。咳嗽。", ["患者发热。", "咳嗽。"]),
        ("Fever.\n-----\nCough.", ["Fever. -----", "Cough."]),
        (
            "This line of the note is long enough to be wrapped in the middle of\na sentence. Next.",
            ["This line of the note is long enough to be wrapped in the middle of a sentence.", "Next."],
        ),
    ],
)
def test_sentences(case, sentences):
    assert texts(case) == sentences


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" .\n,-1aA"), max_size=300))
def test_no_character_is_lost(case):
    if case.strip():
        given_characters = "".join(case.split())
        assert "".join("".join(texts(case)).split()) == given_characters


@given(st.integers(1, 150))
def test_findings_are_numbered_and_never_dropped(count):
    findings = vignette("\n".join(f"- finding {number}" for number in range(count))).findings
    assert [finding.finding_id for finding in findings] == [f"S{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize(
    "sentence",
    [
        "No chest pain.",
        "no cough",
        "He denies fever, chills, or cough.",
        "The patient denies any chest pain.",
        "Abdominal examination shows no tenderness.",
        "Negative for malaria.",
        "Malaria smear was negative.",
        "Fever and chills are absent.",
        "Rash: none",
        "Without fever",
        "She does not have any rash.",
        "Patient is not pregnant.",
        "Neither fever nor chills.",
        "- No known drug allergies.",
        "Kein Husten.",
        "Niega fiebre.",
        "Pas de fièvre.",
    ],
)
def test_what_is_absent_is_marked(sentence):
    (finding,) = vignette(sentence).findings
    assert not finding.present


@pytest.mark.parametrize(
    "sentence",
    [
        "Chest pain.",
        "The patient denies chest pain but reports dyspnea.",
        "No fever, blood pressure 90/60.",
        "No fever and has cough.",
        "A 45-year-old man denies chest pain.",
        "Heart sounds are normal without murmurs.",
        "There was no relief with aspirin.",
        "No improvement after antibiotics.",
        "Not only fever but also rash.",
        "No longer able to walk.",
        "Myocardial infarction cannot be excluded.",
        "Her pain is not improved by analgesics.",
        "Absent breath sounds on the left.",
        "Gram-negative rods in the blood.",
        "Kein Fieber, aber Husten.",
    ],
)
def test_what_is_present_stays_present(sentence):
    (finding,) = vignette(sentence).findings
    assert finding.present


def test_a_list_of_denials_is_absent_item_by_item():
    findings = vignette("He denies:\n- fever\n- chills\nChest pain since today").findings
    assert [finding.present for finding in findings] == [False, False, False, True]


def test_a_complete_case_misses_nothing():
    complete = vignette(CASE)
    assert complete.missing == ()
    assert complete.complaints == ("chest_pain",)


def test_what_is_missing_is_named():
    assert vignette("The patient has chest pain.").missing == ("age", "sex", "duration", "vital signs", "medication")


def test_a_shopping_list_looks_like_no_case():
    assert vignette("Buy milk and eggs. The train leaves at noon.").missing[-1] == NO_CASE


@pytest.mark.parametrize("case", ["Eine 45-jährige Frau klagt über Kopfschmerzen.", "Paciente con fiebre y dolor."])
def test_a_case_in_another_language_is_a_case(case):
    assert NO_CASE not in vignette(case).missing


def test_template_tokens_stay_text():
    assert vignette("Fever <|im_end|> since today").findings[0].text == "Fever <|im_end|> since today"

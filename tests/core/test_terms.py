"""The word lists: what the table of diseases holds, and how spellings, ages and vital signs are read."""

import gzip
import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.merge import canonical
from core.terms.diseases import find_concept
from core.terms.measures import names_sex, read_age, read_vital_signs
from core.terms.rules import find_complaint, rule_list
from core.terms.spelling import normal_spelling


def table_rows() -> list[list[str]]:
    packed = resources.files("core.terms").joinpath("disease_terms.tsv.gz").read_bytes()
    return [line.split("\t") for line in gzip.decompress(packed).decode("utf-8").splitlines()[1:]]


def test_the_table_holds_only_sources_with_a_stated_license():
    assert {row[4] for row in table_rows()} == {"curated", "DOID", "MONDO", "ICD10CM"}


def test_every_name_of_the_table_is_found_under_its_spelling():
    wrong = [row[2] for row in table_rows() if normal_spelling(row[2]) != row[1] or find_concept(row[1]) is None]
    assert wrong == []


def test_no_two_concepts_share_a_spelling_or_a_canonical_term():
    rows = table_rows()
    assert len({row[1] for row in rows}) == len(rows)
    canonical_by_id = {concept.concept_id: concept.canonical for row in rows if (concept := find_concept(row[1]))}
    assert len(set(canonical_by_id.values())) == len(canonical_by_id)


def test_the_table_is_ready_within_150_ms():
    code = (
        "import time; from core.terms.diseases import find_concept\n"
        "start = time.process_time(); find_concept('x'); print(time.process_time() - start)"
    )
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in "123"]
    assert min(times) < 0.150


@given(st.text())
def test_normal_spelling_is_stable(name):
    assert normal_spelling(normal_spelling(name)) == normal_spelling(name)


@given(st.integers(0, 99), st.sampled_from(["-hydroxylase deficiency", "-alpha reductase deficiency", "-OHP"]))
def test_a_leading_number_stays_part_of_the_name(number, rest):
    assert canonical(f"{number}{rest}").split()[0] == str(number)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("A 45-year-old man", 45),
        ("67 yo F with cough", 67),
        ("72M, chest pain", 72),
        ("a sixteen-year-old boy", 16),
        ("forty-five year old woman", 45),
        ("a 3-month-old girl", 0.25),
        ("Age: 70", 70),
        ("eine 45-jährige Frau", 45),
        ("a newborn", 0),
        ("a lesion of 5 mm for 3 days", None),
    ],
)
def test_ages(text, years):
    age = read_age(text)
    assert (age and age.value) == years


def test_vital_signs_keep_their_meaning():
    text = "T 101.3°F, pulse is 98/min, respirations are 18/min, blood pressure is 120/80 mm Hg, SpO2 88 %"
    assert {sign.measure: sign.value for sign in read_vital_signs(text)} == {
        "temperature_c": 38.5,
        "pulse_per_min": 98,
        "breaths_per_min": 18,
        "systolic_mmhg": 120,
        "spo2_percent": 88,
    }


@pytest.mark.parametrize("text", ["on 3/12/2020", "a 2/6 systolic murmur", "strength 5/5", "pulses 2+"])
def test_other_numbers_are_no_vital_signs(text):
    assert read_vital_signs(text) == ()


def test_sex_is_read():
    assert names_sex("A woman")
    assert names_sex("60 M")
    assert not names_sex("the patient has a fever")


def test_every_dangerous_diagnosis_is_known_to_the_terminology():
    names = {rule.name: rule.concept for complaint in rule_list().complaints for rule in complaint.diagnoses}
    assert len(names) == 242
    for name, concept_id in names.items():
        concept = find_concept(canonical(name))
        assert concept is not None
        assert concept.concept_id == concept_id


def test_every_complaint_names_sources_that_exist():
    rules = rule_list()
    assert len(rules.complaints) == 33
    assert all(complaint.sources and set(complaint.sources) <= set(rules.sources) for complaint in rules.complaints)
    assert find_complaint("chest_pain") is not None
    assert find_complaint("no such complaint") is None

"""Free text into steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.consult.segment import segment

CASES = [
    ("Fever of 39.4 C points to infection. The heart rate is 120.",
     ("Fever of 39.4 C points to infection.", "The heart rate is 120.")),
    ("Dr. Smith saw the patient at once. It was clearly sepsis.",
     ("Dr. Smith saw the patient at once.", "It was clearly sepsis.")),
    ("ST elevation in V2-V4 and aVL. Reciprocal depression in II, III and aVF.",
     ("ST elevation in V2-V4 and aVL.", "Reciprocal depression in II, III and aVF.")),
    ("- Low platelets suggest consumption\n- Schistocytes on the smear confirm it",
     ("Low platelets suggest consumption", "Schistocytes on the smear confirm it")),
    ("1. Hemolysis with high LDH\n2) Acute kidney injury is mild",
     ("Hemolysis with high LDH", "Acute kidney injury is mild")),
    ("(a) The rash is palpable purpura\n(b) The joints are swollen symmetrically",
     ("The rash is palpable purpura", "The joints are swollen symmetrically")),
    ("## Reasoning\n**TTP** explains the low platelets and hemolysis.",
     ("TTP explains the low platelets and hemolysis.",)),
    ("Yes. I agree. Sepsis! The lactate of 4.1 mmol/L shows poor perfusion.",
     ("The lactate of 4.1 mmol/L shows poor perfusion.",)),
    ("The drug is given b.i.d. for ten days. Then it stops for good.",
     ("The drug is given b.i.d. for ten days.", "Then it stops for good.")),
    ("E. coli grew in the blood culture. It is sensitive to ceftriaxone.",
     ("E. coli grew in the blood culture.", "It is sensitive to ceftriaxone.")),
    ("La fiebre alta sugiere una infección. ¿Hay rigidez de nuca también?",
     ("La fiebre alta sugiere una infección.", "¿Hay rigidez de nuca también?")),
    ("Das Fieber spricht z.B. für eine Sepsis. Der Blutdruck ist zu niedrig.",
     ("Das Fieber spricht z.B. für eine Sepsis.", "Der Blutdruck ist zu niedrig.")),
    ("血小板减少提示血栓性微血管病。乳酸升高。", ("血小板减少提示血栓性微血管病。",)),
    ("", ()),
    ("TTP.", ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "steps"), CASES)
def test_steps_of_free_text(text: str, steps: tuple[str, ...]) -> None:
    assert segment(text) == steps


@given(st.text(max_size=300))
def test_steps_are_pieces_of_the_text_in_order(text: str) -> None:
    plain = "".join(text.replace("**", "").replace("__", "").replace("`", "").split())
    place = 0
    for step in segment(text):
        found = plain.find("".join(step.split()), place)
        assert found >= 0
        place = found + 1

"""Grounds of a diagnosis: complementary ones are neutral, the same one for and against is a contradiction."""

from pathlib import Path
from random import Random

import pytest

from models.training.evidence_pairs import EvidencePairs, read_evidence

TABLE = """# note
@ gout / urate arthritis
= needles / sharp crystals
= a red toe / a swollen toe
@ lupus
= a rash
= anti-dsDNA
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "evidence.txt"
    path.write_text(text, "utf-8")
    return path


def test_complementary_grounds_of_one_diagnosis_are_neutral(tmp_path: Path) -> None:
    evidence = read_evidence(write(tmp_path, TABLE))
    pairs = EvidencePairs(evidence, Random(1)).grounds(evidence[0], 12)

    def grounds(text: str) -> set[int]:
        known = enumerate([("needles", "crystals"), ("toe",)])
        return {number for number, words in known if any(word in text.lower() for word in words)}

    for pair in pairs:
        if pair.label == "neutral":
            assert grounds(pair.premise) != grounds(pair.hypothesis)
        else:
            assert grounds(pair.premise) == grounds(pair.hypothesis)


@pytest.mark.parametrize(("text", "line"), [("= a ground of nothing\n", 1), ("@ gout\n= needles\n! a lie\n", 3)])
def test_a_line_that_is_neither_is_refused(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"line {line}"):
        read_evidence(write(tmp_path, text))

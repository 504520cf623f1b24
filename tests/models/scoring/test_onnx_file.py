"""What an ONNX file says of itself is read without loading it, and half a file is noticed."""

from pathlib import Path

import pytest

from core.errors import DamagedModel
from models.scoring.card import MODEL_FILE
from models.scoring.onnx_file import OnnxFacts, read_onnx
from tests.models.scoring.tiny import TINY


@pytest.mark.parametrize(("kind", "quantizes"), [("nli", False), ("embedding", True)])
def test_facts_of_a_file(kind: str, quantizes: bool) -> None:
    facts = OnnxFacts(opset=17, precision="fp32", quantizes_inputs=quantizes, other_files=frozenset())
    assert read_onnx(TINY / kind / MODEL_FILE) == facts


@pytest.mark.parametrize("kind", ["nli", "embedding"])
def test_a_file_that_is_cut_off_anywhere_is_damaged(tmp_path: Path, kind: str) -> None:
    whole = (TINY / kind / MODEL_FILE).read_bytes()
    path = tmp_path / MODEL_FILE
    for size in range(0, len(whole), 13):
        path.write_bytes(whole[:size])
        with pytest.raises(DamagedModel):
            read_onnx(path)

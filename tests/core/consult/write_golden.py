"""Writes the golden log anew: `python -m tests.core.consult.write_golden`."""

import json
import tempfile
from pathlib import Path

from tests.core.consult.panels import library_at, open_seated, run
from tests.core.consult.test_pipeline import GOLDEN, golden_rows

with tempfile.TemporaryDirectory() as folder, library_at(Path(folder)) as library:
    case_id = open_seated(library)
    run(library, case_id)
    lines = [json.dumps(row, ensure_ascii=False) for row in golden_rows(library, case_id)]
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")

"""How many replies of a real model parse: `python -m tests.bench.parse_rate [--model ID] [--replies 500]`.

Asks the real forms of all rounds with short prompts, case after case with other seeds. A reply that does not parse ends the run
with an error.
"""

import argparse
import time

from core.consult.pipeline import consult
from models.gguf.engine import GgufModel
from models.shelf import Shelf
from tests.models.gguf.test_parse_rate import ParsingGate, short_case


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="smollm2-135m")
    options.add_argument("--replies", type=int, default=500)
    chosen = options.parse_args()
    shelved = Shelf().find(chosen.model)
    model = GgufModel(shelved.path, shelved.card.id, shelved.card.sha256)
    gate = ParsingGate(model)
    started, seed = time.monotonic(), 0
    while gate.parsed.total() < chosen.replies:
        seed += 1
        consult(short_case(gate, seed), gate)
        print(f"{gate.parsed.total()} replies parsed, {time.monotonic() - started:.0f} s", flush=True)
    print(f"100 % of {gate.parsed.total()} replies of {chosen.model}: {dict(gate.parsed)}")


if __name__ == "__main__":
    main()

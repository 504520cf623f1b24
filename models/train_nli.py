"""Train the NLI model that comes with the program: general pairs, generated clinical pairs, and a base to start from.

Needs the extras `train` and `export`, which the installed program never has. On a machine that others use as well, set
OMP_WAIT_POLICY=PASSIVE in the environment: threads that spin while they wait made a step ten times slower.

    python -m models.train_nli --base FOLDER|model.onnx --tokenizer tokenizer.json --general FOLDER --out FOLDER
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from core.errors import BadInput, UserError
from models.export_onnx import Said, export, summary
from models.training.clinical_pairs import Amounts, generate, part, read_all
from models.training.figures import best_temperature
from models.training.pairs import LABELS, Pair, consistent, read_pairs, shuffled

WINDOW = 512
GENERAL_SHARES = {
    "snli_devtest_dev": 1.0,
    "taxinli_mnli_all": 1.0,
    "cad_nli_train": 0.70,
    "breaking_nli_all": 0.10,
    "scone_train": 0.25,
    "med_all": 0.20,
    "help_partial_all": 0.08,
    "fever_symmetric_dev": 1.0,
}
"""How much of each general set is used. Left out: `conjnli_adv_train`, whose labels are noisy. Small where a set has hardly
any contradictions, or hardly anything else."""
KEPT_BACK = ("snli_devtest_dev", "taxinli_mnli_all", "cad_nli_train")
"""General sets of which 300 pairs each are kept for validation."""
ATTRIBUTION = (
    "all-mpnet-base-v2, sentence-transformers: Apache-2.0",
    "SNLI 1.0, development part, Stanford NLP Group: CC BY-SA 4.0",
    "TaxiNLI, Microsoft, on MultiNLI: C-UDA 1.0 and the licenses of the MultiNLI texts",
    "Counterfactually augmented data for NLI, Kaushik et al.: Apache-2.0, on SNLI, CC BY-SA 4.0",
    "Breaking NLI, Glockner et al.: CC BY-SA 4.0",
    "ScoNe-NLI, She et al.: CC0 1.0",
    "MED and HELP, Yanaka et al.: CC BY-SA 4.0",
    "FEVER-symmetric, Schuster et al.: CC BY-SA 3.0",
    "Disease Ontology and ICD-10-CM, names of diseases: CC0 and public domain",
)


def general_pairs(folder: Path, seed: int) -> tuple[list[Pair], list[Pair]]:
    """For training and for validation. Raises `BadInput` for a set that is missing."""
    training: list[Pair] = []
    validation: list[Pair] = []
    for name, share in GENERAL_SHARES.items():
        path = folder / f"{name}.jsonl.gz"
        if not path.is_file():
            raise BadInput(f"“{path.name}” is missing in “{folder.name}”; name the folder of the general pairs.")
        pairs = [msgspec.structs.replace(pair, pattern=name) for pair in read_pairs(path)]
        pairs = shuffled(pairs, Random(f"{seed} {name}"))
        if name in KEPT_BACK:
            validation += pairs[:300]
            pairs = pairs[300:]
        training += pairs[: int(len(pairs) * share)]
    return consistent(training), consistent(validation)


def data(chosen: argparse.Namespace) -> tuple[list[Pair], dict[str, list[Pair]]]:
    """Training pairs, and the sets that are looked at while training."""
    tables = read_all(chosen.terms)
    clinical = generate(part(tables, validation=False), Amounts(), chosen.seed)
    unseen = generate(part(tables, validation=True), Amounts(times=0, diseases=60, siblings=100), chosen.seed)
    by_facts, by_steps = ("facts", "compound", "stance", "denied"), ("steps", "evidence")
    general, general_unseen = general_pairs(chosen.general, chosen.seed)
    validation = {
        "steps": [pair for pair in unseen if pair.pattern in by_steps][:450],
        "facts": [pair for pair in unseen if pair.pattern in by_facts][:600],
        "numbers etc.": [pair for pair in unseen if pair.pattern not in (*by_facts, *by_steps)][:600],
        "general": general_unseen,
    }
    return clinical + general, validation


def train(chosen: argparse.Namespace) -> Path:
    """Gives the folder of the trained model, `out/model`; the weights of every look stay in `out/looks`."""
    import torch
    from tokenizers import Tokenizer

    from models.training.learning import Learner, Recipe, encode, figures_of, logits_of
    from models.training.starting_weights import last_layer, load_base

    torch.manual_seed(chosen.seed)
    torch.set_num_threads(chosen.threads)
    tokenizer = Tokenizer.from_file(str(chosen.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pairs, validation = data(chosen)
    say(f"{len(pairs)} pairs to learn from; kept back: {', '.join(f'{n} {len(v)}' for n, v in validation.items())}")
    rows = encode(pairs, tokenizer, WINDOW)
    held_out = {name: encode(found, tokenizer, WINDOW) for name, found in validation.items()}
    model, averaged = (load_base(chosen.base, chosen.layers) for _ in range(2))
    averaged.load_state_dict(model.state_dict())
    for name, found in held_out.items():
        say(f"  {name:12s} {figures_of(averaged, found).line()}")
    recipe = Recipe(
        learning_rate=chosen.rate,
        epochs=chosen.epochs,
        minutes=chosen.minutes,
        seed=chosen.seed,
        look_every=chosen.look_every,
    )
    model.train()
    Learner(model, averaged, recipe, say).learn(rows, held_out, chosen.out / "looks")
    if chosen.blend:
        blend(averaged, load_base(chosen.blend))
    clinical = [row for name, found in held_out.items() if name != "general" for row in found]
    best = best_temperature(logits_of(averaged, clinical), [LABELS[row.label] for row in clinical])
    say(
        f"temperature {best:.2f} would make the validation most probable; {chosen.temperature:.2f} goes into the last layer"
    )
    with torch.no_grad():
        last_layer(averaged).weight.div_(chosen.temperature)
        last_layer(averaged).bias.div_(chosen.temperature)
    folder: Path = chosen.out / "model"
    averaged.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, found in held_out.items():
        say(f"  {name:12s} {figures_of(averaged, found).line()}")
    return folder


def blend(model: Any, other: Any) -> None:
    """Make the model the mean of itself and another one that was trained from the same base."""
    import torch

    with torch.no_grad():
        for mine, theirs in zip(model.parameters(), other.parameters(), strict=True):
            mine.lerp_(theirs, 0.5)


def say(line: str) -> None:
    print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and export. Gives 0, or 1 if refused."""
    chosen = _parser().parse_args(arguments)
    try:
        folder = train(chosen)
        report = export(
            str(folder),
            chosen.out / chosen.id,
            precision=chosen.precision,
            kind="nli",
            said=Said(id=chosen.id, license="Apache-2.0", attribution=ATTRIBUTION),
            say=say,
        )
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    say("\n".join(summary(report)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.train_nli", description="Train the small NLI model.")
    parser.add_argument(
        "--base", type=Path, required=True, help="folder of transformers, or model.onnx with its config.json"
    )
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the base")
    parser.add_argument(
        "--general", type=Path, required=True, help="folder of labelled general pairs, compressed JSON lines"
    )
    parser.add_argument("--terms", type=Path, help="compressed table of disease names")
    parser.add_argument("--out", type=Path, required=True, help="folder for looks, model and scorer")
    parser.add_argument("--id", default="nli-mpnet-clinical", help="what the program calls the scorer")
    parser.add_argument("--layers", type=int, help="keep only so many of the lowest layers of the base")
    parser.add_argument("--precision", choices=("fp32", "fp16", "int8"), default="int8", help="how weights are stored")
    parser.add_argument("--rate", type=float, default=1e-4, help="highest learning rate")
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument(
        "--minutes", type=float, help="stop after so many minutes, the learning rate falling with the clock"
    )
    parser.add_argument("--blend", type=Path, help="folder of an earlier look, averaged half and half into the result")
    parser.add_argument("--temperature", type=float, default=1.0, help="divides the logits: below 1, more passes tau")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--look-every", type=int, default=250, help="steps between two looks at the validation")
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""A scoring model of PyTorch -> a folder that the scorer runs: model.onnx, tokenizer.json, card.json.

Ends with the parity against PyTorch: what is outside tolerance is refused, and nothing of it stays. Needs the extra `export`,
which the installed program never has.

    python -m models.export_onnx SOURCE OUT [--precision fp32|fp16|int8]
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

import msgspec
from msgspec import Struct

from core.errors import BadInput, UserError
from models.durable import file_sha256, writing
from models.export.description import Description, describe
from models.export.origin import Origin, find_origin
from models.export.parity import Parity, Precision
from models.scoring.card import CARD_FILE, DATA_FILE, MODEL_FILE, TOKENIZER_FILE, Kind, ScorerCard
from models.scoring.probes import Probe, probes

if TYPE_CHECKING:
    from models.export.making import Made, Say

_PARTS = ("torch", "transformers", "onnx", "onnxruntime", "tokenizers", "safetensors")


class Said(Struct, frozen=True, kw_only=True):
    """What a person says of a model for its card, over what its files say."""

    id: str | None = None
    title: str | None = None
    license: str | None = None
    attribution: tuple[str, ...] = ()
    source: str | None = None
    """Where the weights in a folder came from."""


class ExportReport(Struct, frozen=True, kw_only=True):
    folder: Path
    card: ScorerCard
    parity: Parity
    """Of the graph as it is stored, against PyTorch in fp32."""
    notes: tuple[str, ...] = ()
    """Sentences for the reader, for instance that fusing changed the answers and was left out."""


def silent(sentence: str) -> None:
    """The progress of those who do not look."""


def export(
    source: str,
    out: Path,
    *,
    precision: Precision = "fp32",
    kind: Kind | None = None,
    revision: str | None = None,
    prompt: str | None = None,
    run_model_code: bool = False,
    pairs: Sequence[Probe] = (),
    said: Said | None = None,
    say: "Say" = silent,
) -> ExportReport:
    """Make the folder `out`, which must not be there yet, from a folder or from an `owner/name` on the hub.

    `kind`: what the model must be; left out, whatever it is. `prompt`: as in `describe`. `pairs`: what parity is measured on,
    else the probes of this program. `run_model_code`: Python code that lies beside the weights may run.
    Raises `BadInput`, `DamagedModel`, `DownloadFailed`, `NotWritable`, and `UnsupportedModel` where the graph does not say what
    PyTorch says; then nothing is left behind.
    """
    said = said or Said()
    _check_installed()
    if out.exists():
        raise BadInput(f"“{out.name}” is there already; choose another name for the exported model.")
    if said.id is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", said.id):
        raise BadInput(
            "The id of a model is made of letters, digits, dots, dashes and underscores; choose another one."
        )
    from models.export.making import make

    say(f"Looking for {source}")
    origin = find_origin(source, revision)
    description = describe(origin.folder, kind, prompt)
    with _bench(out) as bench:
        made = make(
            origin.folder,
            description,
            bench,
            precision=precision,
            pairs=pairs or probes().pair,
            run_model_code=run_model_code,
            say=say,
        )
        card = _card(made, origin, description, precision, said)
        (made.folder / CARD_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(card)))
        made.folder.rename(out)
    return ExportReport(folder=out, card=card, parity=made.parity, notes=made.notes)


def _check_installed() -> None:
    missing = [name for name in _PARTS if find_spec(name) is None]
    if missing:
        raise BadInput(
            f"Exporting needs {', '.join(missing)}, which this program does not bring; in an environment of its own, run "
            "pip install 'ground-rounds[export]' and export there."
        )


@contextmanager
def _bench(out: Path) -> Iterator[Path]:
    """A folder beside `out`, gone at the end, whatever happens."""
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
            yield Path(folder)


def _card(made: "Made", origin: Origin, description: Description, precision: Precision, said: Said) -> ScorerCard:
    graph, data = made.folder / MODEL_FILE, made.folder / DATA_FILE
    title = said.title or (origin.name if precision == "fp32" else f"{origin.name} {precision}")
    return ScorerCard(
        id=said.id or re.sub(r"[^a-z0-9._-]+", "-", title.lower()).strip("._-") or description.kind,
        title=title,
        kind=description.kind,
        architecture=description.config.architecture,
        license=said.license or description.license,
        attribution=said.attribution,
        model_sha256=file_sha256(graph),
        model_bytes=graph.stat().st_size,
        data_sha256=file_sha256(data) if data.exists() else None,
        tokenizer_sha256=file_sha256(made.folder / TOKENIZER_FILE),
        precision=precision,
        max_tokens=description.max_tokens,
        pad_token_id=made.pad_token_id,
        labels=description.labels,
        pooling="none" if description.kind == "embedding" else None,
        prompt=description.prompt,
        dimensions=description.dimensions,
        opset=made.opset,
        made_with=made.made_with,
        source=said.source or origin.source,
        parity=made.parity.figures(),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Export one model; steps on the error stream, figures on the other. Gives 0, 1 if refused, 130 if the user stopped it."""
    options = _parser().parse_args(arguments)
    said = Said(
        id=options.id,
        title=options.title,
        license=options.license,
        attribution=tuple(options.attribution),
        source=options.came_from,
    )
    try:
        report = export(
            options.source,
            options.out,
            precision=options.precision,
            kind=options.kind,
            revision=options.revision,
            prompt=options.prompt,
            run_model_code=options.run_model_code,
            said=said,
            say=lambda sentence: print(sentence, file=sys.stderr),
        )
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Nothing was kept.", file=sys.stderr)
        return 130
    print("\n".join(summary(report)))
    return 0


def summary(report: ExportReport) -> tuple[str, ...]:
    """The report in lines of text."""
    card, parity = report.card, report.parity
    figures = {
        "largest difference": f"{parity.max_difference:.2g}",
        "mean difference": f"{parity.mean_difference:.2g}",
        "same decisions": None if parity.agreement is None else f"{parity.agreement:.1%}",
        "AUC of PyTorch": None if parity.auc_before is None else f"{parity.auc_before:.3f}",
        "AUC of the graph": None if parity.auc_after is None else f"{parity.auc_after:.3f}",
    }
    what = "probabilities" if card.kind == "nli" else "cosines"
    return (
        f"{report.folder}: {card.id}, {card.architecture}, {card.precision}, opset {card.opset}",
        f"Against PyTorch in fp32, {what} on {parity.pairs} pairs:",
        *(f"  {name}: {figure}" for name, figure in figures.items() if figure is not None),
        *report.notes,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m models.export_onnx", description="Make a scoring model of PyTorch ready for this program."
    )
    parser.add_argument("source", help="folder of the model, or owner/name on the hub")
    parser.add_argument("out", type=Path, help="folder to be made")
    parser.add_argument("--precision", choices=get_args(Precision), default="fp32", help="how the weights are stored")
    parser.add_argument("--kind", choices=get_args(Kind), help="refuse the model if it is another kind")
    parser.add_argument("--revision", help="branch, tag or commit on the hub")
    parser.add_argument(
        "--prompt", help="name of the prompt for comparing sentences, in the model's own list; empty: none"
    )
    parser.add_argument("--id", help="what the program calls the model; else made from its title")
    parser.add_argument("--title", help="what people call it; else the name of the folder or on the hub")
    parser.add_argument("--license", help="license of the weights, where their files do not say")
    parser.add_argument("--attribution", action="append", default=[], help="a source and its license; may be repeated")
    parser.add_argument("--came-from", help="for the card: where the weights in a folder came from")
    parser.add_argument("--run-model-code", action="store_true", help="run Python code that comes with the weights")
    return parser


if __name__ == "__main__":
    sys.exit(main())

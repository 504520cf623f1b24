"""The model that training starts from: a folder of transformers, or the weights inside an exported ONNX graph."""

from pathlib import Path
from typing import Any

from core.errors import BadInput
from models.training.pairs import LABELS


def load_base(base: Path) -> Any:
    """A BERT with a head for the three labels; the head is made new where the base has none.

    `base`: a folder with config.json and model.safetensors, or a graph with config.json beside it. Raises `BadInput`.
    """
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForSequenceClassification

    folder = base if base.is_dir() else base.parent
    needed = [folder / "config.json", folder / "model.safetensors" if base.is_dir() else base]
    for path in needed:
        if not path.is_file():
            raise BadInput(f"“{path.name}” is missing in “{folder.name}”; name a folder or a graph that is whole.")
    config = BertConfig.from_pretrained(folder)
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: number for number, label in enumerate(LABELS)}
    model = BertForSequenceClassification(config)
    weights = load_file(needed[1]) if base.is_dir() else graph_weights(base, list(model.state_dict()))
    full = {name if name.startswith(("bert.", "classifier.")) else f"bert.{name}": name for name in weights}
    left = model.load_state_dict({new: weights[old] for new, old in full.items()}, strict=False)
    odd = [name for name in left.unexpected_keys if "position_ids" not in name]
    odd += [name for name in left.missing_keys if not name.startswith("classifier.")]
    if odd:
        raise BadInput(
            f"“{base.name}” is no BERT that can be trained here ({odd[0]} does not fit); choose another base."
        )
    return model


def graph_weights(path: Path, expected: list[str]) -> dict[str, Any]:
    """The graph's initializers under the names that PyTorch expects, fp32.

    A linear layer's weight stands in the graph transposed and nameless, as the second input of a MatMul; the Add that follows
    carries the bias under its full name, which tells which layer it is.
    """
    import numpy
    import onnx
    import torch

    graph = onnx.load(path).graph
    arrays = {found.name: onnx.numpy_helper.to_array(found).astype("float32") for found in graph.initializer}
    # Weights that are stored as fp16 pass through a Cast, which then bears the name.
    origin = {node.output[0]: node.input[0] for node in graph.node if node.op_type in ("Cast", "Identity")}
    readers = {given: node for node in graph.node for given in node.input}
    stored = {name: origin.get(name, name) for name in expected}
    found: dict[str, Any] = {name: torch.tensor(arrays[kept]) for name, kept in stored.items() if kept in arrays}
    for node in graph.node:
        source = origin.get(node.input[1], node.input[1]) if len(node.input) > 1 else ""
        if node.op_type != "MatMul" or source not in arrays or node.output[0] not in readers:
            continue
        for bias in readers[node.output[0]].input:
            if bias.endswith(".bias") and bias in stored:
                found[bias.removesuffix("bias") + "weight"] = torch.tensor(numpy.ascontiguousarray(arrays[source].T))
    return found

"""The model that training starts from: a folder of transformers, or the weights inside an exported ONNX graph."""

from pathlib import Path
from typing import Any

from core.errors import BadInput
from models.training.pairs import LABELS


def load_base(base: Path, layers: int | None = None) -> Any:
    """A cross-encoder (BERT, MPNet) with a head for the three labels; the head is made new where the base has none.

    `base`: a folder with config.json and model.safetensors, or a BERT graph with config.json beside it. `layers`: keep only so
    many of its lowest layers. Without dropout: training sees hardly any pair twice, and drawing the masks took a fifth of
    the time on a processor. Raises `BadInput`.
    """
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoModelForSequenceClassification

    folder = base if base.is_dir() else base.parent
    needed = [folder / "config.json", folder / "model.safetensors" if base.is_dir() else base]
    for path in needed:
        if not path.is_file():
            raise BadInput(f"“{path.name}” is missing in “{folder.name}”; name a folder or a graph that is whole.")
    config = AutoConfig.from_pretrained(folder)
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: number for number, label in enumerate(LABELS)}
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    config.num_hidden_layers = min(layers or config.num_hidden_layers, config.num_hidden_layers)
    model = AutoModelForSequenceClassification.from_config(config)
    weights = load_file(needed[1]) if base.is_dir() else graph_weights(base, list(model.state_dict()))
    encoder = f"{config.model_type}."
    full = {name if name.startswith((encoder, "classifier.")) else encoder + name: name for name in weights}
    left = model.load_state_dict({new: weights[old] for new, old in full.items()}, strict=False)
    missing = [name for name in left.missing_keys if not name.startswith("classifier.")]
    if missing or any(_is_odd(name, config.num_hidden_layers) for name in left.unexpected_keys):
        odd = (missing + left.unexpected_keys)[0]
        raise BadInput(f"“{base.name}” is no model that can be trained here ({odd} does not fit); choose another base.")
    return model


def _is_odd(name: str, layers: int) -> bool:
    """Whether a weight has no place in the model, other than positions, a head for other tasks and layers left out."""
    _, found, behind = name.partition(".layer.")
    beyond = found and int(behind.partition(".")[0]) >= layers
    return not (beyond or "position_ids" in name or ".pooler." in name)


def last_layer(model: Any) -> Any:
    """The linear layer that makes the logits. BERT's head is one layer, MPNet's has another one before it."""
    return getattr(model.classifier, "out_proj", model.classifier)


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

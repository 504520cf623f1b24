"""The PyTorch side: weights loaded whole or not at all, and the two shapes of graph that the scorer runs.

Imported only where the extra `export` is installed.
"""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification

from core.errors import BadInput, DamagedModel
from models.export.description import OWN_CODE, Dense, Description


class Classifier(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
    """Token ids of a pair -> `logits` [pairs, labels]."""

    output = "logits"

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:
        marks = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        return self.model(input_ids=input_ids, attention_mask=attention_mask, **marks).logits


class Encoder(torch.nn.Module):  # type: ignore[misc]
    """Token ids of a text -> `sentence_embedding` [texts, dimensions], of length 1."""

    output = "sentence_embedding"

    def __init__(self, model: Any, pooling: str | None, dense: Any) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling
        self.dense = dense

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        states = self.states(input_ids, attention_mask)
        if self.pooling == "cls":
            pooled = states[:, 0]
        else:
            kept = attention_mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * kept).sum(1) / kept.sum(1)
        return torch.nn.functional.normalize(self.dense(pooled), dim=-1)

    def states(self, input_ids: Any, attention_mask: Any) -> Any:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


class TwoWayDecoder(Encoder):
    """A Qwen2 whose words see the whole sentence.

    Left to itself the architecture masks what comes after each word. A mask with one row a word replaces that; positions
    are counted inside the graph, so that it needs no third input.
    """

    def states(self, input_ids: Any, attention_mask: Any) -> Any:
        count = input_ids.shape[1]
        hidden = attention_mask[:, None, None, :] == 0
        mask = torch.zeros(hidden.shape).masked_fill(hidden, torch.finfo(torch.float32).min).expand(-1, 1, count, count)
        positions = torch.arange(count)[None, :]
        return self.model(input_ids, attention_mask=mask, position_ids=positions, use_cache=False).last_hidden_state


def load(folder: Path, description: Description, run_model_code: bool = False) -> Classifier | Encoder:
    """The model in fp32, ready to be traced. Raises `BadInput`, `DamagedModel`."""
    own_code = description.config.model_type in OWN_CODE
    if own_code:
        _check_own_code(folder, description, run_model_code)
    config = AutoConfig.from_pretrained(folder, trust_remote_code=own_code)
    for shortcut in ("use_memory_efficient_attention", "unpad_inputs"):  # of the GPU, and of no tracer
        if hasattr(config, shortcut):
            setattr(config, shortcut, False)
    model = _weights(folder, description, config, own_code).eval()
    if description.kind == "nli":
        return Classifier(model)
    dense = _dense(folder, description.dense) if description.dense else torch.nn.Identity()
    kind = TwoWayDecoder if description.config.model_type == "qwen2" else Encoder
    return kind(model, description.pooling, dense)


def _check_own_code(folder: Path, description: Description, run_model_code: bool) -> None:
    classes = [str(each) for each in description.config.auto_map.values()]
    if any("--" in each for each in classes):
        raise BadInput(
            f"“{folder.name}” takes its modeling code from another place on the hub, where it can change unseen; put the "
            "code beside the weights and name it in config.json."
        )
    if not run_model_code:
        raise BadInput(
            f"“{folder.name}” comes with Python code of its own ({', '.join(classes) or 'none found'}), which can do on this "
            "computer whatever you can; read it, and if you trust it, export again with --run-model-code."
        )


def _weights(folder: Path, description: Description, config: Any, own_code: bool) -> Any:
    family = AutoModelForSequenceClassification if description.kind == "nli" else AutoModel
    try:
        model, told = family.from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            attn_implementation="eager",
            trust_remote_code=own_code,
            local_files_only=True,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
    except OSError as error:
        raise BadInput(
            f"“{folder.name}” holds no weights that can be read; give the complete folder of the model."
        ) from error
    # What is missing would be random numbers. The pooler of an encoder is never used.
    used = [key for key in told["missing_keys"] if description.kind == "nli" or "pooler." not in key]
    wrong = sorted([*used, *(str(each[0]) for each in told["mismatched_keys"])])
    if wrong:
        raise DamagedModel(
            f"The weights of “{folder.name}” lack {len(wrong)} parts that config.json promises, the first being {wrong[0]}; "
            "get the model again."
        )
    return model


def _dense(folder: Path, dense: Dense) -> Any:
    safe, pickled = (folder / dense.folder / name for name in ("model.safetensors", "pytorch_model.bin"))
    if not safe.is_file() and not pickled.is_file():
        raise BadInput(f"“{folder.name}” has no weights in {dense.folder}; give the complete folder of the model.")
    state = load_file(safe) if safe.is_file() else torch.load(pickled, weights_only=True, map_location="cpu")
    layer = torch.nn.Linear(dense.inputs, dense.outputs, bias="linear.bias" in state)
    try:
        layer.load_state_dict({name.removeprefix("linear."): tensor.float() for name, tensor in state.items()})
    except RuntimeError as error:
        raise DamagedModel(f"The weights in {dense.folder} do not fit its config.json; get the model again.") from error
    return torch.nn.Sequential(layer, getattr(torch.nn, dense.activation)())

"""Makes the two tiny scoring models that lie in tests/models/tiny_scorers. Needs the package onnx; run again only to change them.

    python -m tests.models.scoring.make_tiny_scorers

Both spell words in letters. The NLI model finds a contradiction where the premise has another number of `not` and `no` than the
hypothesis; its columns are in an unusual order. The embedding model wants positions and quantizes its input over the whole
batch, as int8 graphs do, so that texts in one batch change one another. The word `undefined` makes both give NaN.
"""

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

FOLDER = Path(__file__).parent.parent / "tiny_scorers"
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = ["not", "no", "undefined"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'°"
VOCABULARY = [*MARKS, *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
DIMENSIONS = 8
_INTEGERS = TensorProto.INT64


def tokenizer() -> Tokenizer:
    """One that would cut at 16 tokens and pad, so that the tests notice whether that is switched off."""
    made = Tokenizer(models.WordPiece({word: place for place, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.add_special_tokens(MARKS)
    made.enable_truncation(16)
    made.enable_padding()
    return made


def nli_graph() -> onnx.ModelProto:
    """Logits: entailment, neutral, contradiction."""
    chance = np.random.default_rng(1)
    sound = chance.normal(0, 1, len(VOCABULARY))
    sound[:4] = 0
    denial = np.array([float(word in ("not", "no")) for word in VOCABULARY])
    denial[VOCABULARY.index("undefined")] = np.nan
    nodes = [
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["mask", "second"], ["first"]),
        helper.make_node("Gather", ["denial", "input_ids"], ["denials"]),
        helper.make_node("Gather", ["sound", "input_ids"], ["sounds"]),
        *_summed("denials", "first", "denied_first"),
        *_summed("denials", "second", "denied_second"),
        *_summed("sounds", "first", "sound_first"),
        *_summed("sounds", "second", "sound_second"),
        helper.make_node("Sub", ["denied_first", "denied_second"], ["difference"]),
        helper.make_node("Abs", ["difference"], ["gap"]),
        helper.make_node("Mul", ["gap", "ten"], ["steep"]),
        helper.make_node("Tanh", ["sound_first"], ["entailment"]),
        helper.make_node(
            "Mul", ["sound_second", "tenth"], ["faint_second"]
        ),  # so that the premise is not the hypothesis
        helper.make_node("Tanh", ["faint_second"], ["neutral"]),
        helper.make_node("Sub", ["steep", "four"], ["contradiction"]),
        helper.make_node("Concat", ["entailment", "neutral", "contradiction"], ["logits"], axis=1),
    ]
    return _model(
        nodes,
        inputs=("input_ids", "attention_mask", "token_type_ids"),
        output=helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3]),
        weights={
            "denial": denial,
            "sound": sound,
            "ten": np.array(10.0),
            "four": np.array(4.0),
            "tenth": np.array(0.1),
        },
    )


def embedding_graph() -> onnx.ModelProto:
    """`last_hidden_state`, rounded to 256 steps between the least and the greatest number of the batch."""
    chance = np.random.default_rng(2)
    meaning = chance.normal(0, 1, (len(VOCABULARY), DIMENSIONS))
    meaning[VOCABULARY.index("undefined")] = np.nan
    nodes = [
        helper.make_node("Gather", ["meaning", "input_ids"], ["meanings"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["position_ids"], ["positions"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["positions", "mask"], ["seen"]),
        helper.make_node("Mul", ["seen", "hundredth"], ["small"]),
        helper.make_node("Unsqueeze", ["small", "last"], ["shift"]),
        helper.make_node("Add", ["meanings", "shift"], ["shifted"]),
        helper.make_node("DynamicQuantizeLinear", ["shifted"], ["steps", "scale", "zero"]),
        helper.make_node("DequantizeLinear", ["steps", "scale", "zero"], ["rounded"]),
        helper.make_node("Mul", ["shifted", "nothing"], ["trace"]),  # a NaN survives the rounding
        helper.make_node("Add", ["rounded", "trace"], ["last_hidden_state"]),
    ]
    weights: dict[str, NDArray[np.generic]] = {
        "meaning": meaning,
        "hundredth": np.array(0.01),
        "nothing": np.array(0.0),
        "last": np.array([2]),
    }
    return _model(
        nodes,
        inputs=("input_ids", "attention_mask", "position_ids"),
        output=helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", DIMENSIONS]),
        weights=weights,
    )


def _summed(values: str, mask: str, name: str) -> list[onnx.NodeProto]:
    """Sum of the values where the mask is 1, as a column."""
    return [
        helper.make_node("Mul", [values, mask], [f"{name}_each"]),
        helper.make_node("ReduceSum", [f"{name}_each", "words"], [name], keepdims=1),
    ]


def _model(
    nodes: list[onnx.NodeProto],
    inputs: tuple[str, ...],
    output: onnx.ValueInfoProto,
    weights: dict[str, NDArray[np.generic]],
) -> onnx.ModelProto:
    weights = {**weights, "words": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, _INTEGERS, ["batch", "length"]) for name in inputs],
        [output],
        [
            numpy_helper.from_array(array if array.dtype.kind == "i" else array.astype(np.float32), name)
            for name, array in weights.items()
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


if __name__ == "__main__":
    for kind, graph in {"nli": nli_graph(), "embedding": embedding_graph()}.items():
        (FOLDER / kind).mkdir(parents=True, exist_ok=True)
        (FOLDER / kind / "model.onnx").write_bytes(graph.SerializeToString(deterministic=True))
        tokenizer().save(str(FOLDER / kind / "tokenizer.json"), pretty=True)

"""Writers of GGUF files with random weights: small enough for a test, real enough for the real engine.

The same arguments always give the same bytes.
"""

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

Tensor = NDArray[np.float32]

CHAT_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
PIECES = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", *map(chr, range(33, 127))]
PIECE_TYPES = [2, 3, 3, *[6] * 256, *[1] * 95]


def write_tiny_llama(
    path: Path, *, n_embd: int = 64, n_layer: int = 2, n_ff: int = 128, context: int = 4096, template: bool = True,
    line_end_bias: float = 0.0,
) -> Path:  # fmt: skip
    """Write a llama of four heads with byte tokens; `n_embd` must be divisible by 8. Returns `path`.

    `line_end_bias`: about so much is added to the logit of the line break, so that lines end before their bounds.
    """
    n_head = 4
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny random llama")
    writer.add_license("cc0-1.0")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(context)
    writer.add_embedding_length(n_embd)
    writer.add_block_count(n_layer)
    writer.add_feed_forward_length(n_ff)
    writer.add_head_count(n_head)
    writer.add_head_count_kv(n_head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(n_embd // n_head)
    _add_tokens(writer, template)

    draw = _Weights()
    _add_ends(writer, draw, n_embd, line_end_bias)
    for layer in range(n_layer):
        block = f"blk.{layer}."
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}{name}.weight", np.ones(n_embd, np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{block}{name}.weight", draw(n_embd, n_embd))
        writer.add_tensor(f"{block}ffn_gate.weight", draw(n_ff, n_embd))
        writer.add_tensor(f"{block}ffn_up.weight", draw(n_ff, n_embd))
        writer.add_tensor(f"{block}ffn_down.weight", draw(n_embd, n_ff))
    return _written(writer, path)


def write_tiny_mamba(
    path: Path, *, n_embd: int = 64, n_layer: int = 2, context: int = 4096, template: bool = True
) -> Path:
    """Write a recurrent model (mamba) with byte tokens. Returns `path`."""
    inner, state, rank, kernel = 2 * n_embd, 16, 4, 4
    writer = gguf.GGUFWriter(path, "mamba")
    writer.add_name("Tiny random mamba")
    writer.add_license("cc0-1.0")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(context)
    writer.add_embedding_length(n_embd)
    writer.add_block_count(n_layer)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_ssm_conv_kernel(kernel)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    _add_tokens(writer, template)

    draw = _Weights()
    _add_ends(writer, draw, n_embd)
    for layer in range(n_layer):
        block = f"blk.{layer}."
        writer.add_tensor(f"{block}attn_norm.weight", np.ones(n_embd, np.float32))
        writer.add_tensor(f"{block}ssm_in.weight", draw(2 * inner, n_embd))
        writer.add_tensor(f"{block}ssm_conv1d.weight", draw(inner, kernel))
        writer.add_tensor(f"{block}ssm_conv1d.bias", draw(inner))
        writer.add_tensor(f"{block}ssm_x.weight", draw(rank + 2 * state, inner))
        writer.add_tensor(f"{block}ssm_dt.weight", draw(inner, rank))
        writer.add_tensor(f"{block}ssm_dt.bias", draw(inner))
        # Negative, or the state grows without bound.
        writer.add_tensor(f"{block}ssm_a", -np.exp(draw(inner, state)))
        writer.add_tensor(f"{block}ssm_d", np.ones(inner, np.float32))
        writer.add_tensor(f"{block}ssm_out.weight", draw(n_embd, inner))
    return _written(writer, path)


class _Weights:
    """Draws of small normal numbers; call it with a shape."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def __call__(self, *shape: int) -> Tensor:
        return (self._random.standard_normal(shape) * 0.05).astype(np.float32)


def _add_tokens(writer: gguf.GGUFWriter, template: bool) -> None:
    writer.add_vocab_size(len(PIECES))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(PIECES)
    writer.add_token_scores([0.0] * len(PIECES))
    writer.add_token_types(PIECE_TYPES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    if template:
        writer.add_chat_template(CHAT_TEMPLATE)


def _add_ends(writer: gguf.GGUFWriter, draw: _Weights, n_embd: int, line_end_bias: float = 0.0) -> None:
    embedding = draw(len(PIECES), n_embd)
    output = draw(len(PIECES), n_embd)
    if line_end_bias:
        # The first dimension outweighs all others, so that after the norm it is about the root of n_embd everywhere.
        embedding[:, 0] = 2
        output[:, 0] = 0
        output[PIECES.index("<0x0A>"), 0] = line_end_bias / np.sqrt(n_embd)
        output[:, 1:] *= 8
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(n_embd, np.float32))
    writer.add_tensor("output.weight", output)


def _written(writer: gguf.GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path

"""The memory of llama.cpp: cells for several sequences over one shared prefix, and the evaluation of tokens."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil
from msgspec import Struct
from numpy.typing import NDArray

from core.errors import CaseTooLong, EngineFailed, Stopped
from core.ports import CancelToken
from models.gguf.native import last_messages, lib
from models.gguf.weights import Weights

BATCH_TOKENS = 2048
"""Tokens handed over in one call; llama.cpp works through them in pieces of 512."""
STEP_CELLS = 4096
"""Memory grows by multiples of this."""
MEMORY_SHARE = 0.6
"""Share of the free memory that the cells may take."""
ABORTED = 2


class Item(Struct, frozen=True):
    """One token to evaluate, for one or several sequences."""

    token: int
    position: int
    sequences: tuple[int, ...]
    wants_logits: bool = False


class Context:
    """Sequences 0 .. `sequences` - 1 in one unified memory of `cells` tokens."""

    def __init__(self, weights: Weights, sequences: int, threads: tuple[int, int]) -> None:
        self._weights, self._sequences, self._threads = weights, sequences, threads
        self._context: Any = None
        self._memory: Any = None
        self.cells = 0
        self._cancel: CancelToken | None = None
        # kept on self: llama.cpp calls it long after this line
        self._abort = lib.ggml_abort_callback(lambda data: self._cancel is not None and self._cancel.is_set())
        self._batch = lib.llama_batch_init(BATCH_TOKENS, 0, sequences)

    def close(self) -> None:
        if self._context:
            lib.llama_free(self._context)
            self._context = None
        if self._batch:
            lib.llama_batch_free(self._batch)
            self._batch = None

    def reserve(self, cells: int, wished: int = 0) -> bool:
        """Make room for `cells` tokens over all sequences, for `wished` where the machine has it.

        True: the memory was made anew and is empty. Raises `CaseTooLong` where the machine's memory does not suffice.
        """
        if cells <= self.cells:
            return False
        free = psutil.virtual_memory().available
        if wished * self.cell_bytes() <= free * MEMORY_SHARE:
            cells = max(cells, wished)
        cells = -(-cells // STEP_CELLS) * STEP_CELLS if cells > STEP_CELLS else cells
        need = cells * self.cell_bytes()
        if need > free * MEMORY_SHARE:
            raise CaseTooLong(
                f"This debate needs {need >> 20} MB for the model's memory and {free >> 20} MB are free; close other "
                "programs, use fewer specialists, or choose a smaller model."
            )
        if self._context:
            lib.llama_free(self._context)
        self._context = lib.llama_init_from_model(self._weights.model, self._parameters(cells))
        if not self._context:
            self.cells = 0
            raise EngineFailed(f"The engine could not set up its memory ({last_messages()}); choose a smaller model.")
        self.cells = cells
        self._memory = lib.llama_get_memory(self._context)
        return True

    def cell_bytes(self) -> int:
        """Bytes that one token takes over all layers, keys and values in 16 bits."""
        model = self._weights.model
        heads, kv_heads = lib.llama_model_n_head(model), lib.llama_model_n_head_kv(model)
        width = lib.llama_model_n_embd(model) // max(heads, 1) * max(kv_heads, 1)
        return int(lib.llama_model_n_layer(model) * width * 2 * 2)

    def _parameters(self, cells: int) -> object:
        parameters = lib.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch, parameters.n_ubatch = cells, BATCH_TOKENS, 512
        parameters.n_seq_max = self._sequences
        parameters.n_threads, parameters.n_threads_batch = self._threads
        parameters.kv_unified = True
        parameters.swa_full = True  # a sliding window keeps its past, so that a prefix can be shared and cut back
        # On a CPU flash attention takes two to three times as long per token once the board is long (measured).
        parameters.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.no_perf = True
        parameters.abort_callback = self._abort
        return parameters

    def set_threads(self, decode: int, prefill: int) -> None:
        self._threads = (decode, prefill)
        if self._context:
            lib.llama_set_n_threads(self._context, decode, prefill)

    def clear(self) -> None:
        if self._context:
            lib.llama_memory_clear(self._memory, True)

    def copy(self, source: int, target: int, length: int) -> None:
        """`target` shares the first `length` tokens of `source`; nothing is computed."""
        lib.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def cut(self, sequence: int, length: int) -> None:
        """Forget everything of a sequence from position `length` on."""
        lib.llama_memory_seq_rm(self._memory, sequence, length, -1)

    def evaluate(
        self, items: Sequence[Item], cancel: CancelToken, done: Callable[[int], None] | None = None
    ) -> list[NDArray[np.float32]]:
        """Evaluate tokens in order; the logits, (n_vocab,) each, of those items that want them, in order.

        Raises `Stopped` within about a tenth of a second after `cancel` is set; the memory is then empty.
        """
        logits: list[NDArray[np.float32]] = []
        self._cancel = cancel
        for start in range(0, len(items), BATCH_TOKENS):
            part = items[start : start + BATCH_TOKENS]
            self._decode(part, cancel)
            for index, item in enumerate(part):
                if item.wants_logits:
                    logits.append(self._logits(index))
            if done is not None:
                done(len(part))
        return logits

    def _decode(self, part: Sequence[Item], cancel: CancelToken) -> None:
        batch = self._batch
        batch.n_tokens = len(part)
        tokens, positions, counts, ids, wanted = batch.token, batch.pos, batch.n_seq_id, batch.seq_id, batch.logits
        for index, item in enumerate(part):
            tokens[index], positions[index] = item.token, item.position
            counts[index], wanted[index] = len(item.sequences), item.wants_logits
            row = ids[index]
            for place, sequence in enumerate(item.sequences):
                row[place] = sequence
        code = lib.llama_decode(self._context, batch)
        if code == ABORTED or cancel.is_set():
            self.clear()
            raise Stopped
        if code:
            self.clear()
            raise EngineFailed(f"The engine could not evaluate the prompt (code {code}: {last_messages()}); try again.")

    def _logits(self, index: int) -> NDArray[np.float32]:
        pointer = lib.llama_get_logits_ith(self._context, index)
        view = np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float)), (self._weights.n_vocab,))
        return view.copy()  # the buffer is llama.cpp's and is overwritten by the next call

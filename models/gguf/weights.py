"""One loaded model file: vocabulary, tokens, template and identity."""

import ctypes
import functools
from pathlib import Path

import llguidance
from llguidance.llamacpp import lltokenizer_from_vocab

from core.errors import UnsupportedModel
from core.ports import ModelIdentity
from models.gguf.native import last_messages, lib
from models.gguf.template import Frame, frame


class Weights:
    """A model file in memory. Raises `UnsupportedModel` where llama.cpp refuses the file."""

    def __init__(self, path: Path, model_id: str, sha256: str, gpu_layers: int = 0) -> None:
        parameters = lib.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        self.model = lib.llama_model_load_from_file(str(path).encode(), parameters)
        if not self.model:
            raise UnsupportedModel(
                f"The engine cannot load this model ({last_messages() or 'no reason given'}); "
                "choose another model, or a newer version of this program if the model is newer than it."
            )
        self.model_id, self.sha256 = model_id, sha256
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.n_vocab: int = lib.llama_vocab_n_tokens(self.vocab)
        self.context_tokens: int = lib.llama_model_n_ctx_train(self.model)
        self.copies_memory = not (lib.llama_model_is_recurrent(self.model) or lib.llama_model_is_hybrid(self.model))
        """False: state cannot be shared between sequences; each request is evaluated by itself, which is slower."""
        self.tokenizer: llguidance.LLTokenizer = lltokenizer_from_vocab(self.vocab)
        template = lib.llama_model_chat_template(self.model, None)
        self.frame: Frame = frame(template.decode() if template else None, *self._marks())

    def close(self) -> None:
        lib.llama_model_free(self.model)

    def _marks(self) -> tuple[str, str]:
        """Texts of the tokens that begin and end a sequence."""
        ids = lib.llama_vocab_bos(self.vocab), lib.llama_vocab_eos(self.vocab)
        bos, eos = (lib.llama_vocab_get_text(self.vocab, i).decode() if i >= 0 else "" for i in ids)
        return bos, eos

    @functools.cached_property
    def identity(self) -> ModelIdentity:
        name = self._described()
        return ModelIdentity(
            model_id=self.model_id,
            file_sha256=self.sha256,
            parameters=lib.llama_model_n_params(self.model),
            quantization=name.split()[-1] if name else "unknown",
            context_tokens=self.context_tokens,
            engine=f"llama.cpp through llama-cpp-python {lib.__version__}",
            device="CPU",
            notes=self.frame.notes,
        )

    def _described(self) -> str:
        """Architecture, size and quantization in the words of llama.cpp, for instance `qwen2 1.5B Q4_K - Medium`."""
        buffer = ctypes.create_string_buffer(256)
        lib.llama_model_desc(self.model, buffer, 256)
        return buffer.value.decode().replace(" - ", "-")

    @functools.lru_cache(maxsize=4096)  # noqa: B019  one Weights lives as long as its process
    def tokens(self, text: str, special: bool = False) -> tuple[int, ...]:
        """Token ids. `special`: control tokens are recognised; only ever true for parts of the chat template."""
        raw = text.encode()
        buffer = (lib.llama_token * (len(raw) + 8))()
        count = lib.llama_tokenize(self.vocab, raw, len(raw), buffer, len(raw) + 8, False, special)
        return tuple(buffer[:count])

    @functools.lru_cache(maxsize=65536)  # noqa: B019
    def piece(self, token: int) -> bytes:
        """Bytes that a token stands for, exactly as the grammar reads it; a control token's are no text."""
        return self.tokenizer.decode_bytes([token])

    def opening(self) -> tuple[int, ...]:
        """The template part before the system text, begin-of-sequence token included where the model wants one."""
        tokens = self.tokens(self.frame.before, True) if self.frame.before else ()
        bos = lib.llama_vocab_bos(self.vocab)
        if lib.llama_vocab_get_add_bos(self.vocab) and tokens[:1] != (bos,):
            return (bos, *tokens)
        return tokens

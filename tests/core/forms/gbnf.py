"""llama.cpp as the judge of GBNF grammars."""

import ctypes
from pathlib import Path

import llama_cpp

from models.gguf.weights import Weights
from tests.models.tiny_gguf import PIECES, write_tiny_llama


class Gbnf:
    """Asks the grammar sampler of llama.cpp, byte by byte."""

    def __init__(self, folder: Path) -> None:
        self._weights = Weights(write_tiny_llama(folder / "tiny.gguf"), "tiny", "0" * 64)
        self._first_byte = PIECES.index("<0x00>")

    def accepts(self, grammar: str, text: str) -> bool:
        """Whether the grammar accepts exactly this text. Fails where llama.cpp refuses the grammar."""
        sampler = llama_cpp.llama_sampler_init_grammar(self._weights.vocab, grammar.encode(), b"root")
        assert sampler, "llama.cpp cannot read this grammar"
        try:
            for byte in text.encode():
                if not self._allows(sampler, self._first_byte + byte):
                    return False
                llama_cpp.llama_sampler_accept(sampler, self._first_byte + byte)
            return self._allows(sampler, llama_cpp.llama_vocab_eos(self._weights.vocab))
        finally:
            llama_cpp.llama_sampler_free(sampler)

    @staticmethod
    def _allows(sampler: object, token: int) -> bool:
        one = (llama_cpp.llama_token_data * 1)(llama_cpp.llama_token_data(id=token, logit=0.0, p=0.0))
        candidates = llama_cpp.llama_token_data_array(data=one, size=1, selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(sampler, ctypes.byref(candidates))
        return one[0].logit > float("-inf")

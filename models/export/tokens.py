"""The tokenizer of a model as one tokenizer.json that gives, without torch, the same tokens as the model's own."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, processors
from transformers import AutoTokenizer

from core.errors import BadInput
from models.export.files import TokenizerConfig, read_if_there

VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")
SENTENCE_PIECES = "spm.model"
"""DeBERTa's vocabulary, where no tokenizer.json lies beside it."""

Ids = NDArray[np.int64]
Text = str | tuple[str, str]
"""A sentence, or premise and hypothesis."""


class Tokens:
    """The model's own tokenizer. Raises `BadInput` where there is none."""

    def __init__(self, folder: Path) -> None:
        if not any((folder / name).is_file() for name in VOCABULARIES):
            _check_convertible(folder)
        try:
            self._own: Any = AutoTokenizer.from_pretrained(folder, use_fast=True, local_files_only=True)
        except (OSError, ValueError) as error:
            raise BadInput(f"The tokenizer of “{folder.name}” cannot be read; get the model again.") from error
        if not self._own.is_fast:
            raise BadInput(
                f"The tokenizer of “{folder.name}” cannot be written as tokenizer.json; look for one that can."
            )
        # The class that honors this setting comes as code with the weights; only this one effect of it is wanted.
        self._ends = read_if_there(folder / "tokenizer_config.json", TokenizerConfig).add_eos_token is True
        self.pad_id: int = self._own.pad_token_id or 0
        """Stands where the attention mask hides it."""

    def ids(self, text: Text) -> tuple[list[int], list[int]]:
        """Token ids and token types of one text, as the model saw them in training."""
        parts = text if isinstance(text, tuple) else (text,)
        found = self._own(*parts, return_token_type_ids=True, verbose=False)
        ids: list[int] = found["input_ids"]
        types: list[int] = found["token_type_ids"]
        if self._ends and ids[-1:] != [self._own.eos_token_id]:
            return [*ids, self._own.eos_token_id], [*types, 0]
        return ids, types

    def write(self, path: Path) -> None:
        """tokenizer.json without truncation and padding: both are the scorer's business."""
        tokenizer = Tokenizer.from_str(self._own.backend_tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if self._ends and tokenizer.encode("a").ids[-1:] != [self._own.eos_token_id]:
            end = self._own.eos_token
            closing = processors.TemplateProcessing(single=f"$A {end}", special_tokens=[(end, self._own.eos_token_id)])
            before = tokenizer.post_processor
            tokenizer.post_processor = processors.Sequence([before, closing]) if before else closing
        tokenizer.save(str(path), pretty=False)


def _check_convertible(folder: Path) -> None:
    if not (folder / SENTENCE_PIECES).is_file():
        raise BadInput(
            f"“{folder.name}” has no tokenizer; put the tokenizer.json of the same model beside its weights."
        )
    if find_spec("sentencepiece") is None:
        raise BadInput(
            f"The tokenizer of “{folder.name}” must be converted; pip install sentencepiece and export again."
        )


def batch(encoded: Sequence[tuple[list[int], list[int]]], pad_id: int) -> dict[str, Ids]:
    """Ids and types of several texts -> inputs of a graph, [texts, longest text], padded on the right."""
    shape = len(encoded), max(len(ids) for ids, _ in encoded)
    inputs = {
        "input_ids": np.full(shape, pad_id, np.int64),
        "attention_mask": np.zeros(shape, np.int64),
        "token_type_ids": np.zeros(shape, np.int64),
    }
    for row, (ids, types) in enumerate(encoded):
        inputs["input_ids"][row, : len(ids)] = ids
        inputs["attention_mask"][row, : len(ids)] = 1
        inputs["token_type_ids"][row, : len(ids)] = types
    return inputs

"""One scoring model, loaded: texts in, one row of numbers a text out.

What a text gives depends on nothing but the text, as far as the engine allows: the order of the texts does not matter, equal
texts are computed once, and a graph whose texts would change one another's results is given them one by one.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import DamagedModel, EngineFailed, Stopped, TextTooLong, UnsupportedModel
from core.ports import CancelToken
from models.durable import file_sha256
from models.scoring import runtime
from models.scoring.card import CARD_FILE, MODEL_FILE, TOKENIZER_FILE, Kind, card_in, checksums
from models.scoring.onnx_file import read_onnx

Text = str | tuple[str, str]
"""A text, or a pair with the premise first."""
Rows = NDArray[np.float64]

BATCH_TOKENS: dict[runtime.Device, int] = {"CPU": 512, "CUDA": 16_384}
"""Tokens in a batch, padding included. Measured on two cores: 512 is fastest for MiniLM, and a stop is heard soon."""

_OUTPUTS = {
    "logits": ("logits",),
    "mean": ("last_hidden_state", "token_embeddings"),
    "cls": ("last_hidden_state", "token_embeddings"),
    "none": ("sentence_embedding",),
}


class Network:
    """The model in a folder.

    Loading raises `DamagedModel` (a file is missing or has another checksum than its card says), `UnsupportedModel` (the
    graph cannot do what the card says), `BadInput` (device) and `EngineFailed` (packages of the engine).
    """

    def __init__(self, folder: Path, kind: Kind | None = None) -> None:
        self.card = card_in(folder)
        if kind not in (None, self.card.kind):
            raise UnsupportedModel(
                f"“{self.card.title}” is a model of kind {self.card.kind}, not {kind}; choose another one."
            )
        _check_files(folder, checksums(self.card))
        self._columns = len(self.card.labels) if self.card.kind == "nli" else self.card.dimensions or 0
        self._alone = read_onnx(folder / MODEL_FILE).quantizes_inputs
        self._tokenizer = self._open_tokenizer(folder / TOKENIZER_FILE)
        self.device, self._session = self._open_session(folder / MODEL_FILE)

    def rows(self, texts: Sequence[Text], cancel: CancelToken) -> Rows:
        """`[text, column]` in the order of the texts: logits by label, or the vector of length 1.

        Raises `TextTooLong` before anything is computed, `Stopped`, `UnsupportedModel` where the model gives no numbers,
        `EngineFailed` where it cannot be run on a text.
        """
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        encodings = self._encoded(list(place))
        found = np.empty((len(place), self._columns))
        for batch in self._batches(encodings):
            if cancel.is_set():
                raise Stopped
            try:
                found[batch] = self._row_each(self._session, [encodings[number] for number in batch])
            except runtime.failures() as error:
                raise EngineFailed(
                    f"“{self.card.title}” failed at a text ({type(error).__name__}): the memory is too small for it, or its "
                    "tokenizer belongs to another model; use another model."
                ) from error
        return found[[place[text] for text in texts]]

    def _open_tokenizer(self, path: Path) -> Any:
        """A tokenizer that cuts nothing and pads nothing, and to which the marks of the model are plain text in a text."""
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library knows no other type
            raise UnsupportedModel(
                f"{path.name} of “{self.card.title}” cannot be read; export the model again."
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True
        return tokenizer

    def _open_session(self, path: Path) -> tuple[runtime.Device, Any]:
        """The session on the best device that really works, tried out with one short text."""
        trial = self._encoded([("a", "b") if self.card.kind == "nli" else "a"])
        if self.card.kind == "nli" and not any(trial[0].special_tokens_mask):
            raise UnsupportedModel(
                f"The tokenizer of “{self.card.title}” puts no mark between premise and hypothesis; export the model again."
            )
        reason = ""
        for device in runtime.devices_to_try(runtime.wanted_device()):
            try:
                session = runtime.open_session(path, device)
                self._row_each(session, trial)
            except runtime.failures() as error:
                reason = type(error).__name__
            else:
                return runtime.device_of(session), session
        raise UnsupportedModel(
            f"“{self.card.title}” cannot be run by onnxruntime {runtime.onnxruntime().__version__} ({reason}); export it again "
            "or use another model."
        )

    def _encoded(self, texts: Sequence[Text]) -> Any:
        prompt = self.card.prompt
        encodings = self._tokenizer.encode_batch([prompt + text if isinstance(text, str) else text for text in texts])
        longest = max((len(each.ids) for each in encodings), default=0)
        if longest > self.card.max_tokens:
            what = "Two steps together have" if self.card.kind == "nli" else "A step has"
            raise TextTooLong(
                f"{what} {longest:,} tokens, but “{self.card.title}” sees {self.card.max_tokens:,} at once; split long steps, "
                "or use a model with a larger window."
            )
        return encodings

    def _batches(self, encodings: Any) -> Iterator[list[int]]:
        """Numbers of the texts that run together: texts of like length, whatever order they came in."""
        waiting = sorted(range(len(encodings)), key=lambda number: (len(encodings[number].ids), encodings[number].ids))
        batch: list[int] = []
        for number in waiting:
            tokens = (len(batch) + 1) * len(encodings[number].ids)
            if batch and (self._alone or tokens > BATCH_TOKENS[self.device]):
                yield batch
                batch = []
            batch.append(number)
        if batch:
            yield batch

    def _row_each(self, session: Any, encodings: Sequence[Any]) -> Rows:
        shape = len(encodings), max(len(each.ids) for each in encodings)
        values = {
            "input_ids": np.full(shape, self.card.pad_token_id, np.int64),
            "attention_mask": np.zeros(shape, np.int64),
            "token_type_ids": np.zeros(shape, np.int64),
            "position_ids": np.broadcast_to(np.arange(shape[1], dtype=np.int64), shape),
        }
        for row, each in enumerate(encodings):
            values["input_ids"][row, : len(each.ids)] = each.ids
            values["attention_mask"][row, : len(each.ids)] = 1
            values["token_type_ids"][row, : len(each.ids)] = each.type_ids
        (found,) = session.run([self._output(session)], self._fed(session, values))
        words = shape[1:] if self.card.pooling in ("mean", "cls") else ()
        if found.shape != (shape[0], *words, self._columns):
            raise UnsupportedModel(
                f"“{self.card.title}” gives {found.shape[-1]} numbers a text where its card says {self._columns}; export the "
                "model again."
            )
        rows = self._pooled(found.astype(np.float64), values["attention_mask"])
        if not np.isfinite(rows).all():
            raise UnsupportedModel(f"“{self.card.title}” gave something that is no number; use another model.")
        return rows

    def _output(self, session: Any) -> str:
        wanted = _OUTPUTS[self.card.pooling or "logits"]
        names = [each.name for each in session.get_outputs()]
        found = [name for name in wanted if name in names]
        if not found:
            raise UnsupportedModel(
                f"“{self.card.title}” has no output called {' or '.join(wanted)}, only {', '.join(names)}; export it again."
            )
        return found[0]

    def _fed(self, session: Any, values: dict[str, NDArray[np.int64]]) -> dict[str, NDArray[Any]]:
        """Those of the values that the graph asks for."""
        inputs = session.get_inputs()
        kinds = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
        unknown = [each.name for each in inputs if each.name not in values or each.type not in kinds]
        if unknown or any(isinstance(size, int) for each in inputs for size in each.shape):
            what = (
                f"the input {unknown[0]}, which is not known here" if unknown else "a fixed number or length of texts"
            )
            raise UnsupportedModel(f"“{self.card.title}” wants {what}; export it with free batch size and length.")
        return {each.name: values[each.name].astype(kinds[each.type]) for each in inputs}

    def _pooled(self, found: Rows, mask: NDArray[np.int64]) -> Rows:
        """Logits as they are; of an embedding model one vector of length 1 a text."""
        if self.card.kind == "nli":
            return found
        if self.card.pooling == "mean":
            weights = mask[:, :, None]
            found = np.where(weights, found, 0).sum(axis=1) / weights.sum(axis=1)
        elif self.card.pooling == "cls":
            found = found[:, 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            unit: Rows = found / np.linalg.norm(found, axis=-1, keepdims=True)
        return unit


def _check_files(folder: Path, promised: dict[str, str]) -> None:
    for name, sha256 in promised.items():
        path = folder / name
        if not path.is_file():
            raise DamagedModel(f"“{folder.name}” has no {name} and is not used; add or fetch the model again.")
        if file_sha256(path) != sha256:
            raise DamagedModel(
                f"{name} of “{folder.name}” has another checksum than its {CARD_FILE} says and is not used; add or fetch the "
                "model again."
            )

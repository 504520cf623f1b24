"""What PyTorch and the graph say of the same texts.

PyTorch sees each text alone and through the model's own tokenizer; the graph sees them in padded batches and through the
tokenizer.json that was written: whatever differs between the two shows in the answers. Imported only where the extra
`export` is installed.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import Tokenizer

from core.errors import BadInput
from models.export.description import Description
from models.export.encoders import Classifier, Encoder
from models.export.parity import Matrix
from models.export.tokens import Text, Tokens, batch
from models.scoring.probes import Probe

_LONG_TOKENS = 512
_BATCH = 8


def texts_of(pairs: Sequence[Probe], tokens: Tokens, description: Description) -> tuple[Text, ...]:
    """The pairs or, with the prompt before each, their sentences once each; then one text as long as the window allows."""
    texts: list[Text]
    if description.kind == "nli":
        texts = [(each.premise, each.hypothesis) for each in pairs]
    else:
        sentences = dict.fromkeys(text for each in pairs for text in (each.premise, each.hypothesis))
        texts = [description.prompt + each for each in sentences]
    return *texts, _long_text(texts, tokens, min(description.max_tokens, _LONG_TOKENS))


def _long_text(texts: Sequence[Text], tokens: Tokens, window: int) -> Text:
    words = " ".join(" ".join(text) if isinstance(text, tuple) else text for text in texts).split()

    def strung(count: int) -> Text:
        joined = " ".join(words[:count])
        return (joined, words[0]) if isinstance(texts[0], tuple) else joined

    fits, fails = 1, len(words) + 1
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if len(tokens.ids(strung(middle))[0]) <= window else (fits, middle)
    return strung(fits)


def from_torch(model: Classifier | Encoder, texts: Sequence[Text], tokens: Tokens, description: Description) -> Matrix:
    """Logits or embeddings, [texts, columns]. Raises `BadInput` for a text that is longer than the window."""
    rows = []
    for text in texts:
        encoded = tokens.ids(text)
        if len(encoded[0]) > description.max_tokens:
            raise BadInput(
                f"One of the texts that parity is measured on has {len(encoded[0])} tokens, but the model sees "
                f"{description.max_tokens}; such a small window serves no case, choose another model."
            )
        inputs = batch([encoded], tokens.pad_id)
        with torch.no_grad():
            rows.append(model(*(torch.from_numpy(inputs[name]) for name in description.inputs))[0].numpy())
    return np.array(rows, np.float64)


def from_graph(graph: Path, tokenizer: Path, texts: Sequence[Text], pad_id: int) -> Matrix:
    """The same as the scorer will hear it: from the files alone, in batches of unequal lengths."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    wanted = {each.name for each in session.get_inputs()}
    reader = Tokenizer.from_file(str(tokenizer))
    rows = []
    for start in range(0, len(texts), _BATCH):
        some = texts[start : start + _BATCH]
        encoded = [reader.encode(*text) if isinstance(text, tuple) else reader.encode(text) for text in some]
        inputs = batch([(each.ids, each.type_ids) for each in encoded], pad_id)
        rows.append(session.run(None, {name: ids for name, ids in inputs.items() if name in wanted})[0])
    return np.concatenate(rows).astype(np.float64)

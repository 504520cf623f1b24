"""Which layers and heads training starts from."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from core.errors import BadInput
from models.training.pairs import LABELS
from models.training.starting_weights import last_layer, load_base
from tests.models import tiny_transformers as tiny


@pytest.mark.parametrize("write", [tiny.write_bert_nli, tiny.write_mpnet_nli])
def test_the_lowest_layers_are_kept_without_dropout_and_with_our_labels(tmp_path: Path, write) -> None:
    write(tmp_path / "base", labels=("neutral", "contradiction", "entailment"))
    model = load_base(tmp_path / "base", layers=1)
    assert model.config.num_hidden_layers == 1
    assert list(model.config.id2label.values()) == list(LABELS)
    assert model.config.hidden_dropout_prob == model.config.attention_probs_dropout_prob == 0
    assert last_layer(model).out_features == len(LABELS)


def test_a_base_of_other_sizes_is_declined(tmp_path: Path) -> None:
    write = tiny.write_mpnet_nli(tmp_path / "base")
    from safetensors.torch import load_file, save_file

    weights = load_file(write / "model.safetensors")
    odd = {name: tensor for name, tensor in weights.items() if "layer.0" not in name}
    save_file(odd, write / "model.safetensors", {"format": "pt"})
    with pytest.raises(BadInput, match="does not fit"):
        load_base(write)

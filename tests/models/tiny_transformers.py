"""Writers of scoring models with random weights, in the folders that PyTorch users know: small enough for a test.

The same arguments always give the same numbers. Imported only where the extra `export` is installed.
"""

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LABELS = ("contradiction", "entailment", "neutral")
S2S_PROMPT = "Instruct: find the like.\nQuery: "
SIZES: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}


def write_bert_nli(folder: Path, labels: tuple[str, ...] = LABELS) -> Path:
    """A cross-encoder as `models.train_nli` makes them."""
    config = transformers.BertConfig(**SIZES, max_position_embeddings=256, **_named(labels))
    return _classifier(folder, transformers.BertForSequenceClassification, config)


def write_deberta_nli(folder: Path, labels: tuple[str, ...] = LABELS) -> Path:
    """DeBERTa v3: relative positions in buckets, no token types."""
    config = transformers.DebertaV2Config(
        **SIZES,
        max_position_embeddings=256,
        relative_attention=True,
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        type_vocab_size=0,
        **_named(labels),
    )
    return _classifier(folder, transformers.DebertaV2ForSequenceClassification, config)


def write_mpnet_nli(folder: Path, labels: tuple[str, ...] = LABELS) -> Path:
    """MPNet: one shared table of relative positions; absolute ones are counted from behind the padding token."""
    config = transformers.MPNetConfig(
        **SIZES, max_position_embeddings=258, relative_attention_num_buckets=32, pad_token_id=1, **_named(labels)
    )
    return _classifier(folder, transformers.MPNetForSequenceClassification, config)


def write_minilm(folder: Path) -> Path:
    """A sentence encoder without a dense layer or prompts."""
    config = transformers.BertConfig(**SIZES, max_position_embeddings=256)
    _weights(folder, transformers.BertModel, config)
    _bert_tokenizer(folder)
    _modules(folder, "Transformer", "Pooling", "Normalize")
    return folder


def write_stella_qwen2(folder: Path, **config_changes: Any) -> Path:
    """Stella 1.5B: a Qwen2 that attends both ways, and a tokenizer whose end mark is added by code beside the weights."""
    settings = {"is_causal": False, "auto_map": {"AutoModel": "modeling_qwen.Qwen2Model"}} | config_changes
    config = transformers.Qwen2Config(**SIZES, num_key_value_heads=2, max_position_embeddings=4096)
    _weights(folder, transformers.Qwen2Model, config)
    change_json(folder / "config.json", settings)
    tokenizer = _letters({"<|endoftext|>": 0, "<|im_end|>": 1})
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", pad_token="<|endoftext|>", add_eos_token=True
    )
    fast.save_pretrained(folder)
    _modules(folder, "Transformer", "Pooling", "Dense")
    _dense(folder)
    _prompts(folder)
    return folder


def write_stella_new(folder: Path) -> Path:
    """Stella 400M: modeling code of its own, which out of the box wants a library of the GPU."""
    torch.manual_seed(7)
    settings = {"model_type": "new", "architectures": ["NewModel"], "torch_dtype": "float32"}
    settings |= {"auto_map": {"AutoConfig": "modeling.NewConfig", "AutoModel": "modeling.NewModel"}}
    settings |= {"use_memory_efficient_attention": True, "unpad_inputs": True, "max_position_embeddings": 512}
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(settings | SIZES), encoding="utf-8")
    (folder / "modeling.py").write_text(NEW_MODEL, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(NEW_MODEL, names)
    plain = settings | {"use_memory_efficient_attention": False, "unpad_inputs": False} | SIZES
    del plain["auto_map"]
    save_file(
        names["NewModel"](names["NewConfig"](**plain)).state_dict(), folder / "model.safetensors", {"format": "pt"}
    )
    _bert_tokenizer(folder)
    _modules(folder, "Transformer", "Pooling", "Dense")
    _dense(folder)
    _prompts(folder)
    return folder


def change_json(path: Path, changes: dict[str, Any]) -> None:
    """`None` takes a key away."""
    changed = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({key: value for key, value in changed.items() if value is not None}), encoding="utf-8")


def _named(labels: tuple[str, ...]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: column for column, label in enumerate(labels)}}


def _classifier(folder: Path, model: Any, config: Any) -> Path:
    _weights(folder, model, config, spread=12)
    _bert_tokenizer(folder)
    return folder


def _weights(folder: Path, kind: Any, config: Any, spread: float = 3) -> None:
    """Random weights, spread wide enough that different texts get different answers."""
    torch.manual_seed(7)
    model = kind(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 2:
                weight.mul_(spread if "classifier" in name else 3)
    model.save_pretrained(folder)


def _letters(first: dict[str, int]) -> Tokenizer:
    """One token a letter."""
    vocabulary = first | {chr(code): len(first) + place for place, code in enumerate(range(32, 127))}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], unk_token=next(iter(first))))
    tokenizer.add_special_tokens(list(first))
    return tokenizer


def _bert_tokenizer(folder: Path) -> None:
    tokenizer = _letters({"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3})
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=16)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(folder)


def _modules(folder: Path, *names: str) -> None:
    paths = {"Transformer": "", "Pooling": "1_Pooling", "Dense": "2_Dense_24", "Normalize": "2_Normalize"}
    kind = "sentence_transformers.models."
    modules = [{"idx": at, "name": str(at), "path": paths[name], "type": kind + name} for at, name in enumerate(names)]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    pooling = {"word_embedding_dimension": 32, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text(
        '{"max_seq_length": 200, "do_lower_case": false}', encoding="utf-8"
    )


def _dense(folder: Path) -> None:
    (folder / "2_Dense_24").mkdir()
    said = {
        "in_features": 32,
        "out_features": 24,
        "bias": True,
        "activation_function": "torch.nn.modules.linear.Identity",
    }
    (folder / "2_Dense_24" / "config.json").write_text(json.dumps(said), encoding="utf-8")
    layer = torch.nn.Linear(32, 24)
    save_file(
        {f"linear.{name}": each for name, each in layer.state_dict().items()},
        folder / "2_Dense_24" / "model.safetensors",
    )


def _prompts(folder: Path) -> None:
    said = {"prompts": {"s2p_query": "Instruct: find the answer.\nQuery: ", "s2s_query": S2S_PROMPT}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(said), encoding="utf-8")


NEW_MODEL = '''
"""An encoder with rotary positions, whose two shortcuts need a library of the GPU."""

import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput


class NewConfig(PretrainedConfig):
    model_type = "new"


class NewModel(PreTrainedModel):
    config_class = NewConfig

    def __init__(self, config):
        super().__init__(config)
        assert not config.use_memory_efficient_attention and not config.unpad_inputs, "please install xformers"
        size, self.heads = config.hidden_size, config.num_attention_heads
        self.embeddings = torch.nn.Embedding(config.vocab_size, size)
        self.mixing = torch.nn.ModuleList(torch.nn.Linear(size, 3 * size) for _ in range(config.num_hidden_layers))
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(size) for _ in range(config.num_hidden_layers))
        half = size // self.heads // 2
        angles = torch.arange(config.max_position_embeddings)[:, None] / 100 ** (torch.arange(half) / half)
        self.register_buffer("turns", torch.cat((angles, angles), -1), persistent=False)
        self.post_init()

    def forward(self, input_ids, attention_mask):
        count, half = input_ids.shape[1], self.turns.shape[1] // 2
        hidden = (1 - attention_mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
        cos, sin = self.turns[:count].cos(), self.turns[:count].sin()
        states = self.embeddings(input_ids)
        for mixing, norm in zip(self.mixing, self.norms):
            shape = (*states.shape[:-1], self.heads, -1)
            query, key, value = (each.reshape(shape).transpose(1, 2) for each in mixing(states).chunk(3, -1))
            query, key = (each * cos + each.roll(half, -1) * sin for each in (query, key))
            weights = (query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5 + hidden).softmax(-1)
            states = norm(states + (weights @ value).transpose(1, 2).reshape(states.shape))
        return BaseModelOutput(last_hidden_state=states)
'''

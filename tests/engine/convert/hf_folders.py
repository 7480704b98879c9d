"""Tiny models as folders of safetensors: config.json, weights, tokenizer. Written by the safetensors library.

Knows nothing of how they are read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

from tests.engine.tiny_models import CHAT_TEMPLATE, CONTROL_TOKENS, MERGES, vocabulary

HIDDEN, INNER, NUM_HEADS, NUM_KV_HEADS, NUM_LAYERS = 64, 96, 4, 2, 2
ToTensors = Callable[[str, Tensor], dict[str, Tensor]]
"""From the name and the float32 values of a matrix in a layer to the tensors that are stored."""


@dataclass(slots=True)
class HfFolder:
    """Change `config`, `settings`, `weights` or `texts` (None leaves a file out) to make a folder that is wrong."""

    config: dict[str, Any]
    weights: dict[str, Tensor]
    settings: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str | None] = field(default_factory=dict)

    def write(self, folder: Path, num_shards: int = 1) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        texts: dict[str, str | None] = {
            "config.json": json.dumps(self.config),
            "tokenizer.json": tokenizer_json(),
            "tokenizer_config.json": json.dumps(self.settings),
            "chat_template.jinja": CHAT_TEMPLATE,
        }
        for name, text in (texts | self.texts).items():
            if text is not None:
                (folder / name).write_text(text, encoding="utf-8")
        names = sorted(self.weights)
        if num_shards == 1:
            save_file({name: self.weights[name].contiguous() for name in names}, folder / "model.safetensors")
            return folder
        weight_map = {}
        for number in range(num_shards):
            shard = f"model-{number + 1:05}-of-{num_shards:05}.safetensors"
            part = names[number::num_shards]
            save_file({name: self.weights[name].contiguous() for name in part}, folder / shard)
            weight_map |= dict.fromkeys(part, shard)
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
        return folder


def llama_folder(
    *,
    is_tied: bool = True,
    dtype: torch.dtype = torch.float32,
    to_tensors: ToTensors | None = None,
    config: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> HfFolder:
    """A tiny Llama; `to_tensors` makes what is stored of each matrix in a layer, all else has the `dtype`."""
    settings: dict[str, Any] = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": NUM_LAYERS,
        "num_attention_heads": NUM_HEADS,
        "num_key_value_heads": NUM_KV_HEADS,
        "vocab_size": len(vocabulary()[0]),
        "max_position_embeddings": 256,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": is_tied,
        "eos_token_id": 2,
        "bos_token_id": 0,
    }
    weights: dict[str, Tensor] = {}
    for name, values in float_weights(is_tied, seed).items():
        is_linear = values.dim() == 2 and "_proj." in name
        if is_linear and to_tensors is not None:
            weights |= to_tensors(name, values)
        else:
            weights[name] = values.to(dtype)
    return HfFolder(settings | dict(config or {}), weights)


def float_weights(is_tied: bool, seed: int) -> dict[str, Tensor]:
    """All weights of the tiny Llama, float32."""
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> Tensor:
        return torch.from_numpy((random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32))

    def norm() -> Tensor:
        return torch.from_numpy((1 + 0.1 * random.standard_normal(HIDDEN)).astype(np.float32))

    vocab_size, kv_size = len(vocabulary()[0]), HIDDEN // NUM_HEADS * NUM_KV_HEADS
    weights = {"model.embed_tokens.weight": matrix(vocab_size, HIDDEN), "model.norm.weight": norm()}
    if not is_tied:
        weights["lm_head.weight"] = matrix(vocab_size, HIDDEN)
    for index in range(NUM_LAYERS):
        parts = {
            "input_layernorm": norm(),
            "self_attn.q_proj": matrix(HIDDEN, HIDDEN),
            "self_attn.k_proj": matrix(kv_size, HIDDEN),
            "self_attn.v_proj": matrix(kv_size, HIDDEN),
            "self_attn.o_proj": matrix(HIDDEN, HIDDEN),
            "post_attention_layernorm": norm(),
            "mlp.gate_proj": matrix(INNER, HIDDEN),
            "mlp.up_proj": matrix(INNER, HIDDEN),
            "mlp.down_proj": matrix(HIDDEN, INNER),
        }
        weights |= {f"model.layers.{index}.{name}.weight": values for name, values in parts.items()}
    return weights


def tokenizer_json() -> str:
    """The vocabulary of tiny_models, as the tokenizers library writes it."""
    tokens = vocabulary()[0]
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(tokens)}, list(MERGES)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in CONTROL_TOKENS])
    return tokenizer.to_str()

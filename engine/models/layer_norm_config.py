"""From a config.json to the fields in which the families with LayerNorms differ from Llama: StarCoder2 and GPT-NeoX.

Knows nothing of tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.models.metadata import Metadata
from engine.models.rope_config import read_rope

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "gptneox": {"hidden_act": "gelu", "rotary_pct": 0.25, "rotary_emb_base": 10000.0},
    "starcoder2": {"hidden_act": "gelu_pytorch_tanh"},
}
"""What transformers takes for keys that a config leaves out."""


def read_starcoder2(config: Metadata) -> dict[str, Any]:
    has_bias = config.flag("use_bias", True)
    return _layer_norms(config.number("norm_epsilon", 1e-5)) | {
        "sliding_window": config.optional_integer("sliding_window"),
        "has_qkv_bias": has_bias,
        "has_output_bias": has_bias,
        "has_feed_forward_bias": has_bias,
        "is_tied": config.flag("tie_word_embeddings", True),
    }


def read_gptneox(config: Metadata) -> dict[str, Any]:
    num_heads, has_bias = config.size("num_attention_heads"), config.flag("attention_bias", True)
    head_dim = config.size("hidden_size") // num_heads
    own = {"rope_theta": config.number("rotary_emb_base"), "partial_rotary_factor": config.number("rotary_pct")}
    return _layer_norms(config.number("layer_norm_eps", 1e-5)) | {
        "num_kv_heads": num_heads,
        "head_dim": head_dim,
        "rope": read_rope(Metadata(config.path, {**own, **config.values}), head_dim),
        "has_qkv_bias": has_bias,
        "has_output_bias": has_bias,
        "has_feed_forward_bias": True,
        "is_parallel": config.flag("use_parallel_residual", True),
    }


def _layer_norms(eps: float) -> dict[str, Any]:
    """And the feed forward of that time, without a gate."""
    return {"has_layer_norms": True, "rms_norm_eps": eps, "is_gated": False}

"""From a GGUF file's keys to a `ModelSpec`, for every family, with the names that llama.cpp writes.

What llama.cpp knows of a family without writing it into the file is known here as well. Knows nothing of the tensors'
content, except for the small ones that scale the rotary frequencies.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

from engine.errors import SourceError
from engine.latent_spec import LatentSpec
from engine.models.gguf_rope import ReadFactors, read_gguf_rope
from engine.models.metadata import Metadata
from engine.rope_spec import RopeSpec, yarn_magnitude
from engine.spec import ExpertSpec, ModelSpec

HEAD = "output.weight"
MAX_LAYERS = 1024
MAX_CONTEXT = 1 << 24

_SCALES = ("logit_scale", "residual_scale", "embedding_scale", "attention.scale")
_NORMALIZED_EXPERTS = ("llama", "qwen3moe")
"""Architectures whose active experts' weights are divided by their sum, unless the file says otherwise."""
_SOFTMAX = 1
_LAYER_NORMS = ("gptneox", "starcoder2")
_NORM_EPS = ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon")
_QKV_BIASES = ("blk.0.attn_q.bias", "blk.0.attn_qkv.bias")
_STARCODER2_WINDOW = 4096
"""Of all that were published; llama.cpp neither writes nor uses it."""
_SMOLLM3_INTERVAL = 4
_GEMMA3_PATTERN = 6
_GEMMA3_LOCAL_THETA = 10000.0
_GEMMA_27B_LAYERS = {"gemma2": 46, "gemma3": 62}
"""The 27B models scale their scores by hidden / heads, not by the size of a head."""


class GgufKeys:
    """The keys of one architecture, under their prefix."""

    def __init__(self, metadata: Metadata, architecture: str) -> None:
        self.metadata = metadata
        self.architecture = architecture

    def name(self, key: str) -> str:
        return f"{self.architecture}.{key}"

    def size(self, key: str, default: int | None = None) -> int:
        return self.metadata.size(self.name(key), default)

    def count(self, key: str) -> int:
        """A whole number, 0 if the key is missing. Raises `SourceError` below 0."""
        value = self.metadata.integer(self.name(key), 0)
        if value < 0:
            raise SourceError(f"{self.metadata.path}: {self.name(key)} is {value}: get the file again")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        return self.metadata.number(self.name(key), default)

    def optional_number(self, key: str) -> float | None:
        return self.metadata.optional_number(self.name(key))


def read_gguf_spec(
    metadata: Metadata, family: str, architecture: str, tensors: Container[str], read_factors: ReadFactors
) -> ModelSpec:
    """`tensors` are the names in the file; `read_factors` gives the content of one of `gguf_rope.ROPE_TENSORS`.

    Raises `SourceError` for what the decoder cannot run.
    """
    keys = GgufKeys(metadata, architecture)
    fields = _common(keys, tensors) | {"family": family}
    fields["rope"] = read_gguf_rope(metadata, architecture, fields["head_dim"], fields["max_context"], read_factors)
    own = _FAMILIES.get(architecture)
    if own is not None:
        fields |= own(keys, fields)
    if architecture != "granite":
        for key in _SCALES:
            if metadata.has(keys.name(key)):
                raise SourceError(f"{metadata.path} needs {keys.name(key)}, which is not supported: choose another")
    window = fields.get("sliding_window")
    if fields.get("local_rope") is None and (window is None or window >= fields["max_context"]):
        fields |= {"sliding_window": None, "full_attention_layers": ()}
    spec = ModelSpec(**fields)
    try:
        spec.check()
    except ValueError as error:
        raise SourceError(f"{metadata.path}: {error}: get the file again") from error
    return spec


def _common(keys: GgufKeys, tensors: Container[str]) -> dict[str, Any]:
    path = keys.metadata.path
    num_heads, num_kv_heads = _heads(keys)
    is_latent = keys.metadata.has(keys.name("attention.kv_lora_rank"))
    num_layers, max_context = keys.size("block_count"), keys.size("context_length")
    if num_layers > MAX_LAYERS or max_context > MAX_CONTEXT:
        raise SourceError(f"{path} claims {num_layers} layers and {max_context} tokens of context: get it again")
    return {
        "num_layers": num_layers,
        "hidden_size": keys.size("embedding_length"),
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
        # What rotates is a part of a head then, with tables of its own.
        "head_dim": keys.size("rope.dimension_count") if is_latent else _head_dim(keys, num_heads),
        "intermediate_size": keys.size("feed_forward_length", _expert_size(keys)),
        "vocab_size": len(keys.metadata.texts("tokenizer.ggml.tokens")),
        "max_context": max_context,
        "rms_norm_eps": keys.number(_NORM_EPS[keys.architecture in _LAYER_NORMS]),
        "has_qkv_bias": keys.architecture in ("qwen2", "qwen2moe") or any(name in tensors for name in _QKV_BIASES),
        "is_tied": HEAD not in tensors,
        "sliding_window": keys.count("attention.sliding_window") or None,
        "experts": _experts(keys),
    } | _layer_norms(keys.architecture, tensors)


def _layer_norms(architecture: str, tensors: Container[str]) -> dict[str, Any]:
    """What those have that norm so: biases, and a feed forward without a gate."""
    if architecture not in _LAYER_NORMS:
        return {}
    return {
        "has_layer_norms": True,
        "is_gated": False,
        "has_output_bias": "blk.0.attn_output.bias" in tensors,
        "has_feed_forward_bias": "blk.0.ffn_up.bias" in tensors,
    }


def _heads(keys: GgufKeys) -> tuple[int, int]:
    num_heads = keys.size("attention.head_count")
    num_kv_heads = keys.size("attention.head_count_kv", num_heads)
    if num_heads % num_kv_heads:
        raise SourceError(f"{keys.metadata.path}: {num_heads} heads cannot share {num_kv_heads} key-value heads")
    return num_heads, num_kv_heads


def _head_dim(keys: GgufKeys, num_heads: int) -> int:
    path, hidden_size = keys.metadata.path, keys.size("embedding_length")
    key_length = keys.metadata.optional_integer(keys.name("attention.key_length"))
    if key_length is None and hidden_size % num_heads:
        raise SourceError(f"{path}: {num_heads} heads do not divide {hidden_size} and no key_length is given")
    head_dim = hidden_size // num_heads if key_length is None else key_length
    value_length = keys.size("attention.value_length", head_dim)
    if head_dim < 2 or head_dim % 2 or value_length != head_dim:
        raise SourceError(f"{path}: heads of {head_dim} for keys and {value_length} for values do not work")
    return head_dim


def _expert_size(keys: GgufKeys) -> int | None:
    """A model of experts alone need not say how large its feed forward would be."""
    size = keys.count("expert_feed_forward_length")
    return size or None


def _experts(keys: GgufKeys) -> ExpertSpec | None:
    num_experts = keys.count("expert_count")
    if not num_experts:
        return None
    if keys.metadata.integer(keys.name("expert_gating_func"), _SOFTMAX) != _SOFTMAX:
        raise SourceError(f"{keys.metadata.path} routes its experts without a softmax: choose another model")
    normalizes = keys.metadata.flag(keys.name("expert_weights_norm"), keys.architecture in _NORMALIZED_EXPERTS)
    return ExpertSpec(
        num_experts=num_experts,
        num_active=keys.size("expert_used_count"),
        intermediate_size=_expert_size(keys) or keys.size("feed_forward_length"),
        normalizes_weights=normalizes,
        shared_size=keys.count("expert_shared_feed_forward_length") or None,
    )


def _gemma(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    return {"activation": "gelu_tanh", "embedding_scale": fields["hidden_size"] ** 0.5}


def _gemma2(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    layers = range(fields["num_layers"])
    return _gemma_sandwich(keys, fields) | {
        "full_attention_layers": tuple(index for index in layers if index % 2),
        "attention_softcap": keys.number("attn_logit_softcapping", 50.0),
        "final_softcap": keys.number("final_logit_softcapping", 30.0),
    }


def _gemma3(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    local_theta = keys.number("rope.freq_base_swa", _GEMMA3_LOCAL_THETA)
    rope = fields["rope"]
    return _gemma_sandwich(keys, fields) | {
        "query_key_norm": "head",
        "full_attention_layers": _full_layers(keys, fields["num_layers"]),
        "local_rope": type(rope)(local_theta, rotary_dim=rope.rotary_dim),
        "attention_softcap": keys.optional_number("attn_logit_softcapping"),
        "final_softcap": keys.optional_number("final_logit_softcapping"),
    }


def _full_layers(keys: GgufKeys, num_layers: int) -> tuple[int, ...]:
    """Every so manieth layer sees all, or the file tells of each layer whether it has the window."""
    key = keys.name("attention.sliding_window_pattern")
    if isinstance(keys.metadata.values.get(key), list):
        return tuple(index for index, has_window in enumerate(keys.metadata.flags(key)) if not has_window)
    pattern = keys.size("attention.sliding_window_pattern", _GEMMA3_PATTERN)
    return tuple(index for index in range(num_layers) if (index + 1) % pattern == 0)


def _gemma_sandwich(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    is_27b = fields["num_layers"] == _GEMMA_27B_LAYERS[keys.architecture]
    scaled_size = fields["hidden_size"] / fields["num_heads"] if is_27b else fields["head_dim"]
    return _gemma(keys, fields) | {"has_post_norms": True, "attention_scale": scaled_size**-0.5}


def _granite(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "embedding_scale": keys.number("embedding_scale", 1.0),
        "residual_scale": keys.number("residual_scale", 1.0),
        "attention_scale": keys.optional_number("attention.scale"),
        "logit_scale": 1 / keys.number("logit_scale", 1.0),
    }


def _smollm3(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    layers = range(fields["num_layers"])
    return {"unrotated_layers": tuple(index for index in layers if (index + 1) % _SMOLLM3_INTERVAL == 0)}


def _qwen3(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    return {"query_key_norm": "head"}


def _olmo2(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    return {"query_key_norm": "projection", "has_pre_norms": False, "has_post_norms": True}


def _starcoder2(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    window = keys.metadata.integer(keys.name("attention.sliding_window"), _STARCODER2_WINDOW)
    return {"activation": "gelu_tanh", "sliding_window": window or None}


def _gptneox(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    is_parallel = keys.metadata.flag(keys.name("use_parallel_residual"), True)
    return {"activation": "gelu", "is_parallel": is_parallel}


def _olmoe(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    return {"query_key_norm": "projection"}


def _deepseek2(keys: GgufKeys, fields: dict[str, Any]) -> dict[str, Any]:
    """Newer files say the sizes of the cache's row where older ones say those of a head, and those of a head apart."""
    rotated = keys.size("rope.dimension_count")
    query_size = keys.size("attention.key_length_mla", keys.count("attention.key_length") or None)
    value_size = keys.size("attention.value_length_mla", keys.count("attention.value_length") or None)
    if query_size <= rotated:
        raise SourceError(f"{keys.metadata.path}: {rotated} of {query_size} elements of a query rotate: get it again")
    rank = keys.size("attention.kv_lora_rank")
    latent = LatentSpec(rank, query_size - rotated, rotated, value_size, keys.count("attention.q_lora_rank") or None)
    # 0.1 times the weight of the logarithm.
    growth = keys.optional_number("rope.scaling.yarn_log_multiplier")
    steepness = 1.0 if growth is None else yarn_magnitude(keys.number("rope.scaling.factor", 1.0), 10 * growth)
    rope: RopeSpec = fields["rope"]
    return {
        "num_kv_heads": 1,
        "head_dim": latent.row_size,
        "latent": latent,
        # The magnitude of yarn is in the scores' scale alone.
        "rope": replace(rope, attention_factor=1.0),
        "attention_scale": latent.query_head_dim**-0.5 * steepness**2,
        "experts": _deepseek_experts(keys, fields),
    }


def _deepseek_experts(keys: GgufKeys, fields: dict[str, Any]) -> ExpertSpec | None:
    experts: ExpertSpec | None = fields["experts"]
    if experts is None:
        return None
    has_groups = keys.count("expert_group_count") > 1
    return replace(
        experts,
        shared_size=keys.count("expert_shared_count") * experts.intermediate_size or None,
        is_shared_whole=True,
        weight_scale=keys.number("expert_weights_scale", 1.0),
        dense_layers=tuple(range(keys.count("leading_dense_block_count"))),
        num_groups=keys.size("expert_group_count") if has_groups else 1,
        num_active_groups=keys.size("expert_group_used_count") if has_groups else 1,
    )


_FAMILIES: dict[str, Callable[[GgufKeys, dict[str, Any]], dict[str, Any]]] = {
    "deepseek2": _deepseek2,
    "gemma": _gemma,
    "gemma2": _gemma2,
    "gemma3": _gemma3,
    "granite": _granite,
    "smollm3": _smollm3,
    "qwen3": _qwen3,
    "qwen3moe": _qwen3,
    "olmo2": _olmo2,
    "olmoe": _olmoe,
    "starcoder2": _starcoder2,
    "gptneox": _gptneox,
}

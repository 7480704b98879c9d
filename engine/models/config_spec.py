"""From a Hugging Face config.json to a `ModelSpec`: what all families share, and what each one does differently.

Knows nothing of tensors. A key that a config leaves out takes the default that transformers gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import SourceError
from engine.models import deepseek_config, layer_norm_config
from engine.models.metadata import Metadata
from engine.models.rope_config import longest_context, read_rope
from engine.spec import ExpertSpec, ModelSpec

ConfigReader = Callable[[Metadata], dict[str, Any]]
"""Fields of `ModelSpec` in which a family differs from Llama."""

_ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu": "gelu",
}
# A key that is there and null overrides its default, as in transformers.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "deepseek2": deepseek_config.DEFAULTS,
    **layer_norm_config.DEFAULTS,
    "qwen3": {"head_dim": 128},
    "gemma": {"head_dim": 256},
    "gemma2": {
        "head_dim": 256,
        "hidden_activation": "gelu_pytorch_tanh",
        "sliding_window": 4096,
        "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
    },
    # Those of the multimodal models, whose configs leave most sizes out.
    "gemma3": {
        "head_dim": 256,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "vocab_size": 262208,
        "max_position_embeddings": 131072,
        "hidden_activation": "gelu_pytorch_tanh",
        "sliding_window": 4096,
    },
}
_WINDOWED, _FULL = "sliding_attention", "full_attention"


def read_config(config: Mapping[str, Any], family: str, read: ConfigReader, has_head: bool | None) -> ModelSpec:
    """Raises `SourceError` for what is missing, of a wrong type, or nothing that the decoder can run."""
    text = config.get("text_config")
    own = {**config, **text} if isinstance(text, Mapping) else config
    metadata = Metadata(Path("config.json"), {**_DEFAULTS.get(family, {}), **own})
    for key in ("attention_bias", "mlp_bias", "use_bidirectional_attention"):
        if metadata.flag(key, False) and (family, key) != ("gptneox", "attention_bias"):
            raise SourceError(f"config.json sets {key}, which is not supported: choose another model")
    fields = _common(metadata) | {"family": family} | read(metadata)
    if has_head is not None:
        fields["is_tied"] = not has_head
    if fields["num_heads"] % fields["num_kv_heads"]:
        raise SourceError(
            f"config.json: {fields['num_heads']} heads cannot share {fields['num_kv_heads']} key-value heads"
        )
    spec = ModelSpec(**_without_useless_window(fields))
    try:
        spec.check()
    except ValueError as error:
        raise SourceError(f"config.json: {error}: get the file again") from error
    return spec


def _common(config: Metadata) -> dict[str, Any]:
    num_heads = config.size("num_attention_heads")
    head_dim = config.size("head_dim", config.size("hidden_size") // num_heads)
    return {
        "num_layers": config.size("num_hidden_layers"),
        "hidden_size": config.size("hidden_size"),
        "num_heads": num_heads,
        "num_kv_heads": config.size("num_key_value_heads", num_heads),
        "head_dim": head_dim,
        "intermediate_size": config.size("intermediate_size"),
        "vocab_size": config.size("vocab_size"),
        "max_context": longest_context(config),
        "rms_norm_eps": config.number("rms_norm_eps", 1e-6),
        "rope": read_rope(config, head_dim),
        "has_qkv_bias": False,
        "is_tied": config.flag("tie_word_embeddings", False),
        "activation": read_activation(config),
    }


def read_activation(config: Metadata) -> str:
    name = config.text("hidden_activation", config.text("hidden_act", "silu"))
    if name not in _ACTIVATIONS:
        raise SourceError(
            f"config.json has the activation {name!r}, supported are {', '.join(_ACTIVATIONS)}: choose another model"
        )
    return _ACTIVATIONS[name]


def read_plain(config: Metadata) -> dict[str, Any]:
    return {}


def read_mistral(config: Metadata) -> dict[str, Any]:
    return {"sliding_window": config.optional_integer("sliding_window")}


def read_ministral(config: Metadata) -> dict[str, Any]:
    window = config.optional_integer("sliding_window")
    return _windows(config, window, [_WINDOWED] * config.size("num_hidden_layers"))


def read_mixtral(config: Metadata) -> dict[str, Any]:
    inner = config.size("intermediate_size")
    experts = ExpertSpec(_num_experts(config), config.size("num_experts_per_tok"), inner, True)
    return read_mistral(config) | {"experts": experts}


def read_smollm3(config: Metadata) -> dict[str, Any]:
    num_layers, interval = config.size("num_hidden_layers"), config.size("no_rope_layer_interval", 4)
    rotates = [int((index + 1) % interval != 0) for index in range(num_layers)]
    if config.has("no_rope_layers"):
        rotates = config.integers("no_rope_layers")
    if len(rotates) != num_layers:
        raise SourceError(f"config.json: no_rope_layers names {len(rotates)} of {num_layers} layers")
    unrotated = tuple(index for index, does in enumerate(rotates) if not does)
    window = config.optional_integer("sliding_window") if config.flag("use_sliding_window", False) else None
    types = [_FULL if does else _WINDOWED for does in rotates]
    is_tied = config.flag("tie_word_embeddings", True)
    return _windows(config, window, types) | {"unrotated_layers": unrotated, "is_tied": is_tied}


def read_qwen2(config: Metadata) -> dict[str, Any]:
    return _qwen_windows(config) | {"has_qkv_bias": True}


def read_qwen3(config: Metadata) -> dict[str, Any]:
    return _qwen_windows(config) | {"query_key_norm": "head"}


def read_qwen2_moe(config: Metadata) -> dict[str, Any]:
    num_layers, first_full = config.size("num_hidden_layers"), config.integer("max_window_layers", 28)
    window = config.optional_integer("sliding_window") if config.flag("use_sliding_window", False) else None
    types = [_WINDOWED if index % 2 == 0 and index < first_full else _FULL for index in range(num_layers)]
    experts = _qwen_experts(config, config.size("shared_expert_intermediate_size"))
    return _windows(config, window, types) | {"has_qkv_bias": config.flag("qkv_bias", True), "experts": experts}


def read_qwen3_moe(config: Metadata) -> dict[str, Any]:
    window = config.optional_integer("sliding_window") if config.flag("use_sliding_window", False) else None
    return {"sliding_window": window, "query_key_norm": "head", "experts": _qwen_experts(config, None)}


def read_gemma(config: Metadata) -> dict[str, Any]:
    hidden_size = config.size("hidden_size")
    return {
        # Its first configs say gelu and mean the approximation.
        "activation": "gelu_tanh" if config.text("hidden_act", "gelu") == "gelu" else read_activation(config),
        "embedding_scale": hidden_size**0.5,
        "is_tied": config.flag("tie_word_embeddings", True),
    }


def read_gemma2(config: Metadata) -> dict[str, Any]:
    num_layers = config.size("num_hidden_layers")
    types = [_FULL if index % 2 else _WINDOWED for index in range(num_layers)]
    return _gemma_sandwich(config, types) | {
        "attention_softcap": config.optional_number("attn_logit_softcapping"),
        "final_softcap": config.optional_number("final_logit_softcapping"),
    }


def read_gemma3(config: Metadata) -> dict[str, Any]:
    num_layers, pattern = config.size("num_hidden_layers"), config.size("sliding_window_pattern", 6)
    types = [_WINDOWED if (index + 1) % pattern else _FULL for index in range(num_layers)]
    head_dim = config.size("head_dim", 256)
    local_theta = config.number("rope_local_base_freq", 10000.0)
    unscaled = Metadata(config.path, {"rope_parameters": _local_parameters(config)})
    return _gemma_sandwich(config, types) | {
        "rope": read_rope(config, head_dim, 1e6, _FULL),
        "local_rope": read_rope(unscaled, head_dim, local_theta),
        "query_key_norm": "head",
        "attention_softcap": config.optional_number("attn_logit_softcapping"),
        "final_softcap": config.optional_number("final_logit_softcapping"),
    }


def read_phi3(config: Metadata) -> dict[str, Any]:
    return {"sliding_window": config.optional_integer("sliding_window")}


def read_granite(config: Metadata) -> dict[str, Any]:
    return {
        "embedding_scale": config.number("embedding_multiplier", 1.0),
        "residual_scale": config.number("residual_multiplier", 1.0),
        "attention_scale": config.number("attention_multiplier", 1.0),
        "logit_scale": 1 / config.number("logits_scaling", 1.0),
    }


def read_olmo2(config: Metadata) -> dict[str, Any]:
    return {"query_key_norm": "projection", "has_pre_norms": False, "has_post_norms": True}


def read_olmoe(config: Metadata) -> dict[str, Any]:
    if config.has("clip_qkv"):
        raise SourceError("config.json sets clip_qkv, which is not supported: choose another model")
    return {"query_key_norm": "projection", "experts": _experts(config, "intermediate_size")}


def _gemma_sandwich(config: Metadata, types: list[str]) -> dict[str, Any]:
    return _windows(config, config.optional_integer("sliding_window"), types) | {
        "activation": read_activation(config),
        "has_post_norms": True,
        "attention_scale": config.number("query_pre_attn_scalar", 256.0) ** -0.5,
        "embedding_scale": config.size("hidden_size") ** 0.5,
        "is_tied": config.flag("tie_word_embeddings", True),
    }


def _local_parameters(config: Metadata) -> Mapping[str, Any]:
    parameters = config.section("rope_parameters")
    local = None if parameters is None else parameters.section(_WINDOWED)
    return {} if local is None else local.values


def _qwen_windows(config: Metadata) -> dict[str, Any]:
    num_layers, num_full = config.size("num_hidden_layers"), config.integer("max_window_layers", 28)
    window = config.optional_integer("sliding_window") if config.flag("use_sliding_window", False) else None
    return _windows(config, window, [_WINDOWED if index >= num_full else _FULL for index in range(num_layers)])


def _windows(config: Metadata, window: int | None, types: list[str]) -> dict[str, Any]:
    """`types` counts where the config has no `layer_types`."""
    if window is None:
        return {}
    types = config.texts("layer_types") if config.has("layer_types") else types
    if unknown := sorted(set(types) - {_WINDOWED, _FULL}):
        raise SourceError(f"config.json has layers of the type {unknown[0]!r}, which is not supported")
    return {
        "sliding_window": window,
        "full_attention_layers": tuple(index for index, kind in enumerate(types) if kind == _FULL),
    }


def _without_useless_window(fields: dict[str, Any]) -> dict[str, Any]:
    """A window as long as the context, or of no layer, is none; that of all layers needs no list of others."""
    window, full = fields.get("sliding_window"), fields.get("full_attention_layers", ())
    is_useful = window is not None and window < fields["max_context"] and len(full) < fields["num_layers"]
    if is_useful or fields.get("local_rope") is not None:
        return fields
    return fields | {"sliding_window": None, "full_attention_layers": ()}


def _qwen_experts(config: Metadata, shared_size: int | None) -> ExpertSpec:
    step = config.size("decoder_sparse_step", 1)
    dense = set(config.integers("mlp_only_layers")) if config.has("mlp_only_layers") else set()
    dense |= {index for index in range(config.size("num_hidden_layers")) if (index + 1) % step}
    return _experts(config, "moe_intermediate_size", shared_size, tuple(sorted(dense)))


def _num_experts(config: Metadata) -> int:
    """transformers writes either name, whatever the model's publisher wrote."""
    return config.size("num_experts" if config.has("num_experts") else "num_local_experts")


def _experts(
    config: Metadata, size_key: str, shared_size: int | None = None, dense_layers: tuple[int, ...] = ()
) -> ExpertSpec:
    return ExpertSpec(
        num_experts=_num_experts(config),
        num_active=config.size("num_experts_per_tok"),
        intermediate_size=config.size(size_key),
        normalizes_weights=config.flag("norm_topk_prob", False),
        shared_size=shared_size,
        dense_layers=dense_layers,
    )

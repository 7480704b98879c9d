"""What a DeepSeek-V2 config.json says beside what all families share: the latent, the experts, the scale of scores.

Knows nothing of tensors.
"""

from __future__ import annotations

from typing import Any

from engine.errors import SourceError
from engine.latent_spec import LatentSpec
from engine.models.metadata import Metadata
from engine.models.rope_config import read_rope, rope_section
from engine.rope_spec import yarn_magnitude
from engine.spec import ExpertSpec

DEFAULTS = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 64,
    "n_shared_experts": 2,
    "moe_intermediate_size": 1407,
    "routed_scaling_factor": 1.0,
    "topk_method": "greedy",
}
_METHODS = ("greedy", "group_limited_greedy")


def read_deepseek2(config: Metadata) -> dict[str, Any]:
    """Raises `SourceError` for a routing that is not DeepSeek-V2's."""
    latent = LatentSpec(
        kv_lora_rank=config.size("kv_lora_rank"),
        qk_nope_head_dim=config.size("qk_nope_head_dim"),
        qk_rope_head_dim=config.size("qk_rope_head_dim"),
        v_head_dim=config.size("v_head_dim"),
        q_lora_rank=config.size("q_lora_rank") if config.has("q_lora_rank") else None,
    )
    return {
        "num_kv_heads": 1,
        "head_dim": latent.row_size,
        "latent": latent,
        "rope": read_rope(config, latent.qk_rope_head_dim),
        "attention_scale": _score_scale(config, latent),
        "experts": _experts(config) if config.has("n_routed_experts") else None,
    }


def _score_scale(config: Metadata, latent: LatentSpec) -> float:
    """Longer texts than in training get steeper scores (DeepSeek-AI 2024, section 3.1.4)."""
    scaling = rope_section(config)
    scale: float = latent.query_head_dim**-0.5
    if scaling is None or scaling.text("rope_type", scaling.text("type", "default")) == "default":
        return scale
    weight = scaling.optional_weight("mscale_all_dim")
    return scale if weight is None else scale * yarn_magnitude(scaling.number("factor"), weight) ** 2


def _experts(config: Metadata) -> ExpertSpec:
    method, scoring = config.text("topk_method"), config.text("scoring_func", "softmax")
    if method not in _METHODS or scoring != "softmax":
        raise SourceError(
            f"config.json routes its experts by {method!r} of their {scoring}, supported are {' and '.join(_METHODS)} "
            "of their softmax: choose another model"
        )
    normalizes, weight_scale = config.flag("norm_topk_prob", False), config.number("routed_scaling_factor")
    if normalizes and weight_scale != 1.0:
        raise SourceError(
            f"config.json sets norm_topk_prob and a routed_scaling_factor of {weight_scale}, of which programs make "
            "different things: choose another model"
        )
    num_layers, first, step = (
        config.size("num_hidden_layers"),
        config.integer("first_k_dense_replace", 0),
        config.size("moe_layer_freq", 1),
    )
    inner, num_shared = config.size("moe_intermediate_size"), config.integer("n_shared_experts", 0)
    is_grouped = method == "group_limited_greedy"
    return ExpertSpec(
        num_experts=config.size("n_routed_experts"),
        num_active=config.size("num_experts_per_tok"),
        intermediate_size=inner,
        normalizes_weights=normalizes,
        shared_size=num_shared * inner or None,
        dense_layers=tuple(index for index in range(num_layers) if index < first or index % step),
        weight_scale=weight_scale,
        num_groups=config.size("n_group") if is_grouped else 1,
        num_active_groups=config.size("topk_group") if is_grouped else 1,
        is_shared_whole=True,
    )

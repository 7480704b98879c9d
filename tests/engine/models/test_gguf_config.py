"""What the keys of GGUF files say of each family; and what cannot be run is refused by its name."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import SourceError
from engine.latent_spec import LatentSpec
from engine.models.adapters import ADAPTERS, spec_from_gguf
from engine.models.metadata import Metadata
from engine.models.names import gguf_tensor_names
from engine.rope_spec import RopeSpec, longrope_attention_factor, yarn_attention_factor, yarn_factors
from engine.spec import ExpertSpec, ModelSpec

PLAIN: dict[str, Any] = {
    "block_count": 6,
    "context_length": 4096,
    "embedding_length": 64,
    "feed_forward_length": 96,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-5,
    "attention.layer_norm_epsilon": 1e-4,
    "rope.freq_base": 1e4,
}
LATENT = {
    "rope.dimension_count": 16,
    "attention.kv_lora_rank": 32,
    "attention.key_length": 48,
    "attention.value_length": 24,
    "expert_count": 8,
    "expert_used_count": 2,
    "expert_feed_forward_length": 32,
    "expert_shared_count": 2,
    "leading_dense_block_count": 1,
}
NEEDED = {"deepseek2": LATENT}
EXPERTS = {"expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 32}


def read(
    architecture: str, change: dict[str, Any] | None = None, factors: dict[str, list[float]] | None = None
) -> ModelSpec:
    values = {f"{architecture}.{key}": value for key, value in (PLAIN | (change or {})).items()}
    values |= {"general.architecture": architecture, "tokenizer.ggml.tokens": ["a"] * 50}
    return spec_from_gguf(Metadata(Path("model.gguf"), values), {"output.weight"}, (factors or {}).get)


def test_every_family_can_come_as_gguf() -> None:
    for architecture in {adapter.gguf_architecture for adapter in ADAPTERS}:
        spec = read(architecture, NEEDED.get(architecture))
        assert ModelSpec.from_json(spec.to_json()) == spec
        assert len(gguf_tensor_names(spec).layers) == 6


def test_deepseek_2_has_one_row_for_all_heads_in_its_cache() -> None:
    spec = read("deepseek2", LATENT)
    assert (spec.num_kv_heads, spec.head_dim, spec.attention_scale) == (1, 48, 48**-0.5)
    assert spec.latent == LatentSpec(32, 32, 16, 24)
    assert spec.experts == ExpertSpec(8, 2, 32, False, 64, (0,), is_shared_whole=True)
    # Newer files say of a head what the cache has of it.
    absorbed = {"attention.key_length": 48, "attention.value_length": 32, "attention.head_count_kv": 1}
    apart = {"attention.key_length_mla": 48, "attention.value_length_mla": 24}
    assert read("deepseek2", LATENT | absorbed | apart) == spec


def test_deepseek_2_scales_scores_by_what_its_file_says_of_yarn() -> None:
    yarn = {"rope.scaling.type": "yarn", "rope.scaling.factor": 40.0, "rope.scaling.original_context_length": 256}
    spec = read("deepseek2", LATENT | yarn | {"rope.scaling.yarn_log_multiplier": 0.0707})
    assert spec.attention_scale == pytest.approx(48**-0.5 * (0.0707 * math.log(40) + 1) ** 2)
    assert spec.rope == RopeSpec(1e4, yarn_factors(1e4, 16, 40.0, 256))


def test_starcoder_2_has_the_window_that_all_of_it_were_published_with() -> None:
    spec = read("starcoder2", {"context_length": 16384})
    assert (spec.sliding_window, spec.rms_norm_eps, spec.is_gated) == (4096, 1e-4, False)
    assert read("starcoder2", {"context_length": 16384, "attention.sliding_window": 0}).sliding_window is None


def test_gpt_neox_is_parallel_unless_its_file_denies_it() -> None:
    assert read("gptneox").is_parallel
    assert not read("gptneox", {"use_parallel_residual": False}).is_parallel


def test_gemma_2_has_what_llama_cpp_knows_of_it() -> None:
    spec = read("gemma2", {"attention.sliding_window": 512, "attention.key_length": 16, "attention.value_length": 16})
    assert (spec.sliding_window, spec.full_attention_layers) == (512, (1, 3, 5))
    assert (spec.attention_softcap, spec.final_softcap, spec.attention_scale) == (50.0, 30.0, 0.25)
    assert (spec.embedding_scale, spec.activation, spec.has_post_norms) == (8.0, "gelu_tanh", True)
    # Its 27B model alone divides by another number.
    assert read("gemma2", {"block_count": 46, "attention.key_length": 32}).attention_scale == 0.25


def test_gemma_3_scales_the_rotation_of_its_global_layers_alone() -> None:
    change = {"attention.sliding_window": 512, "rope.scaling.type": "linear", "rope.scaling.factor": 8.0}
    spec = read("gemma3", change | {"rope.freq_base": 1e6})
    assert spec.full_attention_layers == (5,)
    assert spec.layer_rope(5) == RopeSpec(1e6, (8.0,) * 8)
    assert spec.layer_rope(0) == RopeSpec(1e4)
    pattern = {"attention.sliding_window_pattern": [True, False] * 3}
    assert read("gemma3", change | pattern).full_attention_layers == (1, 3, 5)


def test_phi_3_takes_both_kinds_of_factors_from_its_tensors() -> None:
    change = {"rope.dimension_count": 12, "rope.scaling.original_context_length": 1024}
    tensors = {"rope_factors_long.weight": [2.0] * 6, "rope_factors_short.weight": [1.5] * 6}
    rope = read("phi3", change, tensors).rope
    assert rope == RopeSpec(1e4, (1.5,) * 6, 12, longrope_attention_factor(4, 1024), (2.0,) * 6, 1024)


def test_yarn_brings_its_attention_factor() -> None:
    change = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 1024}
    rope = read("qwen2", change).rope
    assert rope == RopeSpec(1e4, yarn_factors(1e4, 16, 4.0, 1024), None, yarn_attention_factor(4.0))


def test_granite_brings_its_multipliers() -> None:
    change = {"embedding_scale": 12.0, "residual_scale": 0.22, "attention.scale": 0.015, "logit_scale": 8.0}
    spec = read("granite", change)
    assert (spec.embedding_scale, spec.residual_scale, spec.attention_scale, spec.logit_scale) == (
        12.0,
        0.22,
        0.015,
        0.125,
    )


@pytest.mark.parametrize(
    ("architecture", "normalizes"), [("llama", True), ("qwen2moe", False), ("qwen3moe", True), ("olmoe", False)]
)
def test_experts_are_weighted_as_their_family_does_it(architecture: str, normalizes: bool) -> None:
    experts = ExpertSpec(8, 2, 32, normalizes)
    assert read(architecture, EXPERTS).experts == experts
    shared = read(architecture, EXPERTS | {"expert_shared_feed_forward_length": 48}).experts
    assert shared == replace(experts, shared_size=48)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rope.scaling.type": "dynamic"}, "dynamic"),
        ({"rope.scaling.type": "longrope"}, "rope_factors_long.weight"),
        ({"rope.dimension_count": 15}, "15 of 16"),
        ({"rope.dimension_count": 18}, "18 of 16"),
        ({"attention.sliding_window": -1}, "attention.sliding_window"),
        ({"residual_scale": 0.5}, "residual_scale"),
        ({"expert_count": 4, "expert_used_count": 8}, "experts"),
        (EXPERTS | {"expert_gating_func": 2}, "softmax"),
    ],
)
def test_what_the_decoder_cannot_run_is_refused_by_its_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(SourceError, match=named):
        read("llama", change)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"expert_gating_func": 2}, "softmax"),
        ({"attention.key_length": 16}, "16 of 16 elements of a query rotate"),
        ({"attention.kv_lora_rank": 0}, "kv_lora_rank"),
        ({"expert_group_count": 3, "expert_group_used_count": 1}, "experts"),
    ],
)
def test_what_no_deepseek_2_has_is_refused_by_its_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(SourceError, match=named):
        read("deepseek2", LATENT | change)


def test_unknown_architecture_is_refused_by_its_name() -> None:
    with pytest.raises(SourceError, match="mamba"):
        read("mamba")

"""What config.json says, as people's files say it; and what cannot be run is refused by its name."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import SourceError
from engine.latent_spec import LatentSpec
from engine.models.adapters import spec_from_config
from engine.models.names import head_order, tensor_names
from engine.rope_spec import RopeSpec
from engine.spec import ExpertSpec, ModelSpec
from engine.store.layout import num_parameters

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "max_position_embeddings": 131072,
    "num_attention_heads": 32,
    "num_hidden_layers": 16,
    "num_key_value_heads": 8,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 32.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
    "tie_word_embeddings": True,
    "vocab_size": 128256,
}
QWEN2 = {
    **LLAMA,
    "architectures": ["Qwen2ForCausalLM"],
    "rope_scaling": None,
    "max_window_layers": 14,
    "sliding_window": 4096,
}
DEEPSEEK_V2_LITE: dict[str, Any] = {
    "architectures": ["DeepseekV2ForCausalLM"],
    "first_k_dense_replace": 1,
    "hidden_act": "silu",
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "kv_lora_rank": 512,
    "max_position_embeddings": 163840,
    "moe_intermediate_size": 1408,
    "moe_layer_freq": 1,
    "n_group": 1,
    "n_routed_experts": 64,
    "n_shared_experts": 2,
    "norm_topk_prob": False,
    "num_attention_heads": 16,
    "num_experts_per_tok": 6,
    "num_hidden_layers": 27,
    "num_key_value_heads": 16,
    "q_lora_rank": None,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "rms_norm_eps": 1e-6,
    "rope_scaling": {
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 40,
        "mscale": 0.707,
        "mscale_all_dim": 0.707,
        "original_max_position_embeddings": 4096,
        "type": "yarn",
    },
    "rope_theta": 10000,
    "routed_scaling_factor": 1.0,
    "scoring_func": "softmax",
    "tie_word_embeddings": False,
    "topk_group": 1,
    "topk_method": "greedy",
    "v_head_dim": 128,
    "vocab_size": 102400,
}
GEMMA3 = {
    "architectures": ["Gemma3ForConditionalGeneration"],
    "text_config": {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024,
    },
}


PYTHIA: dict[str, Any] = {
    "architectures": ["GPTNeoXForCausalLM"],
    "hidden_act": "gelu",
    "hidden_size": 768,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-05,
    "max_position_embeddings": 2048,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "rotary_emb_base": 10000,
    "rotary_pct": 0.25,
    "tie_word_embeddings": False,
    "use_parallel_residual": True,
    "vocab_size": 50304,
}


def test_pythia_is_read_as_its_files_have_it() -> None:
    spec = spec_from_config(PYTHIA)
    assert (spec.num_kv_heads, spec.rope, spec.rms_norm_eps) == (12, RopeSpec(1e4, rotary_dim=16), 1e-5)
    assert (spec.is_parallel, spec.is_gated, spec.activation) == (True, False, "gelu")
    assert spec.has_layer_norms
    assert spec.has_output_bias
    # What transformers writes for the same.
    parameters = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}
    renamed = {key: value for key, value in PYTHIA.items() if not key.startswith("rotary")}
    assert spec_from_config({**renamed, "rope_parameters": parameters}) == spec


@pytest.mark.parametrize(
    ("sizes", "total"),
    [
        ({}, 162_322_944),
        ({"hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 16, "num_hidden_layers": 24},
         1_414_647_808),
    ],
)  # fmt: skip
def test_pythia_has_as_many_parameters_as_its_publisher_says(sizes: dict[str, int], total: int) -> None:
    assert num_parameters(spec_from_config(PYTHIA | sizes)) == total


def test_starcoder_2_has_as_many_parameters_as_its_publisher_says() -> None:
    config = {
        "architectures": ["Starcoder2ForCausalLM"],
        "hidden_act": "gelu_pytorch_tanh",
        "hidden_size": 3072,
        "intermediate_size": 12288,
        "max_position_embeddings": 16384,
        "norm_epsilon": 1e-05,
        "num_attention_heads": 24,
        "num_hidden_layers": 30,
        "num_key_value_heads": 2,
        "rope_theta": 999999.4420358813,
        "sliding_window": 4096,
        "use_bias": True,
        "vocab_size": 49152,
    }
    spec = spec_from_config(config)
    assert (num_parameters(spec), spec.cache_window, spec.is_tied) == (3_030_371_328, 4096, True)


def test_starcoder_2_may_have_no_bias_but_those_of_its_norms() -> None:
    config = {**LLAMA, "architectures": ["Starcoder2ForCausalLM"], "rope_scaling": None, "norm_epsilon": 1e-4}
    spec = spec_from_config({key: value for key, value in config.items() if key != "hidden_act"} | {"use_bias": False})
    biases = (spec.has_qkv_bias, spec.has_output_bias, spec.has_feed_forward_bias)
    assert (biases, spec.has_layer_norms, spec.rms_norm_eps) == ((False, False, False), True, 1e-4)
    assert spec.activation == "gelu_tanh"


def test_llama_3_is_read_as_its_files_have_it() -> None:
    spec = spec_from_config(LLAMA)
    assert (spec.family, spec.head_dim, spec.num_kv_heads, spec.is_tied) == ("llama", 64, 8, True)
    factors = spec.rope.frequency_factors
    assert factors is not None
    assert len(factors) == 32
    assert (factors[0], factors[-1]) == (1.0, 32.0)
    assert sorted(factors) == list(factors)


def test_qwen2_has_its_window_only_where_it_says_so() -> None:
    assert spec_from_config({**QWEN2, "use_sliding_window": False}).sliding_window is None
    spec = spec_from_config({**QWEN2, "use_sliding_window": True})
    assert spec.sliding_window == 4096
    assert spec.full_attention_layers == tuple(range(14))
    assert spec.cache_window is None
    assert (spec.layer_window(13), spec.layer_window(14)) == (None, 4096)


def test_mistral_has_a_window_without_a_switch_for_it() -> None:
    mistral = {**LLAMA, "architectures": ["MistralForCausalLM"], "rope_scaling": None, "sliding_window": 4096}
    assert spec_from_config(mistral).cache_window == 4096
    assert spec_from_config({**mistral, "sliding_window": None}).cache_window is None


def test_window_as_long_as_the_context_is_none() -> None:
    phi = {**LLAMA, "architectures": ["Phi3ForCausalLM"], "rope_scaling": None, "sliding_window": 262144}
    assert spec_from_config(phi).sliding_window is None


def test_multimodal_gemma_3_leaves_its_sizes_to_their_defaults() -> None:
    spec = spec_from_config(GEMMA3)
    assert (spec.num_heads, spec.num_kv_heads, spec.head_dim, spec.vocab_size) == (8, 4, 256, 262208)
    assert spec.full_attention_layers == (5, 11, 17, 23, 29)
    assert spec.rope == RopeSpec(1e6, (8.0,) * 128)
    assert spec.layer_rope(0) == RopeSpec(1e4)
    assert spec.layer_rope(5) == spec.rope
    assert spec.is_tied


def test_softcaps_of_gemma_2_can_be_missing_or_off() -> None:
    gemma2 = {**LLAMA, "architectures": ["Gemma2ForCausalLM"], "rope_scaling": None, "hidden_act": "gelu_pytorch_tanh"}
    assert spec_from_config(gemma2).final_softcap == 30.0
    assert spec_from_config({**gemma2, "final_logit_softcapping": None}).final_softcap is None


@pytest.mark.parametrize("kind", ["su", "yarn", "longrope"])
def test_all_names_of_longrope_mean_the_same(kind: str) -> None:
    scaling = {"type": kind, "short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    phi = {**LLAMA, "architectures": ["Phi3ForCausalLM"], "rope_scaling": scaling}
    rope = spec_from_config({**phi, "original_max_position_embeddings": 4096}).rope
    assert rope.short_context == 4096
    assert rope.long_factors == (2.0,) * 32
    assert rope.attention_factor == pytest.approx(1.1902380714238083)


def test_deepseek_v2_lite_is_read_as_its_files_have_it() -> None:
    spec = spec_from_config(DEEPSEEK_V2_LITE)
    assert spec.latent == LatentSpec(512, 128, 64, 128)
    assert (spec.num_heads, spec.num_kv_heads, spec.head_dim) == (16, 1, 576)
    assert spec.experts == ExpertSpec(64, 6, 1408, False, 2816, (0,), is_shared_whole=True)
    assert spec.attention_scale == pytest.approx(192**-0.5 * 1.2608**2, rel=1e-4)
    assert spec.rope.attention_factor == 1.0
    assert spec.rope.frequency_factors is not None
    assert len(spec.rope.frequency_factors) == 32
    assert spec.kv_bytes_per_token(2) == 27 * 576 * 2
    assert num_parameters(spec) / 1e9 == pytest.approx(15.706, rel=1e-3)
    assert ModelSpec.from_json(spec.to_json()) == spec


def test_deepseek_v2_without_its_switches() -> None:
    plain = {"rope_scaling": None, "n_shared_experts": None, "first_k_dense_replace": 0, "moe_layer_freq": 2}
    spec = spec_from_config(DEEPSEEK_V2_LITE | plain)
    assert spec.attention_scale == 192**-0.5
    assert spec.experts is not None
    assert spec.experts.shared_size is None
    assert spec.experts.dense_layers == tuple(range(1, 27, 2))
    assert spec_from_config(DEEPSEEK_V2_LITE | {"n_routed_experts": None}).experts is None
    scaling = DEEPSEEK_V2_LITE["rope_scaling"] | {"mscale_all_dim": 0}
    assert spec_from_config(DEEPSEEK_V2_LITE | {"rope_scaling": scaling}).attention_scale == 192**-0.5


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"topk_method": "noaux_tc"}, "noaux_tc"),
        ({"scoring_func": "sigmoid"}, "sigmoid"),
        ({"norm_topk_prob": True, "routed_scaling_factor": 16.0}, "routed_scaling_factor of 16.0"),
        ({"topk_method": "group_limited_greedy", "n_group": 7, "topk_group": 3}, "experts"),
        ({"topk_method": "group_limited_greedy", "n_group": 32, "topk_group": 2}, "experts"),
        ({"qk_rope_head_dim": 63}, "latent"),
        ({"kv_lora_rank": "512"}, "kv_lora_rank"),
        ({"attention_bias": True}, "attention_bias"),
    ],
)
def test_what_no_deepseek_v2_has_is_refused_by_its_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(SourceError, match=named):
        spec_from_config(DEEPSEEK_V2_LITE | change)


def test_embedding_is_the_head_if_the_files_have_no_other() -> None:
    assert not spec_from_config(LLAMA, has_head=True).is_tied
    assert spec_from_config({**LLAMA, "tie_word_embeddings": False}, has_head=False).is_tied


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"architectures": ["DeepseekV3ForCausalLM"]}, "DeepseekV3ForCausalLM"),
        ({"architectures": None, "model_type": "mamba"}, "mamba"),
        ({"hidden_act": "relu2"}, "relu2"),
        ({"rope_scaling": {"rope_type": "proportional", "factor": 2.0}}, "proportional"),
        ({"attention_bias": True}, "attention_bias"),
        ({"mlp_bias": True}, "mlp_bias"),
        ({"num_key_value_heads": 5}, "5 key-value heads"),
        ({"hidden_size": "2048"}, "hidden_size"),
        ({"vocab_size": 0}, "vocab_size"),
        ({"rope_scaling": {"rope_type": "linear"}}, "factor"),
        ({"rope_scaling": [1]}, "rope_scaling"),
        ({"num_hidden_layers": None}, "num_hidden_layers"),
        ({"rms_norm_eps": float("nan")}, "rms_norm_eps"),
    ],
)
def test_what_the_decoder_cannot_run_is_refused_by_its_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(SourceError, match=named):
        spec_from_config(LLAMA | change)


def test_unknown_type_of_layer_is_refused_by_its_name() -> None:
    types = ["sliding_attention"] * 15 + ["linear_attention"]
    with pytest.raises(SourceError, match="linear_attention"):
        spec_from_config({**QWEN2, "use_sliding_window": True, "layer_types": types})


def test_tensors_of_multimodal_models_have_their_own_prefix() -> None:
    names = tensor_names(spec_from_config(GEMMA3), prefix="language_model.model.")
    assert names.layers[3].attention_post_norm == "language_model.model.layers.3.post_attention_layernorm.weight"
    assert names.head is None


@pytest.mark.parametrize("is_interleaved", [False, True])
@pytest.mark.parametrize("partial", [1.0, 0.75])
def test_rows_that_turn_together_are_half_a_head_apart(partial: float, is_interleaved: bool) -> None:
    spec = spec_from_config({**LLAMA, "rope_scaling": None, "partial_rotary_factor": partial})
    order, rotary_dim = head_order(spec, is_interleaved), int(64 * partial)
    assert sorted(order) == list(range(64))
    pairs = [(order[index], order[index + 32]) for index in range(rotary_dim // 2)]
    if is_interleaved:
        assert pairs == [(2 * index, 2 * index + 1) for index in range(rotary_dim // 2)]
    else:
        assert pairs == [(index, index + rotary_dim // 2) for index in range(rotary_dim // 2)]

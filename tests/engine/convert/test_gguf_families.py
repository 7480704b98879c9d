"""Every family as llama.cpp's converter writes it – names, orders, keys – arrives as transformers has it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor

from engine.convert.sources.gguf_source import GgufSource
from tests.engine.convert.packed_models import read_decoder
from tests.engine.models.test_families import NUM_TOKENS, REFERENCE, TOLERANCE, paged_logits, random_ids
from tests.engine.models.tiny_families import FAMILIES, Exported, expected_logits, export, make_model
from tests.engine.tiny_models import TinyGguf, TinyShape, vocabulary

Array = npt.NDArray[np.float32]

_ATTENTION = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v"}
_ATTENTION |= {"self_attn.qkv_proj": "attn_qkv", "self_attn.o_proj": "attn_output"}
_ATTENTION |= {"self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm"}
_ATTENTION |= {"self_attn.q_a_proj": "attn_q_a", "self_attn.q_a_layernorm": "attn_q_a_norm"}
_ATTENTION |= {"self_attn.q_b_proj": "attn_q_b", "self_attn.kv_a_proj_with_mqa": "attn_kv_a_mqa"}
_ATTENTION |= {"self_attn.kv_a_layernorm": "attn_kv_a_norm", "self_attn.kv_b_proj": "attn_kv_b"}
_FEED_FORWARD = {"mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
_FEED_FORWARD |= {"mlp.gate_up_proj": "ffn_up", "mlp.gate": "ffn_gate_inp", "block_sparse_moe.gate": "ffn_gate_inp"}
_FEED_FORWARD |= {"mlp.shared_expert.gate_proj": "ffn_gate_shexp", "mlp.shared_expert.up_proj": "ffn_up_shexp"}
_FEED_FORWARD |= {"mlp.shared_expert.down_proj": "ffn_down_shexp", "mlp.shared_expert_gate": "ffn_gate_inp_shexp"}
_FEED_FORWARD |= {"mlp.shared_experts.gate_proj": "ffn_gate_shexp", "mlp.shared_experts.up_proj": "ffn_up_shexp"}
_FEED_FORWARD |= {"mlp.shared_experts.down_proj": "ffn_down_shexp"}
_ATTENTION |= {"attention.query_key_value": "attn_qkv", "attention.dense": "attn_output"}
_FEED_FORWARD |= {"mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
_FEED_FORWARD |= {"mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}
_OUTSIDE = {"embed_tokens": "token_embd", "embed_in": "token_embd", "lm_head": "output", "embed_out": "output"}
_OUTSIDE |= {"norm": "output_norm", "final_layer_norm": "output_norm"}
_NORMS = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
_POST_NORMS = {"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}
_POST_NORMS |= {"input_layernorm": "attn_norm", "pre_feedforward_layernorm": "ffn_norm"}
_EXPERTS = {"gate_proj": "ffn_gate_exps", "up_proj": "ffn_up_exps", "down_proj": "ffn_down_exps"}
_EXPERTS |= {"w1": "ffn_gate_exps", "w3": "ffn_up_exps", "w2": "ffn_down_exps"}


@dataclass(frozen=True, slots=True)
class Gguf:
    """What the converter does with a family: its architecture, and keys that the sizes do not give."""

    architecture: str
    keys: dict[str, Any]
    interleaves: bool = False
    norm_offset: float = 0.0
    has_post_norms: bool = False


_MOE = {"expert_count": 5, "expert_used_count": 2, "expert_feed_forward_length": 64}
_GEMMA = {"attention.sliding_window": 11, "attention.key_length": 32, "attention.value_length": 32}
_LATENT = {
    "expert_count": 6,
    "expert_used_count": 2,
    "expert_feed_forward_length": 32,
    "expert_shared_count": 3,
    "attention.kv_lora_rank": 64,
    "rope.dimension_count": 12,
}
CASES = {
    # As newer versions write it, with the two parts of what makes keys and values apart, and as older ones do.
    "deepseek2-lite": Gguf(
        "deepseek2",
        {
            **_LATENT,
            "leading_dense_block_count": 1,
            "attention.head_count_kv": 1,
            "attention.key_length": 76,
            "attention.value_length": 64,
            "attention.key_length_mla": 44,
            "attention.value_length_mla": 48,
        },
    ),
    "deepseek2": Gguf(
        "deepseek2",
        {
            **_LATENT,
            "leading_dense_block_count": 2,
            "attention.head_count_kv": 6,
            "attention.q_lora_rank": 160,
            "attention.key_length": 44,
            "attention.value_length": 48,
            "expert_weights_scale": 2.5,
            "expert_group_count": 3,
            "expert_group_used_count": 2,
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 4.0,
            "rope.scaling.original_context_length": 24,
            "rope.scaling.yarn_log_multiplier": 0.11,
        },
    ),
    "llama2": Gguf("llama", {}, interleaves=True),
    "llama-linear": Gguf("llama", {"rope.scaling.type": "linear", "rope.scaling.factor": 3.0}, interleaves=True),
    "mistral": Gguf("llama", _GEMMA, interleaves=True),
    "qwen2-yarn": Gguf(
        "qwen2",
        {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 24},
    ),
    "qwen3": Gguf("qwen3", {"attention.key_length": 32, "attention.value_length": 32}),
    "gemma": Gguf("gemma", {"attention.key_length": 32, "attention.value_length": 32}, norm_offset=1.0),
    "gemma2": Gguf(
        "gemma2",
        {**_GEMMA, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
        norm_offset=1.0,
        has_post_norms=True,
    ),
    "gemma3": Gguf(
        "gemma3",
        {
            **_GEMMA,
            "rope.freq_base": 1e6,
            "rope.scaling.type": "linear",
            "rope.scaling.factor": 8.0,
            "attention.sliding_window_pattern": [True, True, False, True],
        },
        norm_offset=1.0,
        has_post_norms=True,
    ),
    "phi3": Gguf("phi3", {"attention.sliding_window": 11}),
    "phi4-mini": Gguf("phi3", {"rope.dimension_count": 12, "rope.scaling.original_context_length": 48}),
    "granite": Gguf(
        "granite",
        {"embedding_scale": 12.0, "residual_scale": 0.22, "attention.scale": 0.1, "logit_scale": 8.0},
        interleaves=True,
    ),
    "olmo2": Gguf("olmo2", {}, has_post_norms=True),
    "mixtral": Gguf(
        "llama", {"expert_count": 5, "expert_used_count": 2, "attention.sliding_window": 11}, interleaves=True
    ),
    "qwen2-moe": Gguf("qwen2moe", {**_MOE, "expert_shared_feed_forward_length": 96, "expert_weights_norm": True}),
    "qwen3-moe": Gguf(
        "qwen3moe",
        {**_MOE, "expert_weights_norm": False, "attention.key_length": 32, "attention.value_length": 32},
    ),
    "starcoder2": Gguf("starcoder2", {"attention.sliding_window": 11}),
    "gptneox": Gguf("gptneox", {"rope.dimension_count": 4, "use_parallel_residual": True}),
    "gptneox-serial": Gguf("gptneox", {"rope.dimension_count": 12, "use_parallel_residual": False}),
    "olmoe": Gguf("olmoe", {"expert_count": 5, "expert_used_count": 3}),
}
# llama.cpp has no layers without experts in these, a score scale of its own in Gemma, and one activation in GPT-NeoX.
OPTIONS: dict[str, dict[str, Any]] = {
    "qwen2-moe": {"mlp_only_layers": []},
    "qwen3-moe": {"decoder_sparse_step": 1},
    "gptneox-serial": {"hidden_act": "gelu"},
    "gemma2": {"query_pre_attn_scalar": 32},
    "gemma3": {"query_pre_attn_scalar": 32},
    # Nor does it take the magnitude of yarn otherwise than into the scale of the scores.
    "deepseek2": {"rope_parameters": FAMILIES["deepseek2"].options["rope_parameters"] | {"mscale": 1.1}},
}


def interleaved(rows: Array, num_heads: int) -> Array:
    """llama.cpp's order of q and k rows, as its converter makes it from the half-rotating one."""
    halves = rows.reshape(num_heads, 2, rows.shape[0] // num_heads // 2, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows.shape))


def gguf_tensors(exported: Exported, form: Gguf) -> dict[str, Array]:
    spec, tensors = exported.spec, {}
    experts: dict[str, list[Array]] = {}
    for name, values in exported.state.items():
        array = values.numpy().astype(np.float32)
        if "norm" in name:
            array = array + form.norm_offset
        if ".layers." not in name:
            *_, outside, kind = name.split(".")
            tensors[f"{_OUTSIDE[outside]}.{kind}"] = array
            continue
        array = array.squeeze(0) if name.endswith("shared_expert_gate.weight") else array
        _, _, index, rest = name.split(".", 3)
        part, _, kind = rest.rpartition(".")
        if ".experts." in part:
            _, number, which = part.rsplit(".", 2)
            experts.setdefault(f"blk.{index}.{_EXPERTS[which]}.weight", [None] * spec.experts.num_experts)[  # type: ignore[list-item,union-attr]
                int(number)
            ] = array
            continue
        names = _ATTENTION | _FEED_FORWARD | (_POST_NORMS if form.has_post_norms else _NORMS)
        if form.interleaves and part in ("self_attn.q_proj", "self_attn.k_proj"):
            array = interleaved(array, spec.num_heads if "q_proj" in part else spec.num_kv_heads)
        if "attention.key_length_mla" in form.keys and names[part] == "attn_kv_b":
            key, value = np.split(array.reshape(spec.num_heads, -1, array.shape[1]), [32], axis=1)
            tensors[f"blk.{index}.attn_k_b.weight"] = np.ascontiguousarray(key.swapaxes(1, 2))
            tensors[f"blk.{index}.attn_v_b.weight"] = np.ascontiguousarray(value)
            continue
        if part == "attention.query_key_value":
            # The converter puts the heads' rows of q first, then those of k, then those of v.
            array = np.concatenate(np.split(array.reshape(spec.num_heads, -1, *array.shape[1:]), 3, axis=1))
            array = np.ascontiguousarray(array.reshape(3 * spec.query_size, *array.shape[2:]))
        tensors[f"blk.{index}.{names[part]}.{kind}"] = array
    return tensors | {name: np.stack(parts) for name, parts in experts.items()}


def write(exported: Exported, form: Gguf, path: Path) -> Path:
    spec = exported.spec
    sizes: dict[str, Any] = {
        "block_count": spec.num_layers,
        "context_length": spec.max_context,
        "embedding_length": spec.hidden_size,
        "feed_forward_length": spec.intermediate_size,
        "attention.head_count": spec.num_heads,
        "attention.head_count_kv": spec.num_kv_heads,
        f"attention.layer_norm_{'' if spec.has_layer_norms else 'rms_'}epsilon": spec.rms_norm_eps,
        "rope.freq_base": spec.rope.theta,
    }
    metadata = {f"{form.architecture}.{key}": value for key, value in (sizes | form.keys).items()}
    metadata |= {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2,
    }
    tensors = gguf_tensors(exported, form)
    if spec.rope.long_factors is not None:
        assert spec.rope.frequency_factors is not None
        tensors["rope_factors_long.weight"] = np.array(spec.rope.long_factors, np.float32)
        tensors["rope_factors_short.weight"] = np.array(spec.rope.frequency_factors, np.float32)
    return TinyGguf(form.architecture, TinyShape(), metadata, tensors).write(path, Kind.F32)


@pytest.mark.parametrize("name", CASES)
def test_family_arrives_as_transformers_has_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    family, form = FAMILIES[name], CASES[name]
    family = replace(family, options=family.options | OPTIONS.get(name, {}))
    model = make_model(family, vocab_size=len(vocabulary()[0]))
    exported = export(model, tmp_path / "safetensors")
    token_ids = random_ids(NUM_TOKENS)
    expected: Tensor = expected_logits(model, token_ids)
    path = write(exported, form, tmp_path / "model.gguf")
    with GgufSource(path) as source:
        with monkeypatch.context() as patch:
            # What is imported on the way fails then: a header is read without torch.
            patch.setitem(sys.modules, "torch", None)
            with GgufSource(path, is_outline=True) as outline:
                assert outline.spec == source.spec
        actual = paged_logits(read_decoder(source), REFERENCE, token_ids, chunk=16)
    torch.testing.assert_close(actual, expected, atol=TOLERANCE, rtol=TOLERANCE)

"""Tiny models of every family, made by transformers with random weights, and their way into our decoder as they are.

The mapping of tensors is written out here, apart from the one that imports files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor

from engine.models.adapters import spec_from_config
from engine.models.decoder import Decoder
from engine.models.names import ExpertNames, LatentNames, LayerNames, adds_one_to_norms, head_order, tensor_names
from engine.spec import ModelSpec
from engine.weights import ExpertWeights, HeadWeights, LatentWeights, LayerWeights
from kernels.ops import Backend
from tests.engine.models.weights_in_arrays import in_arrays

MakeMatrix = Callable[[Tensor], Any]

VOCABULARY = 131
CONTEXT = 96


@dataclass(frozen=True, slots=True)
class TinyFamily:
    """`prefix` of transformers' classes, and what its config gets besides the sizes that all have."""

    prefix: str
    options: dict[str, Any] = field(default_factory=dict)


_SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 96,
    "intermediate_size": 160,
    "num_hidden_layers": 4,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": CONTEXT,
    "rms_norm_eps": 1e-3,
    "attn_implementation": "eager",
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 24,
}
_YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 24}
_LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 1e4,
    "partial_rotary_factor": 0.75,
    "short_factor": [1.0 + 0.1 * index for index in range(6)],
    "long_factor": [1.5 + index for index in range(6)],
}
_MOE = {"num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 64}
_WIDE_HEADS = {"head_dim": 32}
_LATENT = {
    "num_key_value_heads": 6,
    "q_lora_rank": None,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 12,
    "v_head_dim": 48,
    "first_k_dense_replace": 1,
    "n_routed_experts": 6,
    "n_shared_experts": 3,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}

FAMILIES = {
    "llama2": TinyFamily("Llama"),
    "llama3": TinyFamily("Llama", {"rope_parameters": _LLAMA3, "tie_word_embeddings": True}),
    "llama-linear": TinyFamily("Llama", {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 3.0}}),
    "llama-dynamic": TinyFamily(
        "Llama",
        {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}, "max_position_embeddings": 32},
    ),
    "smollm3": TinyFamily("SmolLM3", {"no_rope_layer_interval": 3}),
    "smollm3-window": TinyFamily("SmolLM3", {"use_sliding_window": True, "sliding_window": 11}),
    "mistral": TinyFamily("Mistral", {"sliding_window": 11, **_WIDE_HEADS}),
    "ministral": TinyFamily(
        "Ministral",
        {"sliding_window": 11, "layer_types": ["sliding_attention", "full_attention"] * 2, **_WIDE_HEADS},
    ),
    "qwen2": TinyFamily("Qwen2", {"use_sliding_window": True, "sliding_window": 11, "max_window_layers": 2}),
    "qwen2-yarn": TinyFamily("Qwen2", {"rope_parameters": _YARN}),
    "qwen3": TinyFamily("Qwen3", {"tie_word_embeddings": True, **_WIDE_HEADS}),
    "gemma": TinyFamily("Gemma", _WIDE_HEADS),
    "gemma2": TinyFamily("Gemma2", {"sliding_window": 11, "query_pre_attn_scalar": 24, **_WIDE_HEADS}),
    "gemma3": TinyFamily(
        "Gemma3Text",
        {
            "sliding_window": 11,
            "query_pre_attn_scalar": 24,
            "layer_types": ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
            **_WIDE_HEADS,
        },
    ),
    "phi3": TinyFamily("Phi3", {"sliding_window": 11}),
    "phi4-mini": TinyFamily("Phi3", {"rope_parameters": _LONGROPE, "original_max_position_embeddings": 48}),
    "granite": TinyFamily(
        "Granite",
        {
            "embedding_multiplier": 12.0,
            "residual_multiplier": 0.22,
            "attention_multiplier": 0.1,
            "logits_scaling": 8.0,
            "tie_word_embeddings": True,
        },
    ),
    "olmo2": TinyFamily("Olmo2"),
    "mixtral": TinyFamily("Mixtral", {"num_local_experts": 5, "num_experts_per_tok": 2, "sliding_window": 11}),
    "qwen2-moe": TinyFamily(
        "Qwen2Moe", {**_MOE, "shared_expert_intermediate_size": 96, "mlp_only_layers": [1], "norm_topk_prob": True}
    ),
    "qwen3-moe": TinyFamily("Qwen3Moe", {**_MOE, "decoder_sparse_step": 2, "head_dim": 32}),
    "starcoder2": TinyFamily("Starcoder2", {"sliding_window": 11, "norm_epsilon": 1e-3}),
    "gptneox": TinyFamily("GPTNeoX", {"rotary_pct": 0.25, "layer_norm_eps": 1e-3}),
    "gptneox-serial": TinyFamily(
        "GPTNeoX",
        {
            "rotary_pct": 0.75,
            "layer_norm_eps": 1e-3,
            "use_parallel_residual": False,
            "attention_bias": False,
            "hidden_act": "gelu_pytorch_tanh",
            "tie_word_embeddings": True,
        },
    ),
    "deepseek2-lite": TinyFamily("DeepseekV2", _LATENT),
    "deepseek2": TinyFamily(
        "DeepseekV2",
        {
            **_LATENT,
            "q_lora_rank": 160,
            "first_k_dense_replace": 2,
            "topk_method": "group_limited_greedy",
            "n_group": 3,
            "topk_group": 2,
            "routed_scaling_factor": 2.5,
            "rope_parameters": {**_YARN, "mscale": 0.6, "mscale_all_dim": 1.1},
        },
    ),
    "olmoe": TinyFamily("Olmoe", {"num_experts": 5, "num_experts_per_tok": 3}),
}


def config_of(family: TinyFamily) -> dict[str, Any]:
    """The content of config.json, without making the model."""
    return {**_config(family, {}).to_dict(), "architectures": [_model_name(family)]}


def _config(family: TinyFamily, sizes: dict[str, int]) -> Any:
    return getattr(transformers, f"{family.prefix}Config")(**(_SIZES | family.options | sizes))


def _model_name(family: TinyFamily) -> str:
    return "Gemma3ForCausalLM" if family.prefix == "Gemma3Text" else f"{family.prefix}ForCausalLM"


def make_model(family: TinyFamily, **sizes: int) -> Any:
    """transformers' model in float32 whose every number is random, norms and biases as well."""
    model = getattr(transformers, _model_name(family))(_config(family, sizes)).eval().float()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, values in model.named_parameters():
            noise = torch.randn(values.shape, generator=generator)
            if values.dim() == 1:
                values += 0.2 * noise
            else:
                values.copy_(noise * (0.5 if "embed_" in name else values.shape[-1] ** -0.5))
    return model


@torch.inference_mode()
def expected_logits(model: Any, token_ids: list[int]) -> Tensor:
    """float32 [n, vocab], all rows in one forward without a cache."""
    logits: Tensor = model(torch.tensor([token_ids]), use_cache=False).logits[0]
    return logits


@dataclass(frozen=True, slots=True)
class Exported:
    """What a folder of safetensors holds."""

    spec: ModelSpec
    state: dict[str, Tensor]


def export(model: Any, folder: Path) -> Exported:
    """Through transformers' own files, config.json and tensors."""
    model.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    state = load_file(folder / "model.safetensors")
    return Exported(spec_from_config(config, has_head="lm_head.weight" in state or "embed_out.weight" in state), state)


def make_decoder(exported: Exported, backend: Backend, make_matrix: MakeMatrix) -> Decoder:
    reader = LayerReader(exported, make_matrix)
    names = tensor_names(exported.spec)
    table = make_matrix(exported.state[names.embedding])
    layers = [reader.layer(each) for each in names.layers]
    head = HeadWeights(
        reader.norm(names.head_norm),
        None if names.head is None else make_matrix(exported.state[names.head]),
        reader.optional(names.head_norm_bias),
    )
    assert not reader.unused(names), reader.unused(names)
    return Decoder(exported.spec, backend, table, *in_arrays((layers, head)))


class LayerReader:
    def __init__(self, exported: Exported, make_matrix: MakeMatrix) -> None:
        self._spec, self._state, self._make = exported.spec, exported.state, make_matrix
        self._used: set[str] = set()
        self._order = torch.tensor(head_order(exported.spec))

    def unused(self, names: Any) -> set[str]:
        return set(self._state) - self._used - {names.embedding, names.head, names.head_norm}

    def optional(self, name: str | None) -> Any:
        return None if name is None else self._take(name)

    def norm(self, name: str | None) -> Any:
        if name is None:
            return None
        weight = self._take(name)
        return weight + 1 if adds_one_to_norms(self._spec) else weight

    def layer(self, names: LayerNames) -> LayerWeights[Any]:
        return LayerWeights(
            attention_norm=self.norm(names.attention_norm),
            qkv=self._make(self._qkv(torch.cat([self._take(name) for name in names.qkv]))),
            qkv_bias=self._qkv(torch.cat([self._take(name) for name in names.qkv_bias])) if names.qkv_bias else None,
            output=self._make(self._take(names.output)),
            feed_forward_norm=self.norm(names.feed_forward_norm),
            gate_up=self._stacked(names.gate_up),
            down=None if names.down is None else self._make(self._take(names.down)),
            query_norm=self._head_norm(names.query_norm),
            key_norm=self._head_norm(names.key_norm),
            attention_post_norm=self.norm(names.attention_post_norm),
            feed_forward_post_norm=self.norm(names.feed_forward_post_norm),
            experts=None if names.experts is None else self._experts(names.experts),
            latent=None if names.latent is None else self._latent(names.latent),
            attention_norm_bias=self.optional(names.attention_norm_bias),
            feed_forward_norm_bias=self.optional(names.feed_forward_norm_bias),
            output_bias=self.optional(names.output_bias),
            up_bias=self.optional(names.up_bias),
            down_bias=self.optional(names.down_bias),
        )

    def _latent(self, names: LatentNames) -> LatentWeights[Any]:
        spec, latent = self._spec, self._spec.latent
        assert latent is not None
        up = self._take(names.up[0]).unflatten(0, (spec.num_heads, -1))
        key, value = up.split([latent.qk_nope_head_dim, latent.v_head_dim], dim=1)
        return LatentWeights(
            self._make(key.transpose(1, 2).flatten(0, 1)),
            self._make(value.flatten(0, 1)),
            None if names.query_up is None else self._make(self._halves_last(self._take(names.query_up))),
        )

    def _halves_last(self, rows: Tensor) -> Tensor:
        """The last elements of each head to rotate by halves, not by neighbours."""
        latent = self._spec.latent
        assert latent is not None
        heads = rows.unflatten(0, (-1, latent.query_head_dim))
        still, rotated = heads.split([latent.qk_nope_head_dim, latent.qk_rope_head_dim], dim=1)
        return torch.cat([still, rotated[:, 0::2], rotated[:, 1::2]], dim=1).flatten(0, 1)

    def _experts(self, names: ExpertNames) -> ExpertWeights[Any]:
        return ExpertWeights(
            router=self._take(names.router),
            gate_up=tuple(self._stacked(each) for each in names.gate_up),
            down=tuple(self._make(self._take(each)) for each in names.down),
            shared_gate_up=self._stacked(names.shared_gate_up),
            shared_down=None if names.shared_down is None else self._make(self._take(names.shared_down)),
            shared_gate=None if names.shared_gate is None else self._take(names.shared_gate).flatten(),
        )

    def _take(self, name: str) -> Tensor:
        self._used.add(name)
        return self._state[name].clone()

    def _stacked(self, names: tuple[str, ...]) -> Any:
        return self._make(torch.cat([self._take(name) for name in names])) if names else None

    def _qkv(self, rows: Tensor) -> Tensor:
        spec, latent = self._spec, self._spec.latent
        if latent is not None:
            query, row, rotated = rows.split(
                [len(rows) - latent.row_size, latent.kv_lora_rank, latent.qk_rope_head_dim]
            )
            query = self._halves_last(query) if latent.q_lora_rank is None else query
            return torch.cat([query, row, rotated[0::2], rotated[1::2]])
        if spec.family == "gptneox":
            heads = rows.unflatten(0, (spec.num_heads, -1))
            q, k, v = (part.flatten(0, 1) for part in heads.chunk(3, dim=1))
        else:
            q, k, v = rows.split([spec.query_size, spec.kv_size, spec.kv_size])
        return torch.cat([self._in_order(q), self._in_order(k), v])

    def _head_norm(self, name: str | None) -> Any:
        return self.norm(name) if self._spec.latent is not None else self._in_order(self.norm(name))

    def _in_order(self, rows: Any) -> Any:
        """Each head's rows in our order."""
        if rows is None:
            return None
        heads = rows.view(-1, self._spec.head_dim, *rows.shape[1:])
        return heads[:, self._order].reshape(rows.shape)

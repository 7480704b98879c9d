"""What a decoder model is, as numbers. Standard library only; knows nothing of files or tensors.

Every family is the same decoder with other numbers: what a family does not do has a value here that does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.latent_spec import LatentSpec
from engine.rope_spec import RopeSpec

BACKENDS = ("reference", "cpu", "gpu")
ACTIVATIONS = ("silu", "gelu_tanh", "gelu")
QUERY_KEY_NORMS = ("head", "projection")

_COUNTS = (
    "num_layers",
    "hidden_size",
    "num_heads",
    "num_kv_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "max_context",
)
_FLAGS = (
    "has_qkv_bias",
    "is_tied",
    "has_pre_norms",
    "has_post_norms",
    "has_layer_norms",
    "has_output_bias",
    "has_feed_forward_bias",
    "is_gated",
    "is_parallel",
)
_SCALES = ("embedding_scale", "residual_scale", "logit_scale")
_OPTIONAL_SCALES = ("attention_scale", "attention_softcap", "final_softcap")
_MAX_COUNT = 1 << 28
"""Beyond any size a model has, and small enough for every product of two."""
MAX_HEAD_DIM = 1024
"""Native kernels keep a head in memory of this size."""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_COUNT


def _is_scale(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


@dataclass(frozen=True, slots=True)
class ExpertSpec:
    """A mixture of experts in place of the feed forward: of `num_experts`, each token takes `num_active`.

    The router's softmax over all experts gives their weights; with `normalizes_weights` those of the active ones are
    divided by their sum, and `weight_scale` multiplies them. With `num_groups` above 1, the experts are in groups of
    equal size, and a token takes them from the `num_active_groups` whose best experts weigh most. `shared_size`: inner
    size of an expert that every token takes besides, weighted by a sigmoid of its own unless `is_shared_whole`; None
    for none. `dense_layers` have a plain feed forward of the model's `intermediate_size`.
    """

    num_experts: int
    num_active: int
    intermediate_size: int
    normalizes_weights: bool
    shared_size: int | None = None
    dense_layers: tuple[int, ...] = ()
    weight_scale: float = 1.0
    num_groups: int = 1
    num_active_groups: int = 1
    is_shared_whole: bool = False

    def check(self, num_layers: int) -> None:
        """Raises ValueError on fields that no model has."""
        counts = (self.num_experts, self.num_active, self.intermediate_size, self.num_groups, self.num_active_groups)
        is_good = (
            all(_is_count(count) for count in counts)
            and self.num_experts % self.num_groups == 0
            and self.num_active_groups <= self.num_groups
            and self.num_active <= self.num_experts // self.num_groups * self.num_active_groups
            and _is_scale(self.weight_scale)
            and (self.shared_size is None or _is_count(self.shared_size))
            and all(isinstance(flag, bool) for flag in (self.normalizes_weights, self.is_shared_whole))
            and _are_layers(self.dense_layers, num_layers)
        )
        if not is_good:
            raise ValueError(f"experts is {self!r}, which no model has")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One decoder-only transformer. Sizes are in elements, `max_context` in tokens."""

    family: str
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    max_context: int
    rms_norm_eps: float
    """Of all norms, also where they are LayerNorms."""
    rope: RopeSpec
    has_qkv_bias: bool
    is_tied: bool
    """The output head is the embedding table."""
    activation: str = "silu"
    """`silu`, `gelu_tanh` or `gelu`."""
    sliding_window: int | None = None
    """How many tokens a position sees, itself included, in the layers that have a window; None for all."""
    full_attention_layers: tuple[int, ...] = ()
    """Layers without the window where others have it."""
    local_rope: RopeSpec | None = None
    """The rotation in the layers with a window, where it is another one (Gemma 3)."""
    unrotated_layers: tuple[int, ...] = ()
    """Layers without rotary embedding (SmolLM3's NoPE)."""
    query_key_norm: str | None = None
    """RMSNorm of q and k before the rotation: over each `head`, or over the whole `projection` (OLMo 2)."""
    has_pre_norms: bool = True
    """Norm of the input of attention and of feed forward."""
    has_post_norms: bool = False
    """RMSNorm of their results, before they are added to the residual stream."""
    has_layer_norms: bool = False
    """LayerNorms, with a bias, in place of RMSNorms: of the inputs and before the head."""
    has_output_bias: bool = False
    """Of attention."""
    has_feed_forward_bias: bool = False
    """Of its two matrices, where it has no gate."""
    is_gated: bool = True
    """The feed forward multiplies `activation(gate x)` with `up x`; else it is `activation(up x)` alone."""
    is_parallel: bool = False
    """Attention and feed forward see the same stream, and both results are added to it (GPT-NeoX)."""
    attention_scale: float | None = None
    """Multiplies q.k; None for the size of a head's query ** -0.5."""
    attention_softcap: float | None = None
    final_softcap: float | None = None
    """`c * tanh(y / c)` of the scores, and of the logits."""
    embedding_scale: float = 1.0
    residual_scale: float = 1.0
    """Multiplies what attention and feed forward add to the residual stream (Granite)."""
    logit_scale: float = 1.0
    experts: ExpertSpec | None = None
    latent: LatentSpec | None = None
    """Attention over one row for all heads, which `head_dim` is the size of then; `num_kv_heads` is 1."""

    @property
    def query_size(self) -> int:
        return self.num_heads * self.head_dim

    @property
    def attended_size(self) -> int:
        """Of what the output matrix of attention multiplies."""
        return self.query_size if self.latent is None else self.num_heads * self.latent.v_head_dim

    @property
    def rope_head_dim(self) -> int:
        """Elements of a head that the rotation's tables cover."""
        return self.head_dim if self.latent is None else self.latent.qk_rope_head_dim

    @property
    def score_scale(self) -> float:
        """What multiplies q.k."""
        size = self.head_dim if self.latent is None else self.latent.query_head_dim
        return size**-0.5 if self.attention_scale is None else self.attention_scale

    @property
    def kv_size(self) -> int:
        return self.num_kv_heads * self.head_dim

    @property
    def qkv_size(self) -> int:
        """Rows of the matrix that attention begins with."""
        if self.latent is not None:
            return self.latent.down_size(self.num_heads)
        return self.query_size + 2 * self.kv_size

    @property
    def num_cache_sides(self) -> int:
        """Pools that a token has a row in: keys and values, or the latent alone."""
        return 2 if self.latent is None else 1

    @property
    def norm_sizes(self) -> tuple[int, int]:
        """Elements of the norms of q and k, or of the latents of queries and cache, where there are such norms."""
        if self.latent is not None:
            return self.latent.q_lora_rank or 0, self.latent.kv_lora_rank
        return (self.query_size, self.kv_size) if self.query_key_norm == "projection" else (self.head_dim,) * 2

    @property
    def cache_window(self) -> int | None:
        """The window by which the cache may give blocks back: that of all layers (ADR 11)."""
        return None if self.full_attention_layers else self.sliding_window

    def layer_window(self, index: int) -> int | None:
        return None if index in self.full_attention_layers else self.sliding_window

    def layer_rope(self, index: int) -> RopeSpec | None:
        """None: the layer does not rotate."""
        if index in self.unrotated_layers:
            return None
        return self.rope if self.local_rope is None or self.layer_window(index) is None else self.local_rope

    def layer_experts(self, index: int) -> ExpertSpec | None:
        """None: the layer has a plain feed forward."""
        return None if self.experts is None or index in self.experts.dense_layers else self.experts

    def kv_bytes_per_token(self, element_size_bytes: int, scale_bytes: int = 0) -> int:
        """Bytes that one token takes in the cache over all layers, with a scale for each row of a head."""
        return (
            self.num_cache_sides
            * self.num_layers
            * (self.kv_size * element_size_bytes + self.num_kv_heads * scale_bytes)
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelSpec:
        """Inverse of `to_json`; fields that have a default may be missing, as in files of format version 1.

        Raises KeyError, TypeError or ValueError on fields that no model has.
        """
        fields = dict(data)
        rope = RopeSpec.from_json(fields.pop("rope"))
        local, experts, latent = (fields.pop(name, None) for name in ("local_rope", "experts", "latent"))
        for name in ("full_attention_layers", "unrotated_layers"):
            fields[name] = tuple(fields.get(name, ()))
        spec = cls(
            rope=rope,
            local_rope=None if local is None else RopeSpec.from_json(local),
            experts=None if experts is None else _experts_from_json(experts),
            latent=None if latent is None else LatentSpec(**latent),
            **fields,
        )
        spec.check()
        return spec

    def check(self) -> None:
        """Raises ValueError naming a field that no model has."""
        checks = (
            *((name, _is_count(getattr(self, name))) for name in _COUNTS),
            *((name, _is_scale(getattr(self, name))) for name in ("rms_norm_eps", *_SCALES)),
            *((name, getattr(self, name) is None or _is_scale(getattr(self, name))) for name in _OPTIONAL_SCALES),
            *((name, isinstance(getattr(self, name), bool)) for name in _FLAGS),
            ("sliding_window", self.sliding_window is None or _is_count(self.sliding_window)),
            ("family", isinstance(self.family, str)),
            ("activation", self.activation in ACTIVATIONS),
            ("query_key_norm", self.query_key_norm in (None, *QUERY_KEY_NORMS)),
        )
        for name, is_good in checks:
            if not is_good:
                raise ValueError(f"{name} is {getattr(self, name)!r}, which no model has")
        for name in ("full_attention_layers", "unrotated_layers"):
            if not _are_layers(getattr(self, name), self.num_layers):
                raise ValueError(f"{name} is {getattr(self, name)!r}, there are {self.num_layers} layers")
        if self.latent is not None:
            self.latent.check(self.head_dim, self.num_kv_heads)
        for rope in (self.rope, self.local_rope):
            if rope is not None:
                rope.check(self.rope_head_dim)
        if self.rope.short_context is not None and self.rope.short_context >= self.max_context:
            raise ValueError(f"rope is {self.rope!r} for a context of {self.max_context} tokens, which no model has")
        if self.experts is not None:
            self.experts.check(self.num_layers)
        self._check_company()

    def _check_company(self) -> None:
        """Raises ValueError on what may be fine by itself, and that no model has beside the rest."""
        has_other_norms = (
            self.latent is not None or not self.has_pre_norms or self.has_post_norms or self.query_key_norm is not None
        )
        has_experts = self.experts is not None
        for name, is_bad in (
            ("head_dim", self.head_dim > MAX_HEAD_DIM and self.latent is None),
            ("num_kv_heads", self.num_heads % self.num_kv_heads != 0),
            ("has_layer_norms", self.has_layer_norms and (has_other_norms or has_experts)),
            ("has_feed_forward_bias", self.has_feed_forward_bias and self.is_gated),
            ("is_gated", not self.is_gated and has_experts),
            ("is_parallel", self.is_parallel and has_experts),
            ("has_output_bias", self.has_output_bias and self.latent is not None),
        ):
            if is_bad:
                raise ValueError(f"{name} is {getattr(self, name)!r}, which no model has")


def _are_layers(indexes: tuple[int, ...], num_layers: int) -> bool:
    return all(type(index) is int and 0 <= index < num_layers for index in indexes)


def _experts_from_json(data: Mapping[str, Any]) -> ExpertSpec:
    fields = dict(data)
    return ExpertSpec(dense_layers=tuple(fields.pop("dense_layers", ())), **fields)

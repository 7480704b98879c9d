"""The one decoder: embedding, layers, head, as calls of a backend's fused operations.

Knows nothing of sequences and blocks; the pool's arrays and the batch tell it where to read and write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.rope_spec import RopeSpec
from engine.spec import ModelSpec
from engine.weights import HeadWeights, LayerWeights
from kernels.arrays import Array, mapped
from kernels.kv_rows import row_width, scale_bytes
from kernels.ops import Backend, DecoderLayer, Experts, ForwardInput, LatentAttention, Norm


def rope_table(rope: RopeSpec, head_dim: int, max_positions: int, is_long: bool = False) -> Array:
    """Cosines and sines, float32 [max_positions, 2, head_dim / 2], by the factors for long requests if `is_long`.

    angle(p, i) = p * theta ** (-2 i / rotary_dim) / factor(i)  (Su et al. 2021, eq. 15); what of a head does not
    rotate has the angle 0.
    """
    rotary_dim = rope.rotated(head_dim)
    frequencies = rope.theta ** (-np.arange(0, rotary_dim, 2, dtype=np.float64) / rotary_dim)
    factors = rope.long_factors if is_long and rope.long_factors is not None else rope.frequency_factors
    if factors is not None:
        frequencies = frequencies / np.array(factors, np.float64)
    angles = np.outer(np.arange(max_positions, dtype=np.float64), frequencies)
    table = np.zeros((max_positions, 2, head_dim // 2), np.float32)
    table[:, 0] = 1
    table[:, 0, : rotary_dim // 2] = np.cos(angles) * rope.attention_factor
    table[:, 1, : rotary_dim // 2] = np.sin(angles) * rope.attention_factor
    return table


def position_table(spec: ModelSpec, rope: RopeSpec) -> Array:
    """The rows that `ForwardInput.positions` names: those of short requests, then those of requests that may grow long.

    A model whose rotation does not depend on that has one kind. See `RopeSpec.offset`.
    """
    short_context = spec.rope.short_context
    if short_context is None:
        return rope_table(rope, spec.rope_head_dim, spec.max_context)
    long = rope_table(rope, spec.rope_head_dim, spec.max_context, is_long=True)
    return np.concatenate([rope_table(rope, spec.rope_head_dim, short_context), long])


POOL_LAYOUT = "layers, blocks, kv_heads, block_size, head_dim"
"""Of a pool of int8, the last dimension has the rows of `kernels.kv_rows`."""


@dataclass(frozen=True, slots=True)
class PagedPool:
    """Keys and values of all layers: two arrays, shaped as `POOL_LAYOUT` says; block 0 is null.

    Where attention is latent, the keys are the rows of the latent, and the values' rows have no elements.
    """

    keys: Array
    values: Array

    @property
    def sides(self) -> tuple[Array, ...]:
        """Those of the two whose rows have elements."""
        return tuple(side for side in (self.keys, self.values) if side.shape[-1])

    @property
    def block_size(self) -> int:
        return self.keys.shape[3]


def kv_bytes_per_token(spec: ModelSpec, backend: Backend) -> int:
    """Bytes that one token takes in a pool."""
    return spec.kv_bytes_per_token(backend.kv_dtype.itemsize, scale_bytes(backend.kv_dtype))


def make_pool(spec: ModelSpec, num_blocks: int, block_size: int, backend: Backend) -> PagedPool:
    """A pool of `num_blocks` usable blocks and the null block; what is in them before they are written is undefined."""
    width = row_width(backend.kv_dtype, spec.head_dim)
    shape = (spec.num_layers, num_blocks + 1, spec.num_kv_heads, block_size)
    widths = (width, width if spec.latent is None else 0)
    return PagedPool(*(backend.new_pool(*shape, each) for each in widths))


def make_host_pool(pool: PagedPool, num_blocks: int) -> PagedPool:
    """Host memory for `num_blocks` blocks like those of `pool`."""
    shapes = ((side.shape[0], num_blocks, *side.shape[2:]) for side in (pool.keys, pool.values))
    return PagedPool(*(mapped(*shape, dtype=pool.keys.dtype) for shape in shapes))


class Decoder:
    """Weights as `backend` prepared them. `table` is the embedding, and the head too where the model is tied."""

    def __init__(
        self, spec: ModelSpec, backend: Backend, table: Any, layers: list[LayerWeights[Any]], head: HeadWeights[Any]
    ) -> None:
        assert len(layers) == spec.num_layers, (len(layers), spec.num_layers)
        self.spec = spec
        self._backend = backend
        self._head_norm = head_norm(spec, head)
        self._head = table if head.matrix is None else head.matrix
        ropes = {spec.layer_rope(index) for index in range(spec.num_layers)}
        tables = {rope: position_table(spec, rope) for rope in ropes if rope is not None}
        described = (describe_layer(layer, spec, index, tables) for index, layer in enumerate(layers))
        self._stack = backend.stack_layers(table, tuple(described), stream_scale(spec))

    def hidden(self, batch: ForwardInput, pool: PagedPool) -> Array:
        """The residual stream after the last layer, [M, hidden]; writes the rows' keys and values into the pool."""
        return self._stack.hidden(batch, pool.keys, pool.values)

    def logits(self, hidden: Array) -> Array:
        """[B, hidden] to [B, vocab]. All rows are narrow, so that a token's logits never depend on its neighbours."""
        logits = self._backend.norm_linear(hidden, self._head_norm, self._head)
        softcap = self.spec.final_softcap
        return logits if softcap is None else softcap * np.tanh(logits / softcap)


def stream_scale(spec: ModelSpec) -> float:
    """Of the embedding. The stream is kept divided by the residual scale, so that results are added as they are."""
    return spec.embedding_scale / spec.residual_scale


def head_norm(spec: ModelSpec, head: HeadWeights[Any]) -> Norm:
    """The last norm, of the stream as it is kept, with the logits' scale in it."""
    bias = None if head.norm_bias is None else head.norm_bias * spec.logit_scale
    return Norm(head.norm * spec.logit_scale, spec.rms_norm_eps / spec.residual_scale**2, bias)


def describe_layer(
    layer: LayerWeights[Any], spec: ModelSpec, index: int, tables: Mapping[RopeSpec, Array]
) -> DecoderLayer:
    """The layer as a backend takes it; `tables` has the positions' rotations for each of the model's ropes."""
    eps, rope = spec.rms_norm_eps, spec.layer_rope(index)
    inner_eps = eps if spec.latent is None else spec.latent.norm_eps
    stream_eps = eps / spec.residual_scale**2
    return DecoderLayer(
        attention_norm=_norm(layer.attention_norm, stream_eps, layer.attention_norm_bias),
        qkv=layer.qkv,
        qkv_bias=layer.qkv_bias,
        query_norm=_norm(layer.query_norm, inner_eps),
        key_norm=_norm(layer.key_norm, inner_eps),
        rope_table=None if rope is None else tables[rope],
        scale=spec.score_scale,
        window=spec.layer_window(index),
        softcap=spec.attention_softcap,
        output=layer.output,
        attention_post_norm=_norm(layer.attention_post_norm, eps),
        feed_forward_norm=_norm(layer.feed_forward_norm, stream_eps, layer.feed_forward_norm_bias),
        gate_up=layer.gate_up,
        activation=spec.activation,
        down=layer.down,
        feed_forward_post_norm=_norm(layer.feed_forward_post_norm, eps),
        experts=_experts(layer, spec, index),
        latent=_latent(layer, spec),
        output_bias=layer.output_bias,
        up_bias=layer.up_bias,
        down_bias=layer.down_bias,
        is_gated=spec.is_gated,
        is_parallel=spec.is_parallel,
    )


def _norm(weight: Array | None, eps: float, bias: Array | None = None) -> Norm | None:
    return None if weight is None else Norm(weight, eps, bias)


def _experts(layer: LayerWeights[Any], spec: ModelSpec, index: int) -> Experts | None:
    weights, experts = layer.experts, spec.layer_experts(index)
    if weights is None or experts is None:
        return None
    return Experts(
        router=weights.router,
        gate_up=weights.gate_up,
        down=weights.down,
        num_active=experts.num_active,
        normalizes_weights=experts.normalizes_weights,
        activation=spec.activation,
        shared_gate_up=weights.shared_gate_up,
        shared_down=weights.shared_down,
        shared_gate=weights.shared_gate,
        weight_scale=experts.weight_scale,
        num_groups=experts.num_groups,
        num_active_groups=experts.num_active_groups,
    )


def _latent(layer: LayerWeights[Any], spec: ModelSpec) -> LatentAttention | None:
    weights, latent = layer.latent, spec.latent
    if weights is None or latent is None:
        return None
    return LatentAttention(
        num_heads=spec.num_heads,
        rotated_size=latent.qk_rope_head_dim,
        query_up=weights.query_up,
        query_to_latent=weights.query_to_latent,
        latent_to_value=weights.latent_to_value,
    )

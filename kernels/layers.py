"""A decoder's layers run operation by operation, on any backend. Knows nothing of sequences, files, or the head."""

from __future__ import annotations

from typing import Any

from kernels.arrays import Array
from kernels.ops import Backend, DecoderLayer, ForwardInput, LayerStack


class OperationStack(LayerStack):
    """One call of the backend per operation."""

    def __init__(
        self, backend: Backend, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0
    ) -> None:
        self._backend = backend
        self._table = table
        self._layers = layers
        self._embedding_scale = embedding_scale

    def hidden(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> Array:
        x = self._backend.embed(self._table, rows.token_ids, self._embedding_scale)
        for layer, keys, values in zip(self._layers, key_pool, value_pool, strict=True):
            x = self._layer(layer, x, rows, keys, values)
        return x

    def _layer(self, layer: DecoderLayer, x: Array, rows: ForwardInput, keys: Array, values: Array) -> Array:
        # In two calls, so that what attention has made is let go before the feed forward makes more.
        attended = self._attention(layer, x, rows, keys, values)
        return self._feed_forward(layer, x if layer.is_parallel else attended, attended, rows.num_narrow_rows)

    def _attention(self, layer: DecoderLayer, x: Array, rows: ForwardInput, keys: Array, values: Array) -> Array:
        backend, narrow = self._backend, rows.num_narrow_rows
        if layer.latent is not None:
            # Written in torch, which models without latents do not load.
            from kernels import latent

            attended = latent.attend(backend, layer, x, rows, keys)
            return backend.linear_add(attended, layer.output, x, layer.attention_post_norm, narrow)
        qkv = backend.norm_linear(x, layer.attention_norm, layer.qkv, layer.qkv_bias, narrow)
        norms = layer.query_norm, layer.key_norm
        q = backend.rope_append(qkv, rows.positions, layer.rope_table, keys, values, rows.slots, *norms)
        attended = backend.paged_attention(q, keys, values, rows.attention, layer.scale, layer.window, layer.softcap)
        return backend.linear_add(attended, layer.output, x, layer.attention_post_norm, narrow, layer.output_bias)

    def _feed_forward(self, layer: DecoderLayer, x: Array, residual: Array, narrow: int) -> Array:
        backend, norm = self._backend, layer.feed_forward_norm
        if layer.experts is not None:
            assert not layer.is_parallel, "experts add to what they see"
            return backend.norm_experts(x, norm, layer.experts, layer.feed_forward_post_norm)
        if layer.is_gated:
            inner = backend.norm_gate_up(x, norm, layer.gate_up, layer.activation, narrow)
        else:
            inner = backend.norm_linear(x, norm, layer.gate_up, layer.up_bias, narrow, layer.activation)
        return backend.linear_add(inner, layer.down, residual, layer.feed_forward_post_norm, narrow, layer.down_bias)

"""Backends seen through the other library: one of torch's operations on numpy's arrays, or native ones on tensors.

The engine speaks numpy to all backends (`ArrayFace`). What native operations are put together from in torch, and the
tests that hold them to the reference, speak torch to them (`TensorFace`). All is on the same memory: nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch

from kernels.arrays import Array, name_of
from kernels.ops import (
    AttentionBatch,
    Backend,
    DecoderLayer,
    Experts,
    ForwardInput,
    LayerStack,
    Norm,
    PreparedLayout,
    WeightFacts,
)
from kernels.packed_weight import PackedWeight
from kernels.sampling_tensors import SamplingTensors
from kernels.tensors import array_of, arrays_of, bits_of, tensor_of, tensors_of

Convert = Callable[[Any], Any]


class _Face(Backend):
    """Every operation is the inner backend's, on what `inward` makes of its arguments."""

    def __init__(self, inner: Backend, inward: Convert, outward: Convert) -> None:
        self.inner = inner
        self._in = inward
        self._out = outward
        self.name = inner.name
        self.kv_name = inner.kv_name
        self.wide_rows = inner.wide_rows
        self._batch: tuple[AttentionBatch, AttentionBatch] | None = None

    @property
    def layout(self) -> PreparedLayout | None:  # type: ignore[override]
        return self.inner.layout

    def computing(self) -> AbstractContextManager[object]:
        return self.inner.computing()

    def prepare(self, weight: PackedWeight) -> Any:
        return self.inner.prepare(self._in(weight))

    def describe(self, weight: PackedWeight) -> WeightFacts:
        return self.inner.describe(weight)

    def resident_bytes(self, weight: Any) -> int:
        return self.inner.resident_bytes(weight)

    def embed(self, table: Any, token_ids: Array, scale: float = 1.0) -> Array:
        return self._out(self.inner.embed(table, self._in(token_ids), scale))

    def norm_linear(
        self,
        x: Array,
        norm: Norm | None,
        weight: Any,
        bias: Array | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Array:
        call = (self._in(x), self._in(norm), weight, self._in(bias), num_narrow_rows, activation)
        return self._out(self.inner.norm_linear(*call))

    def grouped_linear(self, x: Array, weight: Any, num_groups: int, num_narrow_rows: int | None = None) -> Array:
        return self._out(self.inner.grouped_linear(self._in(x), weight, num_groups, num_narrow_rows))

    def rope_append(self, *call: Any, **named: Any) -> Array:
        return self._out(self.inner.rope_append(*map(self._in, call), **_converted(named, self._in)))

    def latent_append(self, *call: Any, **named: Any) -> Array:
        return self._out(self.inner.latent_append(*map(self._in, call), **_converted(named, self._in)))

    def paged_attention(
        self,
        q: Array,
        key_pool: Array,
        value_pool: Array,
        batch: AttentionBatch,
        scale: float,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Array:
        # One batch serves all layers, and the inner backend plans it once: told by its identity.
        if self._batch is None or self._batch[0] is not batch:
            self._batch = batch, self._in(batch)
        call = (*map(self._in, (q, key_pool, value_pool)), self._batch[1], scale, window, softcap)
        return self._out(self.inner.paged_attention(*call))

    def linear_add(
        self,
        x: Array,
        weight: Any,
        residual: Array,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Array | None = None,
    ) -> Array:
        call = (self._in(x), weight, self._in(residual), self._in(post_norm), num_narrow_rows, self._in(bias))
        return self._out(self.inner.linear_add(*call))

    def norm_gate_up(
        self, x: Array, norm: Norm | None, weight: Any, activation: str, num_narrow_rows: int | None = None
    ) -> Array:
        return self._out(self.inner.norm_gate_up(self._in(x), self._in(norm), weight, activation, num_narrow_rows))

    def norm_experts(self, x: Array, norm: Norm | None, experts: Experts, post_norm: Norm | None = None) -> Array:
        return self._out(self.inner.norm_experts(*map(self._in, (x, norm, experts, post_norm))))

    def sample(self, logits: Array, params: SamplingTensors) -> Array:
        return self._out(self.inner.sample(self._in(logits), self._in(params)))

    def logprobs(self, logits: Array, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        return self.inner.logprobs(self._in(logits), token_id, num_top)

    def copy_blocks(self, source_pool: Array, target_pool: Array, source: list[int], target: list[int]) -> None:
        self.inner.copy_blocks(self._in(source_pool), self._in(target_pool), source, target)

    def stack_layers(self, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0) -> LayerStack:
        stack = self.inner.stack_layers(table, self._in(layers), embedding_scale)
        return ConvertingStack(stack, self._in, self._out)


class ConvertingStack(LayerStack):
    """Another stack, on what `inward` makes of its arguments."""

    def __init__(self, inner: LayerStack, inward: Convert, outward: Convert) -> None:
        self._inner = inner
        self._in = inward
        self._out = outward

    def hidden(self, rows: ForwardInput, key_pool: Array, value_pool: Array) -> Array:
        return self._out(self._inner.hidden(*map(self._in, (rows, key_pool, value_pool))))


class ArrayFace(_Face):
    """A backend of torch's operations, as the engine sees it. A pool of bfloat16 shows as its bits, uint16."""

    def __init__(self, inner: Backend) -> None:
        super().__init__(inner, tensors_of, array_of)
        self.kv_dtype = np.dtype("uint16" if name_of(inner.kv_dtype) == "bfloat16" else name_of(inner.kv_dtype))

    def new_pool(self, *shape: int) -> Array:
        return bits_of(self.inner.new_pool(*shape))


class TensorFace(_Face):
    """A backend of native operations on numpy's arrays, for those who hold tensors."""

    def __init__(self, inner: Backend) -> None:
        super().__init__(inner, arrays_of, tensor_of)
        self.kv_dtype = getattr(torch, name_of(inner.kv_dtype))

    def computing(self) -> AbstractContextManager[object]:
        return nullcontext()

    def new_pool(self, *shape: int) -> Array:
        return tensors_of(self.inner.new_pool(*shape))


def _converted(named: dict[str, Any], convert: Convert) -> dict[str, Any]:
    return {name: convert(value) for name, value in named.items()}

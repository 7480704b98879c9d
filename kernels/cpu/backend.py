"""The backend of native kernels on the CPU: residual stream float32, linear inputs in eight bits, KV in half floats
or eight bits.

A row's result is the same to the bit whatever rows and however many threads share the call. Knows nothing of sequences
or files. For one thread at a time; its own threads share out each operation.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from kernels import checks
from kernels.arrays import Array, address, mapped
from kernels.cpu import attention
from kernels.cpu.embedding import Embedding
from kernels.cpu.linear import Linear, grouped
from kernels.cpu.pool import MAX_WORKERS, Pool
from kernels.cpu.sampling import Sampler
from kernels.cpu.stack import NativeStack
from kernels.cpu.structs import AttentionShape
from kernels.cpu.weights import NativeLayout, NativeWeight, pack
from kernels.layers import OperationStack
from kernels.ops import AttentionBatch, Backend, DecoderLayer, Experts, LayerStack, Norm, WeightFacts
from kernels.packed_weight import PackedWeight
from kernels.sampling_tensors import SamplingTensors


class CpuBackend(Backend):
    """See `Backend` for the meaning of each operation. All results are float32."""

    name = "cpu"
    wide_rows = None

    def __init__(self, num_threads: int | None = None, kv_dtype: str = "float16") -> None:
        """`num_threads` None takes all processors; of more than `MAX_WORKERS` it takes so many.

        `kv_dtype` is float16, int8 or float32.

        Raises `NativeUnavailableError` if the kernels are not built or the processor cannot run them.
        """
        assert kv_dtype in attention.FORMATS, kv_dtype
        self.kv_dtype, self.kv_name = np.dtype(kv_dtype), kv_dtype
        wanted = os.cpu_count() or 1 if num_threads is None else num_threads
        self._pool = Pool(min(wanted, MAX_WORKERS))
        self._sampler = Sampler(self._pool)
        self._plans = attention.Plans()
        self.layout = NativeLayout(self._pool)

    def new_pool(self, *shape: int) -> Array:
        return mapped(*shape, dtype=self.kv_dtype)

    def prepare(self, weight: PackedWeight) -> NativeWeight:
        return pack(weight, self._pool)

    def describe(self, weight: PackedWeight) -> WeightFacts:
        minimum = "scales and minima" if weight.minimum is not None else "scales"
        variant = self._pool.library.di_variant().decode()
        return WeightFacts(
            weight_format=f"{weight.bits}-bit codes, groups of {weight.group_size} with float16 {minimum}",
            activation="int8 in groups of 32",
            accumulator="int32 in a group, float32 over them",
            kernel=f"native integer dot products ({variant})",
        )

    def resident_bytes(self, weight: NativeWeight) -> int:
        return weight.size_bytes

    def embed(self, table: NativeWeight, token_ids: Array, scale: float = 1.0) -> Array:
        checks.check_embed(token_ids)
        return Embedding(table, scale)(token_ids, self._pool)

    def norm_linear(
        self,
        x: Array,
        norm: Norm | None,
        weight: NativeWeight,
        bias: Array | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Array:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm, bias, activation)
        return Linear(weight, norm, bias, activation=activation)(_float32(x), self._pool)

    def grouped_linear(
        self, x: Array, weight: NativeWeight, num_groups: int, num_narrow_rows: int | None = None
    ) -> Array:
        checks.check_grouped(x, *weight.shape, num_groups, num_narrow_rows)
        return grouped(_float32(x), weight, num_groups, self._pool)

    def rope_append(
        self,
        qkv: Array,
        positions: Array,
        rope_table: Array | None,
        key_pool: Array,
        value_pool: Array,
        slots: Array,
        query_norm: Norm | None = None,
        key_norm: Norm | None = None,
    ) -> Array:
        norms = query_norm, key_norm
        checks.check_pools(key_pool, value_pool, self.kv_dtype)
        checks.check_rope(qkv, positions, rope_table, key_pool, slots, norms)
        checks.check_places(positions, rope_table, slots, key_pool)
        return attention.append(_float32(qkv), positions, rope_table, key_pool, value_pool, slots, norms, self._pool)

    def latent_append(
        self,
        q: Array,
        latent: Array,
        positions: Array,
        rope_table: Array | None,
        pool: Array,
        slots: Array,
        norm: Norm,
    ) -> Array:
        checks.check_pools(pool, pool, self.kv_dtype)
        if q.shape[-1] > attention.MAX_HEAD_DIM:
            from kernels.cpu import in_torch

            return in_torch.append_latent(q, latent, positions, rope_table, pool, slots, norm)
        checks.check_latent(q, latent, positions, rope_table, pool, slots, norm)
        return attention.append_latent(
            _float32(q), _float32(latent), positions, rope_table, pool, slots, norm, self._pool
        )

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
        checks.check_pools(key_pool, value_pool, self.kv_dtype)
        checks.check_attention(q, key_pool, batch, window)
        num_blocks, kv_heads, block_size, _ = key_pool.shape
        checks.check_batch(batch, block_size)
        checks.check_tables(batch, block_size, num_blocks)
        kv_format = attention.FORMATS[self.kv_dtype.name]
        shape = AttentionShape(q.shape[1], kv_heads, q.shape[2], block_size, kv_format, window or 0)
        plan = self._plans.find(self._pool, batch, shape)
        return attention.attend(_float32(q), key_pool, value_pool, plan, self._pool, scale, softcap)

    def linear_add(
        self,
        x: Array,
        weight: NativeWeight,
        residual: Array,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Array | None = None,
    ) -> Array:
        checks.check_linear(x, *weight.shape, num_narrow_rows, bias=bias)
        checks.check_residual(x, weight.shape[0], residual, post_norm)
        return Linear(weight, bias=bias, post_norm=post_norm)(_float32(x), self._pool, _float32(residual))

    def norm_gate_up(
        self, x: Array, norm: Norm | None, weight: NativeWeight, activation: str, num_narrow_rows: int | None = None
    ) -> Array:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm)
        checks.check_gate_up(weight.shape[0], activation)
        return Linear(weight, norm, activation=activation, is_gated=True)(_float32(x), self._pool)

    def norm_experts(self, x: Array, norm: Norm | None, experts: Experts, post_norm: Norm | None = None) -> Array:
        from kernels.cpu import in_torch

        return in_torch.norm_experts(self, x, norm, experts, post_norm, self._pool)

    def sample(self, logits: Array, params: SamplingTensors) -> Array:
        checks.check_sampling(logits, params)
        return self._sampler.sample(logits, params)

    def logprobs(self, logits: Array, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        checks.check_logprobs(logits, token_id, num_top)
        return self._sampler.logprobs(logits, token_id, num_top)

    def copy_blocks(self, source_pool: Array, target_pool: Array, source: list[int], target: list[int]) -> None:
        checks.check_copy(source_pool, target_pool, source, target)
        is_one_pool = address(source_pool) == address(target_pool)
        if is_one_pool and not set(source).isdisjoint(target):
            source_pool = np.ascontiguousarray(source_pool[:, source])
            source = list(range(len(source)))
        num_copies = len(source)
        self._pool.library.di_copy_blocks(
            self._pool.handle,
            address(source_pool),
            source_pool.shape[1],
            address(target_pool),
            target_pool.shape[1],
            source_pool.shape[0],
            source_pool[0, 0].nbytes if source_pool.size else 0,
            num_copies,
            (ctypes.c_int64 * num_copies)(*source),
            (ctypes.c_int64 * num_copies)(*target),
        )

    def stack_layers(self, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0) -> LayerStack:
        # One call has no experts, no latents, and no model that never rotates.
        if any(layer.experts is not None or layer.latent is not None for layer in layers):
            from kernels.cpu import in_torch

            return in_torch.stack_layers(self, table, layers, embedding_scale, self._pool)
        if all(layer.rope_table is None for layer in layers):
            return OperationStack(self, table, layers, embedding_scale)
        return NativeStack(self._pool, self.kv_dtype.name, table, layers, embedding_scale)


def _float32(x: Array) -> Array:
    return x.astype(np.float32, copy=False)

"""The backend of stock torch kernels on the CPU: residual stream float32, linear inputs and KV bfloat16.

A row's result is the same to the bit whatever rows share the call. Knows nothing of sequences or files. For one
thread; torch spreads each operation over its own.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from kernels import checks, distribution
from kernels.activations import ACTIVATIONS
from kernels.arrays import name_of
from kernels.experts import norm_experts, normalise
from kernels.fallback import attention
from kernels.fallback.weights import TorchWeight, grouped_linear, linear, pack
from kernels.formats import PackedWeight, dequantize
from kernels.kv_codes import encode, turn
from kernels.kv_rows import head_dim_of
from kernels.latent import append as append_latent
from kernels.layers import OperationStack
from kernels.logits import row_logprobs
from kernels.ops import AttentionBatch, Backend, DecoderLayer, Experts, LayerStack, Norm, WeightFacts
from kernels.sampling_tensors import SamplingTensors
from kernels.tensors import tensor_of


def _normed(x: Tensor, norm: Norm) -> Tensor:
    """The norm in float32; RMSNorm by the fewest calls, as each costs more than its arithmetic."""
    if norm.bias is not None:
        return normalise(x, norm)
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x.mul(length.square_().mul_(1 / x.shape[-1]).add_(norm.eps).rsqrt_()).mul_(norm.weight)


class TorchBackend(Backend):
    """See `Backend` for the meaning of each operation.

    `norm_linear` returns float32; what only feeds the next operation (q, attention, gate and up) is bfloat16.
    """

    name = "cpu"
    wide_rows = 96

    def __init__(self, dense_dtype: torch.dtype | None = None, kv_dtype: torch.dtype = torch.bfloat16) -> None:
        """`dense_dtype`: of weights written out for many rows; None takes what the processor is fast at.

        `kv_dtype` is bfloat16 or int8.
        """
        assert kv_dtype in (torch.bfloat16, torch.int8), kv_dtype
        self.kv_dtype, self.kv_name = kv_dtype, name_of(kv_dtype)
        if dense_dtype is None:
            dense_dtype = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32
        self._dense_dtype = dense_dtype
        self._plans = attention.AttentionPlans()

    def computing(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def new_pool(self, *shape: int) -> Tensor:
        return torch.empty(shape, dtype=self.kv_dtype)

    def prepare(self, weight: PackedWeight) -> TorchWeight:
        return pack(weight)

    def describe(self, weight: PackedWeight) -> WeightFacts:
        container = {3: "3-bit codes in int4", 4: "int4"}.get(
            weight.bits, f"{weight.bits}-bit codes in two int4 planes"
        )
        dense = "bfloat16" if self._dense_dtype == torch.bfloat16 else "float32"
        return WeightFacts(
            weight_format=f"{container}, groups of {weight.group_size} with bfloat16 scales",
            activation="bfloat16",
            accumulator="float32",
            kernel=f"torch int4pack_mm; for many rows {dense} linear on the dequantised weight",
        )

    def resident_bytes(self, weight: TorchWeight) -> int:
        return weight.packed.nbytes + weight.scales_and_zeros.nbytes

    def embed(self, table: TorchWeight, token_ids: Tensor, scale: float = 1.0) -> Tensor:
        checks.check_embed(token_ids)
        rows = dequantize(table.plain, token_ids)
        return rows if scale == 1.0 else rows.mul_(scale)

    def norm_linear(
        self,
        x: Tensor,
        norm: Norm | None,
        weight: TorchWeight,
        bias: Tensor | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm, bias, activation)
        normed = x if norm is None else _normed(x, norm)
        y = linear(normed.bfloat16(), weight, num_narrow_rows, self._dense_dtype)
        y = y.float() if bias is None else y + bias
        return y if activation is None else ACTIVATIONS[activation](y)

    def grouped_linear(
        self, x: Tensor, weight: TorchWeight, num_groups: int, num_narrow_rows: int | None = None
    ) -> Tensor:
        checks.check_grouped(x, *weight.shape, num_groups, num_narrow_rows)
        return grouped_linear(x.to(self._dense_dtype), weight.plain, num_groups).float()

    def rope_append(
        self,
        qkv: Tensor,
        positions: Tensor,
        rope_table: Tensor | None,
        key_pool: Tensor,
        value_pool: Tensor,
        slots: Tensor,
        query_norm: Norm | None = None,
        key_norm: Norm | None = None,
    ) -> Tensor:
        checks.check_pools(key_pool, value_pool, self.kv_dtype)
        heads = checks.check_rope(qkv, positions, rope_table, key_pool, slots, (query_norm, key_norm))
        _, kv_heads, block_size, _ = key_pool.shape
        head_dim = head_dim_of(key_pool)
        num_rotated = heads + kv_heads
        all_heads = qkv.view(qkv.shape[0], num_rotated + kv_heads, head_dim)
        rotated = all_heads[:, :num_rotated]
        if query_norm is not None or key_norm is not None:
            q, k = rotated[:, :heads], rotated[:, heads:]
            rotated = torch.cat([_norm_heads(q, query_norm), _norm_heads(k, key_norm)], dim=1)
        rotated = rotated.bfloat16() if rope_table is None else _rotate(rotated, rope_table.index_select(0, positions))
        blocks, offsets = slots // block_size, slots % block_size
        q, k, v = rotated[:, :heads], rotated[:, heads:], all_heads[:, num_rotated:].bfloat16()
        if self.kv_dtype == torch.int8:
            q, k, v = turn(q.float()).bfloat16(), encode(turn(k.float())), encode(v.float())
        key_pool[blocks, :, offsets] = k
        value_pool[blocks, :, offsets] = v
        return q.contiguous()

    def latent_append(
        self,
        q: Tensor,
        latent: Tensor,
        positions: Tensor,
        rope_table: Tensor | None,
        pool: Tensor,
        slots: Tensor,
        norm: Norm,
    ) -> Tensor:
        checks.check_pools(pool, pool, self.kv_dtype)
        return append_latent(q, latent, positions, rope_table, pool, slots, norm)

    def paged_attention(
        self,
        q: Tensor,
        key_pool: Tensor,
        value_pool: Tensor,
        batch: AttentionBatch,
        scale: float,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Tensor:
        checks.check_pools(key_pool, value_pool, self.kv_dtype)
        checks.check_attention(q, key_pool, batch, window)
        _, kv_heads, block_size, _ = key_pool.shape
        shape = attention.PoolShape(kv_heads, q.shape[1] // kv_heads, block_size, window)
        plan = self._plans.find(batch, shape)
        return attention.attend(q.bfloat16(), key_pool, value_pool, plan, scale, softcap)

    def linear_add(
        self,
        x: Tensor,
        weight: TorchWeight,
        residual: Tensor,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, bias=bias)
        checks.check_residual(x, weight.shape[0], residual, post_norm)
        y = linear(x.bfloat16(), weight, num_narrow_rows, self._dense_dtype)
        y = y if bias is None else y + bias
        return residual + (y if post_norm is None else _normed(y.float(), post_norm))

    def norm_gate_up(
        self, x: Tensor, norm: Norm | None, weight: TorchWeight, activation: str, num_narrow_rows: int | None = None
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm)
        checks.check_gate_up(weight.shape[0], activation)
        normed = x if norm is None else _normed(x, norm)
        y = linear(normed.bfloat16(), weight, num_narrow_rows, self._dense_dtype)
        gate, up = y.chunk(2, dim=1)
        return ACTIVATIONS[activation](gate).mul_(up)

    def norm_experts(self, x: Tensor, norm: Norm | None, experts: Experts, post_norm: Norm | None = None) -> Tensor:
        return norm_experts(self, x, norm, experts, post_norm)

    def sample(self, logits: Tensor, params: SamplingTensors) -> Tensor:
        checks.check_sampling(logits, params)
        return tensor_of(distribution.sample(logits, params))

    def logprobs(self, logits: Tensor, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        checks.check_logprobs(logits, token_id, num_top)
        return row_logprobs(logits, token_id, num_top)

    def copy_blocks(self, source_pool: Tensor, target_pool: Tensor, source: list[int], target: list[int]) -> None:
        checks.check_copy(source_pool, target_pool, source, target)
        target_pool[:, target] = source_pool[:, source]

    def stack_layers(self, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0) -> LayerStack:
        return OperationStack(self, table, layers, embedding_scale)


def _norm_heads(heads: Tensor, norm: Norm | None) -> Tensor:
    """heads [M, H, d], each by itself where the norm has d weights, all together where it has H * d."""
    if norm is None or len(norm.weight) == heads.shape[2]:
        return heads if norm is None else _normed(heads.float(), norm)
    return _normed(heads.flatten(1).float(), norm).view(heads.shape)


def _rotate(heads: Tensor, rope: Tensor) -> Tensor:
    """heads [M, H, d] and rope float32 [M, 2, d / 2] (cosines, sines) to bfloat16 [M, H, d], in float32 between."""
    num_rows, num_heads, head_dim = heads.shape
    halves = heads.view(num_rows, num_heads, 2, head_dim // 2)
    cosines, sines = rope.unsqueeze(2).unbind(1)
    result = halves * cosines.unsqueeze(1)
    result[:, :, 0].addcmul_(halves[:, :, 1], sines, value=-1)
    result[:, :, 1].addcmul_(halves[:, :, 0], sines)
    return result.view(heads.shape).bfloat16()

"""Each operation in plain torch, float32 throughout: the specification that every other backend is held to.

Knows nothing of speed: weights are dequantised once at load, and one kernel serves any number of rows. Equal rows of
different calls agree to float32 rounding, not to the bit.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels import checks, distribution
from kernels.activations import ACTIVATIONS
from kernels.arrays import name_of
from kernels.experts import norm_experts, normalise
from kernels.formats import PackedWeight, dequantize
from kernels.kv_codes import decode, encode, turn
from kernels.kv_rows import head_dim_of
from kernels.latent import append as append_latent
from kernels.layers import OperationStack
from kernels.logits import row_logprobs
from kernels.ops import AttentionBatch, Backend, DecoderLayer, Experts, LayerStack, Norm, WeightFacts
from kernels.sampling_tensors import SamplingTensors
from kernels.tensors import tensor_of


@dataclass(frozen=True, slots=True)
class ReferenceWeight:
    """matrix: float32 [N, K]."""

    matrix: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        num_rows, num_columns = self.matrix.shape
        return num_rows, num_columns


def rotate(heads: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotary embedding (Su et al. 2021), halves together: heads [M, H, d], cosines and sines [M, d / 2]."""
    a, b = heads.chunk(2, dim=-1)
    cosines, sines = cosines.unsqueeze(1), sines.unsqueeze(1)
    return torch.cat([a * cosines - b * sines, b * cosines + a * sines], dim=-1)


def norm_heads(heads: Tensor, norm: Norm | None) -> Tensor:
    """heads [M, H, d], each by itself where the norm has d weights, all together where it has H * d."""
    if norm is None:
        return heads
    if len(norm.weight) == heads.shape[2]:
        return normalise(heads, norm)
    return normalise(heads.flatten(1), norm).view(heads.shape)


def _normed(x: Tensor, norm: Norm | None) -> Tensor:
    return x.float() if norm is None else normalise(x, norm)


class ReferenceBackend(Backend):
    """See `Backend` for the meaning of each operation."""

    name = "reference"
    wide_rows = None

    def __init__(self, kv_dtype: torch.dtype = torch.float32) -> None:
        """`kv_dtype` is float32 or int8."""
        assert kv_dtype in (torch.float32, torch.int8), kv_dtype
        self.kv_dtype, self.kv_name = kv_dtype, name_of(kv_dtype)

    def computing(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def new_pool(self, *shape: int) -> Tensor:
        return torch.empty(shape, dtype=self.kv_dtype)

    def prepare(self, weight: PackedWeight) -> ReferenceWeight:
        return ReferenceWeight(dequantize(weight))

    def describe(self, weight: PackedWeight) -> WeightFacts:
        return WeightFacts("float32", "float32", "float32", "torch linear")

    def resident_bytes(self, weight: ReferenceWeight) -> int:
        return weight.matrix.nbytes

    def embed(self, table: ReferenceWeight, token_ids: Tensor, scale: float = 1.0) -> Tensor:
        checks.check_embed(token_ids)
        return table.matrix[token_ids] * scale

    def norm_linear(
        self,
        x: Tensor,
        norm: Norm | None,
        weight: ReferenceWeight,
        bias: Tensor | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm, bias, activation)
        y = F.linear(_normed(x, norm), weight.matrix, bias)
        return y if activation is None else ACTIVATIONS[activation](y)

    def grouped_linear(
        self, x: Tensor, weight: ReferenceWeight, num_groups: int, num_narrow_rows: int | None = None
    ) -> Tensor:
        checks.check_grouped(x, *weight.shape, num_groups, num_narrow_rows)
        matrices = weight.matrix.view(num_groups, -1, weight.shape[1])
        parts = x.float().view(len(x), num_groups, weight.shape[1])
        return torch.einsum("mgk,gnk->mgn", parts, matrices).flatten(1)

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
        q, k, v = torch.split(qkv.float().view(len(qkv), -1, head_dim), [heads, kv_heads, kv_heads], dim=1)
        q, k = norm_heads(q, query_norm), norm_heads(k, key_norm)
        if rope_table is not None:
            cosines, sines = rope_table[positions].unbind(dim=1)
            q, k = rotate(q, cosines, sines), rotate(k, cosines, sines)
        blocks, offsets = slots // block_size, slots % block_size
        if self.kv_dtype == torch.int8:
            q, k, v = turn(q), encode(turn(k)), encode(v)
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
        checks.check_batch(batch, key_pool.shape[2])
        heads_per_kv_head = q.shape[1] // key_pool.shape[1]
        outputs = []
        for s, (context, table) in enumerate(zip(batch.context_lengths, batch.block_tables, strict=True)):
            rows = q[batch.query_starts[s] : batch.query_starts[s + 1]].float()
            positions = torch.arange(context - len(rows), context).unsqueeze(1)
            first = 0 if window is None else max(0, int(positions[0]) - window + 1)
            keys, values = (
                self._read(pool[table])
                .transpose(0, 1)
                .flatten(1, 2)[:, first:context]
                .repeat_interleave(heads_per_kv_head, dim=0)
                for pool in (key_pool, value_pool)
            )
            scores = torch.einsum("mhd,hjd->hmj", rows, keys) * scale
            if softcap is not None:
                scores = softcap * torch.tanh(scores / softcap)
            j = torch.arange(first, context)
            is_visible = j <= positions
            if window is not None:
                is_visible &= j > positions - window
            weights = torch.softmax(scores.masked_fill(~is_visible, float("-inf")), dim=-1)
            outputs.append(torch.einsum("hmj,hjd->mhd", weights, values).flatten(1))
        return torch.cat(outputs)

    def _read(self, blocks: Tensor) -> Tensor:
        return decode(blocks) if self.kv_dtype == torch.int8 else blocks

    def linear_add(
        self,
        x: Tensor,
        weight: ReferenceWeight,
        residual: Tensor,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, bias=bias)
        checks.check_residual(x, weight.shape[0], residual, post_norm)
        y = F.linear(x.float(), weight.matrix, bias)
        return residual + (y if post_norm is None else normalise(y, post_norm))

    def norm_gate_up(
        self, x: Tensor, norm: Norm | None, weight: ReferenceWeight, activation: str, num_narrow_rows: int | None = None
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm)
        checks.check_gate_up(weight.shape[0], activation)
        gate, up = F.linear(_normed(x, norm), weight.matrix).chunk(2, dim=1)
        return ACTIVATIONS[activation](gate) * up

    def norm_experts(self, x: Tensor, norm: Norm | None, experts: Experts, post_norm: Norm | None = None) -> Tensor:
        return norm_experts(self, x, norm, experts, post_norm)

    def sample(self, logits: Tensor, params: SamplingTensors) -> Tensor:
        checks.check_sampling(logits, params)
        return tensor_of(distribution.sample(logits, params, is_quick=False))

    def logprobs(self, logits: Tensor, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        checks.check_logprobs(logits, token_id, num_top)
        return row_logprobs(logits, token_id, num_top)

    def copy_blocks(self, source_pool: Tensor, target_pool: Tensor, source: list[int], target: list[int]) -> None:
        checks.check_copy(source_pool, target_pool, source, target)
        target_pool[:, target] = source_pool[:, source]

    def stack_layers(self, table: Any, layers: tuple[DecoderLayer, ...], embedding_scale: float = 1.0) -> LayerStack:
        return OperationStack(self, table, layers, embedding_scale)

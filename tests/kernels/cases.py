"""Inputs that several of the kernels' tests share, and the comparison with the reference."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kernels.formats import PackedWeight, quantize
from kernels.kv_codes import decode, encode
from kernels.ops import AttentionBatch, Norm

FORMATS = [
    (bits, group, has_minimum) for bits in (3, 4, 5, 8) for group in (32, 64, 128) for has_minimum in (False, True)
]


def random_weight(
    num_rows: int, num_columns: int, bits: int = 4, group_size: int = 32, has_minimum: bool = False
) -> PackedWeight:
    """Off centre where there is a minimum, so that a lost minimum shows."""
    weight = torch.randn(num_rows, num_columns) * num_columns**-0.5 + (0.02 if has_minimum else 0.0)
    return quantize(weight, bits, group_size, has_minimum)


def random_norm(size: int) -> Norm:
    return Norm(1 + 0.3 * torch.randn(size), 1e-5)


def random_layer_norm(size: int) -> Norm:
    return Norm(1 + 0.3 * torch.randn(size), 1e-5, torch.randn(size))


def assert_rows_close(actual: Tensor, expected: Tensor, tolerance: float = 0.025) -> None:
    """Every element, measured against its row's magnitude and its own: no bad element can hide in a mean."""
    assert actual.shape == expected.shape
    actual, expected = actual.float().flatten(1), expected.flatten(1)
    allowed = expected.square().mean(dim=1, keepdim=True).sqrt() + expected.abs()
    errors = ((actual - expected).abs() / allowed).nan_to_num(nan=float("inf")).amax(dim=1)
    row, worst = int(errors.argmax()), float(errors.max())
    assert worst < tolerance, f"row {row} is off by {worst:.4f} of its magnitude"


def pool_of(numbers: Tensor, kv_dtype: torch.dtype) -> Tensor:
    """A pool that holds these numbers [..., head_dim]; NaN stays NaN."""
    return encode(numbers.float()) if kv_dtype == torch.int8 else numbers.to(kv_dtype, copy=True)


def numbers_of(pool: Tensor) -> Tensor:
    """What a pool holds, float32 [..., head_dim]."""
    return decode(pool) if pool.dtype == torch.int8 else pool.float()


@dataclass(frozen=True)
class AttentionCase:
    """A ragged batch over pools in bfloat16 that hold NaN wherever no sequence's tokens lie."""

    q: Tensor
    key_pool: Tensor
    value_pool: Tensor
    batch: AttentionBatch

    def pools(self, kv_dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        return pool_of(self.key_pool, kv_dtype), pool_of(self.value_pool, kv_dtype)

    def only(self, sequence: int) -> tuple[Tensor, AttentionBatch]:
        """The rows and the batch of one sequence by itself."""
        first, last = self.batch.query_starts[sequence : sequence + 2]
        batch = AttentionBatch(
            (0, last - first), (self.batch.context_lengths[sequence],), (self.batch.block_tables[sequence],)
        )
        return self.q[first:last], batch


def attention_case(
    sequences: list[tuple[int, int]],
    heads: int = 9,
    kv_heads: int = 3,
    head_dim: int = 64,
    block_size: int = 16,
    window: int | None = None,
) -> AttentionCase:
    """`sequences`: (rows, context length) each; blocks are scattered, and block tables longer than needed.

    With a window, blocks that lie wholly before it are given back: their place in the table is the NaN block 0.
    """
    num_blocks = 1 + sum(-(-context // block_size) + 1 for _, context in sequences)
    free = (1 + torch.randperm(num_blocks - 1)).tolist()
    key_pool = torch.full((num_blocks, kv_heads, block_size, head_dim), float("nan"), dtype=torch.bfloat16)
    value_pool = key_pool.clone()
    starts, tables = [0], []
    for num_rows, context in sequences:
        starts.append(starts[-1] + num_rows)
        table = torch.tensor([free.pop() for _ in range(-(-context // block_size) + 1)])
        first_visible = 0 if window is None else max(0, context - num_rows - window + 1)
        table[: first_visible // block_size] = 0
        positions = torch.arange(first_visible, context)
        blocks, offsets = table[positions // block_size], positions % block_size
        for pool in (key_pool, value_pool):
            pool[blocks, :, offsets] = torch.randn(len(positions), kv_heads, head_dim).bfloat16()
        tables.append(table)
    q = torch.randn(starts[-1], heads, head_dim).bfloat16()
    return AttentionCase(
        q, key_pool, value_pool, AttentionBatch(tuple(starts), tuple(c for _, c in sequences), tuple(tables))
    )

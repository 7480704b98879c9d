"""The matrices of latent attention as files have them, brought to the form in which we keep them.

Files rotate element 2 i with 2 i + 1, and have the parts of a head's key and value that come out of the latent in one
matrix. Knows nothing of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.convert.matrix import ReorderedRows, RowRange, SourceMatrix, StackedRows
from engine.models.names import head_order
from engine.spec import ModelSpec
from kernels.arrays import Array

if TYPE_CHECKING:
    from torch import Tensor


def order_down(spec: ModelSpec, query: SourceMatrix, row: SourceMatrix) -> SourceMatrix:
    """What makes the query, or its latent, above what makes the cache's row [R + P, hidden]."""
    latent = spec.latent
    assert latent is not None
    if latent.q_lora_rank is None:
        query = order_query_up(spec, query)
    return StackedRows([query, ReorderedRows(row, _rotated_last(spec, latent.kv_lora_rank, 1))])


def order_query_up(spec: ModelSpec, matrix: SourceMatrix) -> SourceMatrix:
    """The queries of all heads, [H * (Q + P), columns]."""
    assert spec.latent is not None
    return ReorderedRows(matrix, _rotated_last(spec, spec.latent.qk_nope_head_dim, spec.num_heads))


def cut_up(whole: SourceMatrix, num_heads: int, num_key_rows: int) -> tuple[SourceMatrix, SourceMatrix]:
    """Of [H * (Q + V), R] the key's part, of each head transposed, [H * R, Q]; and the value's, [H * V, R]."""
    num_rows = whole.num_rows // num_heads
    firsts = range(0, whole.num_rows, num_rows)
    values = [RowRange(whole, first + num_key_rows, first + num_rows) for first in firsts]
    return TransposedHeads(whole, num_heads, num_key_rows), StackedRows(values)


class TransposedHeads(SourceMatrix):
    """The first `num_rows_each` rows of each head of another matrix, head by head transposed. Has no codes to keep."""

    def __init__(self, whole: SourceMatrix, num_heads: int, num_rows_each: int) -> None:
        shape = (num_heads * whole.num_columns, num_rows_each)
        super().__init__(whole.name, shape, whole.kind, whole.bits_per_weight)
        self._whole = whole
        self._step = whole.num_rows // num_heads

    def read_values(self, start: int, stop: int) -> Tensor:
        import torch

        size, parts = self._whole.num_columns, []
        for head in range(start // size, -(-stop // size)):
            values = self._whole.read_values(head * self._step, head * self._step + self.num_columns)
            first, last = max(start - head * size, 0), min(stop - head * size, size)
            parts.append(values.T[first:last])
        return torch.cat(parts).contiguous()


def _rotated_last(spec: ModelSpec, num_still: int, num_heads: int) -> Array:
    """For each of our rows of heads whose last elements rotate, the file's row: int64."""
    rotated = [num_still + row for row in head_order(spec, is_interleaved=True)]
    head = np.array([*range(num_still), *rotated], np.int64)
    return (np.arange(num_heads)[:, None] * len(head) + head).ravel()

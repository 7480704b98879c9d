"""Rows gathered from a packed table: the Python face of src/embed.c. Knows nothing of what the rows mean."""

from __future__ import annotations

import ctypes

import torch
from torch import Tensor

from kernels.cpu.library import EmbeddingStruct
from kernels.cpu.pool import Pool
from kernels.cpu.weights import NativeWeight


class Embedding:
    """`y[i] = scale * table[token_ids[i]]`, float32. For one thread at a time."""

    def __init__(self, table: NativeWeight, scale: float = 1.0) -> None:
        self._table = table  # the struct has only its address
        self.struct = EmbeddingStruct(table=ctypes.pointer(table.struct), scale=scale)

    def bind(self, token_ids: Tensor, y: int) -> None:
        """The next call: token_ids int64 [M], contiguous, which must live until then; y the address of [M, K].

        Raises IndexError for an id outside the table.
        """
        num_rows, _ = self._table.shape
        if token_ids.numel():
            lowest, highest = (int(bound) for bound in token_ids.aminmax())
            if lowest < 0 or highest >= num_rows:
                raise IndexError(f"token ids go from {lowest} to {highest}, the table has {num_rows} rows")
        struct = self.struct
        struct.token_ids, struct.num_tokens, struct.y = token_ids.data_ptr(), token_ids.numel(), y

    def __call__(self, token_ids: Tensor, pool: Pool) -> Tensor:
        """A new tensor [M, K]."""
        y = torch.empty(token_ids.numel(), self._table.shape[1])
        self.bind(token_ids, y.data_ptr())
        pool.library.di_embed(pool.handle, self.struct)
        return y

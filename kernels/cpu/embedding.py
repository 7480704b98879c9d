"""Rows gathered from a packed table: the Python face of src/embed.c. Knows nothing of what the rows mean."""

from __future__ import annotations

import ctypes

from kernels.arrays import Array, address, empty
from kernels.cpu.library import EmbeddingStruct
from kernels.cpu.pool import Pool
from kernels.cpu.weights import NativeWeight


class Embedding:
    """`y[i] = scale * table[token_ids[i]]`, float32. For one thread at a time."""

    def __init__(self, table: NativeWeight, scale: float = 1.0) -> None:
        self._table = table  # the struct has only its address
        self.struct = EmbeddingStruct(table=ctypes.pointer(table.struct), scale=scale)

    def bind(self, token_ids: Array, y: int) -> None:
        """The next call: token_ids int64 [M], contiguous, which must live until then; y the address of [M, K].

        Raises IndexError for an id outside the table.
        """
        num_rows, _ = self._table.shape
        if token_ids.size:
            lowest, highest = int(token_ids.min()), int(token_ids.max())
            if lowest < 0 or highest >= num_rows:
                raise IndexError(f"token ids go from {lowest} to {highest}, the table has {num_rows} rows")
        struct = self.struct
        struct.token_ids, struct.num_tokens, struct.y = address(token_ids), token_ids.size, y

    def __call__(self, token_ids: Array, pool: Pool) -> Array:
        """A new array [M, K]."""
        y = empty(token_ids.size, self._table.shape[1])
        self.bind(token_ids, address(y))
        pool.library.di_embed(pool.handle, self.struct)
        return y

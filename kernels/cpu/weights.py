"""How the native backend holds a weight: repacked into blocks of eight rows, see src/weight.h for the picture.

Knows nothing of layers, norms or attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kernels.cpu.library import WeightStruct
from kernels.cpu.pool import Pool
from kernels.formats import PackedWeight

_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class NativeWeight:
    """A weight [N, K]; `struct` points into `data` (uint8). Nothing of the plain layout is kept."""

    struct: WeightStruct
    data: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        return self.struct.num_rows, self.struct.num_columns

    @property
    def size_bytes(self) -> int:
        return self.data.nbytes


def pack(weight: PackedWeight, pool: Pool) -> NativeWeight:
    """Repack the plain layout, with all workers of the pool."""
    struct = WeightStruct(
        None, weight.num_rows, weight.num_columns, weight.bits, weight.group_size, weight.minimum is not None
    )
    num_bytes = pool.library.di_weight_bytes(struct)
    memory = torch.empty(num_bytes + _ALIGNMENT, dtype=torch.uint8)
    shift = -memory.data_ptr() % _ALIGNMENT
    data = memory[shift : shift + num_bytes]
    struct.data = data.data_ptr()
    codes, scale = weight.codes.contiguous(), weight.scale.contiguous()
    minimum = None if weight.minimum is None else weight.minimum.contiguous()
    pool.library.di_repack(
        pool.handle, struct, codes.data_ptr(), scale.data_ptr(), None if minimum is None else minimum.data_ptr()
    )
    return NativeWeight(struct, data)

"""How the native backend holds a weight: repacked into blocks of eight rows, see src/weight.h for the picture.

Knows nothing of layers, norms or attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.arrays import address, empty, host
from kernels.cpu.library import WeightStruct
from kernels.cpu.pool import Pool
from kernels.ops import PreparedLayout
from kernels.packed_weight import PackedWeight

_ALIGNMENT = 64
BLOCK_ROWS = 8
"""DI_BLOCK_ROWS of src/weight.h."""


@dataclass(frozen=True, slots=True)
class NativeWeight:
    """A weight [N, K]; `struct` points into `data` (uint8), which may be read-only. Nothing else is kept."""

    struct: WeightStruct
    data: NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, int]:
        return self.struct.num_rows, self.struct.num_columns

    @property
    def size_bytes(self) -> int:
        return self.data.nbytes


def pack(weight: PackedWeight, pool: Pool) -> NativeWeight:
    """Repack the plain layout, with all workers of the pool."""
    struct = _form(weight)
    num_bytes = pool.library.di_weight_bytes(struct)
    native = _placed(struct, empty(num_bytes, dtype=np.uint8))
    codes, scale = (np.ascontiguousarray(host(part)) for part in (weight.codes, weight.scale))
    minimum = None if weight.minimum is None else np.ascontiguousarray(host(weight.minimum))
    pool.library.di_repack(
        pool.handle, struct, address(codes), address(scale), None if minimum is None else address(minimum)
    )
    return native


def rows_of(weight: NativeWeight, first: int, last: int, pool: Pool) -> tuple[NativeWeight, int]:
    """Whole blocks that hold the rows first to last, on the same bytes; and how many rows of them come before."""
    start, stop = first // BLOCK_ROWS, -(-last // BLOCK_ROWS)
    whole = weight.struct
    form = (whole.num_columns, whole.bits, whole.group_size, whole.has_minimum)
    block_bytes = int(pool.library.di_weight_bytes(WeightStruct(None, BLOCK_ROWS, *form)))
    part = WeightStruct(None, (stop - start) * BLOCK_ROWS, *form)
    data = weight.data[start * block_bytes : stop * block_bytes]
    part.data = address(data)
    return NativeWeight(part, data), first - start * BLOCK_ROWS


class NativeLayout(PreparedLayout):
    """See src/weight.h; the same for every variant of the kernels and every processor."""

    name = "cpu blocks of 8 rows, 1"

    def __init__(self, pool: Pool) -> None:
        self._library = pool.library

    def size_bytes(self, weight: PackedWeight) -> int:
        return int(self._library.di_weight_bytes(_form(weight)))

    def data(self, prepared: NativeWeight) -> memoryview:
        return prepared.data.data

    def adopt(self, weight: PackedWeight, data: memoryview) -> NativeWeight:
        return _placed(_form(weight), np.frombuffer(data, np.uint8))


def _form(weight: PackedWeight) -> WeightStruct:
    """Without data yet."""
    has_minimum = weight.minimum is not None
    return WeightStruct(None, weight.num_rows, weight.num_columns, weight.bits, weight.group_size, has_minimum)


def _placed(struct: WeightStruct, data: NDArray[np.uint8]) -> NativeWeight:
    assert address(data) % _ALIGNMENT == 0, address(data)
    struct.data = address(data)
    return NativeWeight(struct, data)

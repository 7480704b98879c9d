"""Products with small float32 matrices on the pool's threads: the Python face of src/dense.h.

torch's own would wake threads of its own between two native operations, which then wait for the same cores. Checks
nothing: callers do (kernels/checks.py).
"""

from __future__ import annotations

import ctypes

from kernels.arrays import Array, address, empty
from kernels.cpu.pool import Pool
from kernels.cpu.structs import Dense


def dense(x: Array, matrix: Array, pool: Pool) -> Array:
    """x float32 [M, K] by matrix float32 [N, K]: a new array [M, N]. A row has the same bits in any company."""
    y = empty(len(x), len(matrix))
    call = Dense(len(x), matrix.shape[1], len(matrix), address(x), address(matrix), address(y))
    pool.library.di_dense_run(pool.handle, ctypes.addressof(call))
    return y

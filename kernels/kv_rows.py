"""How keys and values lie in a pool of eight-bit codes: one row of a head is its codes and the scale that they share.

    int8 [head_dim + 4]:  | codes in [-127, 127] | scale, float32 |      x = scale * code, scale = max |x| / 127

A pool of any other dtype holds rows of head_dim numbers. How numbers become codes: kernels/kv_codes.py. Knows nothing
of blocks.
"""

from __future__ import annotations

from kernels.arrays import Array, dtype_name, name_of

SCALE_BYTES = 4


def scale_bytes(kv_dtype: object) -> int:
    """What a row takes beside its numbers."""
    return SCALE_BYTES if name_of(kv_dtype) == "int8" else 0


def row_width(kv_dtype: object, head_dim: int) -> int:
    """Elements of a pool's last dimension."""
    return head_dim + scale_bytes(kv_dtype)


def head_dim_of(pool: Array) -> int:
    return int(pool.shape[-1]) - (SCALE_BYTES if dtype_name(pool) == "int8" else 0)

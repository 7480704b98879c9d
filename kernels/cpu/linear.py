"""The linear operations on native weights: the Python face of src/linear.h.

An operation is built once for a layer and called with arrays, or bound to buffers once and run many times. Knows
nothing of sequences, and checks nothing: callers do (kernels/checks.py).
"""

from __future__ import annotations

import ctypes

import numpy as np

from kernels.arrays import Array, address, empty
from kernels.cpu.library import LinearStruct
from kernels.cpu.pool import Pool
from kernels.cpu.weights import BLOCK_ROWS, NativeWeight, rows_of
from kernels.ops import Norm

ACTIVATIONS = {"silu": 1, "gelu_tanh": 2, "gelu": 3}


class Linear:
    """`y = linear(x or norm(x), weight) + bias + residual`, and its forms; all float32, rows contiguous.

    With `activation`, `y = activation(linear(x) + bias)`; if it `is_gated` as well, the weight is gate above up and
    `y = activation(gate) * up`. With `post_norm`, `y = residual + rms_norm(linear(x) + bias)`.
    For one thread at a time.
    """

    def __init__(
        self,
        weight: NativeWeight,
        norm: Norm | None = None,
        bias: Array | None = None,
        post_norm: Norm | None = None,
        activation: str | None = None,
        is_gated: bool = False,
    ) -> None:
        self._held = (weight, norm, bias, post_norm)  # the struct has only their addresses
        num_rows, self._num_columns = weight.shape
        self.num_outputs = num_rows // 2 if is_gated else num_rows
        self.struct = LinearStruct(
            weight=ctypes.pointer(weight.struct),
            norm=None if norm is None else address(norm.weight),
            norm_bias=None if norm is None or norm.bias is None else address(norm.bias),
            bias=None if bias is None else address(bias),
            post_norm=None if post_norm is None else address(post_norm.weight),
            norm_eps=0.0 if norm is None else norm.eps,
            post_norm_eps=0.0 if post_norm is None else post_norm.eps,
            activation=0 if activation is None else ACTIVATIONS[activation],
            is_gated=is_gated,
        )
        self.has_post_norm = post_norm is not None

    def bind(self, num_rows: int, x: int, y: int, residual: int | None = None) -> None:
        """The addresses of the next call: x [num_rows, K], y and residual [num_rows, num_outputs]; y may be the
        residual."""
        struct = self.struct
        struct.num_rows, struct.x, struct.y, struct.residual = num_rows, x, y, residual

    def __call__(self, x: Array, pool: Pool, residual: Array | None = None) -> Array:
        """x [M, K] to a new array [M, num_outputs]."""
        y = empty(x.shape[0], self.num_outputs)
        self.bind(x.shape[0], address(x), address(y), None if residual is None else address(residual))
        self.run(pool)
        return y

    def run(self, pool: Pool) -> None:
        """The call that was bound. Raises MemoryError."""
        if pool.library.di_linear_run(pool.handle, pool.scratch, self.struct) != 0:
            raise MemoryError(f"no memory for {self.struct.num_rows} rows of {self._num_columns} columns")


def grouped(x: Array, weight: NativeWeight, num_groups: int, pool: Pool) -> Array:
    """Each part of a row by its own rows of the weight [G * N, K]: x float32 [M, G * K] to [M, G * N]."""
    num_rows, num_outputs = len(x), weight.shape[0] // num_groups
    y = empty(num_rows, weight.shape[0])
    if num_outputs % BLOCK_ROWS == 0:
        call = (pool.handle, pool.scratch, weight.struct, num_groups, num_rows, address(x), address(y))
        if pool.library.di_grouped_linear_run(*call) != 0:
            raise MemoryError(f"no memory for {num_rows} rows of {num_groups} groups")
        return y
    for group, part in enumerate(np.split(x, num_groups, axis=1)):
        first = group * num_outputs
        rows, skipped = rows_of(weight, first, first + num_outputs, pool)
        y[:, first : first + num_outputs] = Linear(rows)(np.ascontiguousarray(part), pool)[
            :, skipped : skipped + num_outputs
        ]
    return y

"""What the native kernels' tests share: pools, the error that int8 activations may cost, and the formula in torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kernels.cpu import linear as native_linear
from kernels.cpu.backend import CpuBackend
from kernels.cpu.library import shared
from kernels.cpu.pool import Pool
from kernels.cpu.weights import NativeWeight
from kernels.faces import TensorFace
from kernels.formats import PackedWeight, dequantize
from kernels.tensors import array_of, arrays_of, tensor_of

RUN = 32
SIGMAS = 6.0


def runnable_variants() -> list[str]:
    """The names of the variants that this processor runs. Raises if the native kernels are not built."""
    library = shared()
    best = library.di_variant()
    names = ("avx2", "avxvnni", "avx512vnni", "avx512bf16", "neon", "neondot")
    runnable = [name for name in names if library.di_choose_variant(name.encode())]
    library.di_choose_variant(best)
    return runnable


def quantised(x: Tensor) -> tuple[Tensor, Tensor]:
    """x [M, K] as the kernels see it, code * scale, and the scales [M, K / 32]: max |x| / 127 of 32 columns."""
    runs = x.float().view(len(x), -1, RUN)
    largest = runs.abs().amax(dim=2, keepdim=True)
    codes = torch.where(largest > 0, runs * (127 / largest), 0.0).round()
    scale = largest / 127
    return (codes * scale).view(x.shape), scale.squeeze(2)


def rounding_bound(x: Tensor, weight: PackedWeight) -> Tensor:
    """How far a result [M, N] may be off because of the rounding of x (after its norm) to int8.

    The rounding of an element is uniform in +-scale / 2, of variance scale**2 / 12, and those of a row of x are
    independent: the error's variance is the sum of scale**2 / 12 * w**2. `SIGMAS` of them, and float32's own rounding.
    """
    _, scale = quantised(x)
    w = dequantize(weight)
    squares = w.square().view(len(w), -1, RUN).sum(dim=2)
    sigma = (scale.square() / 12 @ squares.t()).sqrt()
    float32 = x.abs() @ w.abs().t() * 2.0**-20
    return SIGMAS * sigma + float32


def assert_within(actual: Tensor, expected: Tensor, bound: Tensor) -> None:
    """Element by element; a NaN where none is due is as wrong as can be."""
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    excess = ((actual - expected).abs() / bound.clamp(min=1e-30)).nan_to_num(nan=float("inf"))
    worst = int(excess.argmax())
    assert float(excess.max()) <= 1, (
        f"element {divmod(worst, actual.shape[1])} is {actual.flatten()[worst]}, must be {expected.flatten()[worst]} "
        f"to {bound.flatten()[worst]}"
    )


class Linear(native_linear.Linear):
    """The native operation on tensors."""

    def __init__(self, weight: NativeWeight, *told: Any, **named: Any) -> None:
        super().__init__(weight, *arrays_of(told), **{name: arrays_of(each) for name, each in named.items()})

    def __call__(self, x: Tensor, pool: Pool, residual: Tensor | None = None) -> Tensor:  # type: ignore[override]
        return tensor_of(super().__call__(array_of(x), pool, arrays_of(residual)))


def native_backend(num_threads: int | None = None, kv_dtype: torch.dtype = torch.float16) -> TensorFace:
    """The native operations on tensors."""
    return TensorFace(CpuBackend(num_threads, str(kv_dtype).removeprefix("torch.")))

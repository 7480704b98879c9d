"""What the inputs of a matrix are like: their second moments, and how an error in one column is made good in others.

Knows nothing of weights and of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

_MAX_BLOCK = 5120
"""Columns whose moments are held together; a block takes twice its square in float32."""
_TILE = 1024
_DAMPING = 0.01
"""Of the mean moment, added to each: a short text leaves some directions unseen."""


@dataclass(frozen=True, slots=True)
class Compensation:
    """For the columns from `first` on. `order`: int64 [K], most important first, counted from `first`.

    `upper`: float32 [K, K] in that order, the upper Cholesky factor of the inverse moments; the rounding error e of
    column i, divided by upper[i, i], times upper[i, j] is what column j must take back (Frantar et al. 2022, eq. 3).
    `importance`: float32 [K] in the columns' own order, the mean square of each input.
    """

    first: int
    order: Tensor
    upper: Tensor
    importance: Tensor

    @property
    def num_columns(self) -> int:
        return len(self.order)


class InputMoments:
    """Sums of x[i] * x[j] over rows x, for i and j of one block of columns; blocks are of equal size and aligned."""

    def __init__(self, num_columns: int, alignment: int, max_block: int = _MAX_BLOCK) -> None:
        assert num_columns % alignment == 0, (num_columns, alignment)
        num_units = num_columns // alignment
        num_blocks = min(num_units, -(-num_columns // max_block))
        bounds = [num_units * index // num_blocks * alignment for index in range(num_blocks + 1)]
        self._ranges = list(pairwise(bounds))
        self._sums = [torch.zeros(stop - start, stop - start) for start, stop in self._ranges]
        self._num_rows = 0

    def add(self, x: Tensor) -> None:
        """Count in the rows of x, float32 [M, K]."""
        self._num_rows += len(x)
        for (start, stop), total in zip(self._ranges, self._sums, strict=True):
            part = x[:, start:stop]
            for low, high in _tiles(len(total)):
                total[low:high, low:].addmm_(part[:, low:high].T, part[:, low:])

    def take_compensations(self) -> list[Compensation]:
        """One for each block. The sums are given up on the way, to hold no more than two squares at once."""
        return [_compensation(start, self._take_first()) for start, _ in self._ranges]

    def _take_first(self) -> Tensor:
        """The mean moments of the first block that is left; nothing here refers to them any more."""
        total = self._sums.pop(0).div_(max(self._num_rows, 1))
        for low, high in _tiles(len(total)):
            total[high:, low:high] = total[low:high, high:].T
        return total


def _tiles(size: int) -> Iterator[tuple[int, int]]:
    """Only what lies on and above the diagonal tiles is summed up: the moments are symmetric."""
    for low in range(0, size, _TILE):
        yield low, min(low + _TILE, size)


def _compensation(first: int, moments: Tensor) -> Compensation:
    if not bool(torch.isfinite(moments.sum())):
        # What overflows on the way tells nothing: every input counts alike.
        moments = torch.eye(len(moments))
    importance = moments.diagonal().clone()
    mean = float(importance.mean()) or 1.0
    order = importance.argsort(descending=True, stable=True)
    damping = _DAMPING
    while True:
        lower, failed = _reversed_factor(moments, order, damping * mean)
        if not failed:
            break
        damping *= 10
    del moments
    # The inverse of the lower factor in reversed order is the wanted upper factor, turned by half.
    identity = torch.eye(len(lower))
    inverse = torch.linalg.solve_triangular(lower, identity, upper=False, out=identity)
    del lower
    return Compensation(first, order, inverse.flip(0, 1), importance.clamp_min(mean * 1e-6))


def _reversed_factor(moments: Tensor, order: Tensor, damping: float) -> tuple[Tensor, bool]:
    """Lower Cholesky factor of the damped moments, least important column first, and whether there is none."""
    back = order.flip(0)
    matrix = moments[back.unsqueeze(1), back]
    matrix.diagonal().add_(damping)
    info = torch.empty((), dtype=torch.int32)
    torch.linalg.cholesky_ex(matrix, out=(matrix, info))
    return matrix, int(info) > 0

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
"""Columns whose moments are held together: 100 MiB. No second square of that size is ever made."""
_TILE = 256
"""Columns of the inputs that are float32 at once."""
_PIECE_ROWS = 1024
_MAX_ROW_NORM = 4.0
"""Times the median: no row counts for more."""
_DAMPING = 0.01
"""Of the mean moment, added to each: a short text leaves some directions unseen."""


@dataclass(frozen=True, slots=True)
class Compensation:
    """For the columns from `first` on. `order`: int64 [K], most important first, counted from `first`.

    `upper`: float32 [K, K] in that order, the upper Cholesky factor of the inverse moments; the rounding error e of
    column i, divided by upper[i, i], times upper[i, j] is what column j must take back (Frantar et al. 2022, eq. 3).
    `importance`: float32 [K] in the columns' own order, the mean square of each input. `confidence`: the share of the
    correlations that is not taken for chance; zero where nothing is known.
    """

    first: int
    order: Tensor
    upper: Tensor
    importance: Tensor
    confidence: float

    @property
    def num_columns(self) -> int:
        return len(self.order)


def find_compensations(x: Tensor, alignment: int, max_block: int = _MAX_BLOCK) -> Iterator[Compensation]:
    """One for each block of columns of the inputs x, float32 or bfloat16 [M, K]; blocks are of like size, aligned."""
    num_units = x.shape[1] // alignment
    assert num_units * alignment == x.shape[1], (x.shape[1], alignment)
    num_blocks = min(num_units, -(-x.shape[1] // max_block))
    bounds = [num_units * index // num_blocks * alignment for index in range(num_blocks + 1)]
    for start, stop in pairwise(bounds):
        yield _compensation(start, x[:, start:stop])


def _compensation(first: int, x: Tensor) -> Compensation:
    shares = row_shares(x)
    importance = torch.cat([shares.square() @ x[:, low:high].float().square() for low, high in _tiles(x.shape[1])])
    if not bool(torch.isfinite(importance.sum())):
        # What overflows on the way tells nothing: every input counts alike.
        ones = torch.ones(x.shape[1])
        return Compensation(first, torch.arange(x.shape[1]), torch.diag(ones), ones, 0.0)
    mean = float(importance.mean()) or 1.0
    order = importance.argsort(descending=True, stable=True)
    damping = _DAMPING
    # The factor of the inverse is the inverse factor: in reversed order, and turned by half.
    while not _factorize(matrix := _moments(x, shares, order.flip(0), damping * mean)):
        damping *= 10
    _invert(matrix)
    _turn(matrix)
    return Compensation(first, order, matrix, importance.clamp_min(mean * 1e-6), _confidence(x))


def _tiles(size: int) -> list[tuple[int, int]]:
    return [(low, min(low + _TILE, size)) for low in range(0, size, _TILE)]


def row_shares(x: Tensor) -> Tensor:
    """What the rows are multiplied by, float32 [M]: the mean of their squares is that of what they count.

    A text's first token has activations up to thousands of times as large as all others. Unbounded it alone would
    say what counts, and the damping, a share of the mean, would hide every other direction.
    """
    return row_bounds(x) / len(x) ** 0.5


def row_bounds(x: Tensor) -> Tensor:
    """What brings rows that are far larger than most down to a bound; 1 for all others. float32 [M]."""
    # In pieces: all rows at once as float32 would be larger than the moments.
    norms = torch.cat([torch.linalg.vector_norm(rows.float(), dim=1) for rows in torch.split(x, _PIECE_ROWS)])
    bound = _MAX_ROW_NORM * norms.median()
    return (bound / norms.clamp_min(bound)).nan_to_num(1.0)


def _moments(x: Tensor, shares: Tensor, order: Tensor, damping: float) -> Tensor:
    """Sum of x[order[i]] * x[order[j]] over the rows, weighted by their shares, and the damping: float32 [K, K].

    In the tiles on and below the diagonal; zero elsewhere. Off the diagonal they are shrunk (as Ledoit and Wolf 2004
    do): of M rows in K columns the share K / (M + K) is taken for chance. Without that, where rows are no more than
    columns, other texts would get worse results than from the nearest codes.
    """
    weights = shares.square().unsqueeze(1) * _confidence(x)
    matrix = torch.zeros(len(order), len(order))
    for low, high in _tiles(len(order)):
        column = x[:, order[low:high]].float().mul_(weights)
        for start, stop in _tiles(len(order)):
            if start >= low:
                matrix[start:stop, low:high] = x[:, order[start:stop]].float().T @ column
    matrix.diagonal().div_(_confidence(x)).add_(damping)
    return matrix


def _confidence(x: Tensor) -> float:
    return len(x) / (len(x) + x.shape[1])


def _factorize(matrix: Tensor) -> bool:
    """Put the lower Cholesky factor in place of the lower triangle; False if there is none."""
    size = len(matrix)
    for low, high in _tiles(size):
        factor, info = torch.linalg.cholesky_ex(matrix[low:high, low:high])
        if int(info) > 0:
            return False
        matrix[low:high, low:high] = factor
        below = torch.linalg.solve_triangular(factor.T, matrix[high:, low:high], upper=True, left=False)
        matrix[high:, low:high] = below
        for start, stop in ((start + high, stop + high) for start, stop in _tiles(size - high)):
            matrix[start:, start:stop].addmm_(below[start - high :], below[start - high : stop - high].T, alpha=-1)
    return True


def _invert(lower: Tensor) -> None:
    """Put the inverse of a lower triangular matrix in its place, from the last columns to the first."""
    for low, high in reversed(_tiles(len(lower))):
        inverse = torch.linalg.solve_triangular(lower[low:high, low:high], torch.eye(high - low), upper=False)
        lower[high:, low:high] = -(lower[high:, high:] @ lower[high:, low:high]) @ inverse
        lower[low:high, low:high] = inverse


def _turn(matrix: Tensor) -> None:
    """Turn it by half in its place: the last row, backwards, becomes the first."""
    size, middle = len(matrix), (len(matrix) + 1) // 2
    for low, high in _tiles(middle):
        top, bottom = matrix[low:high].flip(0, 1), matrix[size - high : size - low].flip(0, 1)
        matrix[size - high : size - low] = top
        matrix[low:high] = bottom

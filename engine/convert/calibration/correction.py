"""What weights must be so that inputs that earlier codes have changed still give the source's products.

After the asymmetric calibration of Li et al. 2025 (GPTAQ, arXiv:2504.02692), as a ridge regression before the weights
are rounded: W' = W + (Y - W X') X'^T (X' X'^T + ridge)^-1, for inputs X' of the quantised model. Y is W X for the
source's inputs X; where products go into the residual stream, Y makes the sum the source's.
Knows nothing of codes and of how layers are computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.convert.calibration.moments import Compensation, row_bounds, row_shares

_PIECE_ROWS = 512
"""Rows that are float32 at once."""
_STEP = 0.8
"""Of the correction: what fits one text is too much for another."""


@dataclass(slots=True)
class Wanted:
    """What a matrix does in the source, bfloat16: its inputs [M, K], or the residual stream after it [M, N]."""

    inputs: Tensor | None = None
    sums: Tensor | None = None

    def forget(self) -> None:
        self.inputs = self.sums = None


class Correction:
    """For inputs x [M, K] of the quantised model whose moments gave `compensation`, all columns in one."""

    def __init__(self, x: Tensor, residual: Tensor | None, wanted: Wanted, compensation: Compensation) -> None:
        assert len(compensation.order) == x.shape[1], (len(compensation.order), x.shape[1])
        self._x = x
        self._residual = residual
        self._sums = wanted.sums
        self._part = compensation
        self._weights = row_shares(x).square().unsqueeze(1) * compensation.confidence * _STEP
        if residual is not None:
            # A few rows of the stream are a thousand times as large as the others, and so are their errors.
            self._weights *= row_bounds(residual).unsqueeze(1)
        self._change = None if wanted.inputs is None else self._summed(wanted.inputs)

    def corrected(self, weight: Tensor, start: int) -> Tensor:
        """The weights [N', K] float32 of the matrix' rows from `start` on, corrected."""
        order, upper = self._part.order, self._part.upper
        missing = (weight @ self._change if self._change is not None else self._missing(weight, start))[:, order]
        # The moments' inverse is upper^T upper; they count the ridge in.
        change = torch.empty_like(weight)
        change[:, order] = missing @ upper.T @ upper
        return change.add_(weight)

    def _summed(self, inputs: Tensor) -> Tensor:
        """Sum of (x of the source - x)^T x over the rows: [K, K]."""
        total = torch.zeros(inputs.shape[1], inputs.shape[1])
        for low in range(0, len(inputs), _PIECE_ROWS):
            span = slice(low, low + _PIECE_ROWS)
            x = self._x[span].float()
            total.addmm_((inputs[span].float() - x).T, x * self._weights[span])
        return total

    def _missing(self, weight: Tensor, start: int) -> Tensor:
        """Sum of (stream of the source - residual - product)^T x over the rows: [N', K]."""
        assert self._sums is not None
        assert self._residual is not None
        total, columns = torch.zeros_like(weight), slice(start, start + len(weight))
        for low in range(0, len(self._x), _PIECE_ROWS):
            span = slice(low, low + _PIECE_ROWS)
            x = self._x[span].float()
            missing = self._sums[span, columns].float() - self._residual[span, columns] - x @ weight.T
            total.addmm_((missing * self._weights[span]).T, x)
        return total


def find_correction(
    x: Tensor, residual: Tensor | None, wanted: Wanted, compensations: list[Compensation]
) -> Correction | None:
    """`residual`: what the products are added to, float32 [M, N].

    None where nothing is known to aim at, or not how all columns go together.
    """
    is_empty = wanted.inputs is None and wanted.sums is None
    if is_empty or len(compensations) > 1 or compensations[0].confidence == 0:
        return None
    return Correction(x, residual, wanted, compensations[0])

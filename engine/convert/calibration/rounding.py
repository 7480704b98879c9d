"""Codes for the rows of a matrix, chosen so that its products, not its weights, come close to what they were.

GPTQ (Frantar et al. 2022, arXiv:2210.17323) with the columns taken in the order of their inputs' size and with scales
that are fixed beforehand, so that groups stay plain. Knows nothing of models and texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.convert.calibration.moments import Compensation
from kernels.formats import FormatError, PackedWeight, pack_codes

_LAZY_COLUMNS = 128
"""Columns whose corrections reach the later ones in a single product."""
_NUM_REFITS = 3
_SHRINKS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)
"""Ranges that are tried for a group, relative to that of its weights."""


def round_compensated(
    weight: Tensor, compensations: Sequence[Compensation], bits: int, group_size: int, has_minimum: bool
) -> PackedWeight:
    """float32 [N, K] to codes; the compensations cover all K columns, each a whole number of groups.

    Raises `FormatError` for weights that are not finite or too large for a float16 scale.
    """
    importance = torch.cat([part.importance for part in compensations])
    scale, minimum = _fit(weight, importance, bits, group_size, has_minimum)
    step = scale.float()
    low = minimum.float() if minimum is not None else step * -(1 << (bits - 1))
    codes = torch.empty(weight.shape, dtype=torch.uint8)
    for part in compensations:
        columns = slice(part.first, part.first + part.num_columns)
        groups = slice(columns.start // group_size, columns.stop // group_size)
        codes[:, columns] = _round(weight[:, columns], part, step[:, groups], low[:, groups], (1 << bits) - 1)
    return PackedWeight(pack_codes(codes, bits), scale, minimum, bits, group_size)


def _fit(
    weight: Tensor, importance: Tensor, bits: int, group_size: int, has_minimum: bool
) -> tuple[Tensor, Tensor | None]:
    """Scales and minima, float16 [N, G], whose rounded weights differ least, each weight counting as its input does.

    The best of some shrunken ranges, then, with the codes that it gives, least squares; as often as that helps.
    """
    fit = _Fit(weight.view(len(weight), -1, group_size), importance.view(-1, group_size), (1 << bits) - 1)
    groups, middle = fit.groups, 1 << (bits - 1)
    low, high = groups.aminmax(dim=2)
    extreme = groups.gather(2, groups.abs().argmax(dim=2, keepdim=True)).squeeze(2)
    for shrink in _SHRINKS:
        if has_minimum:
            fit.offer((high - low) * shrink / fit.top, low * shrink)
        else:
            fit.offer_symmetric(extreme * shrink / -middle, middle)
    for _ in range(_NUM_REFITS if has_minimum else 0):
        fit.offer(*fit.least_squares())
    # A scale of no finite loss is never taken: where none was, the loss is as it was.
    if not bool(torch.isfinite(fit.loss).all()):
        raise FormatError("the weights hold values that are not finite or too large for a float16 scale")
    return fit.scale, fit.minimum if has_minimum else None


class _Fit:
    """The best scale and minimum so far, float16 [N, G]. groups: float32 [N, G, group]; codes go up to `top`."""

    def __init__(self, groups: Tensor, importance: Tensor, top: int) -> None:
        self.groups = groups
        self.top = top
        self.loss = torch.full(groups.shape[:2], torch.inf)
        self.scale, self.minimum = (torch.zeros(groups.shape[:2], dtype=torch.float16) for _ in range(2))
        self._importance = importance

    def offer(self, scale: Tensor, minimum: Tensor) -> None:
        """Take them where their loss is smaller."""
        scale, minimum = scale.half(), minimum.half()
        step, offset = scale.float().unsqueeze(2), minimum.float().unsqueeze(2)
        error = self._codes(step, offset).mul_(step).add_(offset).sub_(self.groups)
        loss = error.square_().mul_(self._importance).sum(dim=2)
        is_better = loss < self.loss
        self.loss = torch.where(is_better, loss, self.loss)
        self.scale = torch.where(is_better, scale, self.scale)
        self.minimum = torch.where(is_better, minimum, self.minimum)

    def offer_symmetric(self, scale: Tensor, middle: int) -> None:
        """The code `middle` is zero, exactly."""
        scale = scale.half()
        self.offer(scale, scale.float() * -middle)

    def least_squares(self) -> tuple[Tensor, Tensor]:
        """What suits the codes of the best so far: the weighted regression of weights on codes."""
        codes = self._codes(self.scale.float().unsqueeze(2), self.minimum.float().unsqueeze(2))
        total = self._importance.sum(dim=1)
        weighted = codes * self._importance
        mean_code = weighted.sum(dim=2) / total
        mean = (self.groups * self._importance).sum(dim=2) / total
        variance = (weighted * codes).sum(dim=2) / total - mean_code.square()
        covariance = (weighted * self.groups).sum(dim=2) / total - mean_code * mean
        scale = torch.where(variance > 1e-3, covariance / variance.clamp_min(1e-3), self.scale.float())
        return scale, mean - scale * mean_code

    def _codes(self, step: Tensor, offset: Tensor) -> Tensor:
        return (self.groups - offset).mul_(_inverse(step)).round_().clamp_(0, self.top)


def _inverse(step: Tensor) -> Tensor:
    """0 where there is no step: such a group has one value."""
    return torch.where(step == 0, 0.0, 1 / step)


def _round(weight: Tensor, part: Compensation, step: Tensor, low: Tensor, top: int) -> Tensor:
    """uint8 [N, K] for the columns [N, K] of one compensation. `step` and `low`: float32 [N, groups]."""
    group_size = weight.shape[1] // step.shape[1]
    order, upper = part.order, part.upper
    # Columns lie in rows, in the order in which they are rounded.
    left = weight.T[order].contiguous()
    steps, inverses, lows = step.T.contiguous(), _inverse(step).T.contiguous(), low.T.contiguous()
    groups, pivots = (order // group_size).tolist(), upper.diagonal().tolist()
    codes = torch.empty(left.shape, dtype=torch.uint8)
    num_columns = len(order)
    errors = torch.empty(min(_LAZY_COLUMNS, num_columns), left.shape[1])
    for start in range(0, num_columns, _LAZY_COLUMNS):
        stop = min(start + _LAZY_COLUMNS, num_columns)
        for i in range(start, stop):
            group, column = groups[i], left[i]
            code = (column - lows[group]).mul_(inverses[group]).round_().clamp_(0, top)
            codes[i] = code
            error = (column - code.mul_(steps[group]).add_(lows[group])).div_(pivots[i])
            errors[i - start] = error
            left[i + 1 : stop].addr_(upper[i, i + 1 : stop], error, alpha=-1)
        left[stop:].addmm_(upper[start:stop, stop:].T, errors[: stop - start], alpha=-1)
    unordered = torch.empty_like(codes)
    unordered[order] = codes
    return unordered.T

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
    """Scales and minima, float16 [N, G], of the range whose rounded weights differ least, inputs counted in."""
    groups = weight.view(len(weight), -1, group_size)
    weights = importance.view(-1, group_size)
    top, middle = (1 << bits) - 1, 1 << (bits - 1)
    low, high = groups.aminmax(dim=2)
    extreme = groups.gather(2, groups.abs().argmax(dim=2, keepdim=True)).squeeze(2)
    best = torch.full(low.shape, torch.inf)
    best_scale, best_minimum = torch.zeros_like(low).half(), torch.zeros_like(low).half()
    for shrink in _SHRINKS:
        if has_minimum:
            minimum = (low * shrink).half()
            scale = ((high * shrink - minimum.float()) / top).half()
        else:
            scale = (extreme * shrink / -middle).half()
            minimum = scale * -middle
        step, offset = scale.float().unsqueeze(2), minimum.float().unsqueeze(2)
        error = (groups - offset).mul_(_inverse(step)).round_().clamp_(0, top).mul_(step).add_(offset).sub_(groups)
        loss = error.square_().mul_(weights).sum(dim=2)
        is_better = loss < best
        best = torch.where(is_better, loss, best)
        best_scale = torch.where(is_better, scale, best_scale)
        best_minimum = torch.where(is_better, minimum, best_minimum)
    # Where nothing could be told the loss is as it was; a scale of no finite loss is never taken.
    if not bool(torch.isfinite(best).all()):
        raise FormatError("the weights hold values that are not finite or too large for a float16 scale")
    return best_scale, best_minimum if has_minimum else None


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

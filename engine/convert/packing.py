"""From a source's matrix to a packed one: its own codes where they can be kept, else round-to-nearest; and the error.

Knows nothing of files, of families and of where the packed matrix goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.convert.matrix import ReorderedRows, SourceMatrix
from engine.convert.options import QuantizeOptions
from engine.errors import SourceError
from engine.store.files import check_cancelled
from engine.store.manifest import TensorFormat
from kernels.formats import (
    BITS,
    GROUP_SIZES,
    FormatError,
    PackedWeight,
    concatenate_rows,
    dequantize,
    quantize,
    regroup,
)

# The widest source types that become 4 bits where the bits are chosen per tensor; Q4_1 has just these.
MAX_NARROW_BITS_PER_WEIGHT = 5.0
# Weights per step of packing: bounds each float32 copy to 4 MiB.
CHUNK_WEIGHTS = 1 << 20
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Target:
    """The format a matrix gets. `is_kept`: with the source's own codes; `is_exact`: its numbers, bit for bit."""

    bits: int
    group_size: int
    has_minimum: bool
    is_kept: bool
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed matrix and what the manifest says of it."""

    weight: PackedWeight
    form: TensorFormat


def choose_target(matrix: SourceMatrix, options: QuantizeOptions) -> Target:
    """The source's own codes where the format can hold them, else round-to-nearest; 8 bits go without a minimum.

    Raises `SourceError` if the groups do not divide the rows.
    """
    kept = matrix.kept
    if kept is not None and kept.group_size >= options.group_size and kept.bits <= (options.bits or max(BITS)):
        return Target(kept.bits, kept.group_size, kept.has_minimum, True, kept.is_exact)
    _check_groups(matrix, options.group_size)
    bits = options.bits or (4 if matrix.bits_per_weight <= MAX_NARROW_BITS_PER_WEIGHT else 8)
    return Target(bits, options.group_size, bits != 8, False, False)


def planned_format(matrix: SourceMatrix, options: QuantizeOptions) -> TensorFormat:
    """The format the matrix will have; the error is known once it is packed. Raises `SourceError`."""
    targets = [choose_target(part, options) for part in matrix.parts]
    return TensorFormat(
        bits=max(target.bits for target in targets),
        group_size=min(target.group_size for target in targets),
        has_minimum=any(target.has_minimum for target in targets),
        source=matrix.kind,
        is_exact=all(target.is_exact for target in targets),
    )


def pack(matrix: SourceMatrix, options: QuantizeOptions, is_cancelled: IsCancelled | None = None) -> Packed:
    """Pack a matrix, its stacked parts each in its own format and then brought to one, which is exact.

    Raises `SourceError` for numbers that no format holds, `JobCancelledError` between chunks.
    """
    weights, errors = [], PackingError()
    for part in matrix.parts:
        target = choose_target(part, options)
        try:
            weights.append(_pack_part(part, target, errors, is_cancelled))
        except FormatError as error:
            raise damaged(part, error) from error
    group_size = min(weight.group_size for weight in weights)
    try:
        weight = weights[0] if len(weights) == 1 else concatenate_rows([regroup(w, group_size) for w in weights])
    except FormatError as error:
        raise damaged(matrix, error) from error
    has_minimum = weight.minimum is not None
    relative = errors.relative
    form = TensorFormat(weight.bits, weight.group_size, has_minimum, matrix.kind, relative == 0.0, relative)
    return Packed(weight, form)


class PackingError:
    """Sums up the squares of what was and of what is lost."""

    def __init__(self) -> None:
        self._lost = 0.0
        self._all = 0.0

    def add(self, values: Tensor, packed: PackedWeight) -> None:
        self._lost += float((dequantize(packed).sub_(values)).square_().sum(dtype=torch.float64))
        self._all += float(values.square().sum(dtype=torch.float64))

    @property
    def relative(self) -> float:
        """The Frobenius norm of the difference over that of the source."""
        return (self._lost / self._all) ** 0.5 if self._all else 0.0


def _pack_part(
    matrix: SourceMatrix, target: Target, errors: PackingError, is_cancelled: IsCancelled | None
) -> PackedWeight:
    if isinstance(matrix, ReorderedRows):
        return _rows_of(_pack_part(matrix.other, target, errors, is_cancelled), matrix.order)
    step = max(1, CHUNK_WEIGHTS // matrix.num_columns)
    buffer = RowBuffer(matrix.num_rows)
    for start in range(0, matrix.num_rows, step):
        check_cancelled(is_cancelled)
        stop = min(start + step, matrix.num_rows)
        values = matrix.read_values(start, stop) if not target.is_exact else None
        if target.is_kept:
            chunk = matrix.read_kept(start, stop)
        else:
            assert values is not None
            chunk = quantize(values, target.bits, target.group_size, target.has_minimum)
        if not _is_finite(chunk):
            raise FormatError("its scales are not finite")
        if values is not None:
            errors.add(values, chunk)
        buffer.add(chunk)
    return buffer.take()


def _check_groups(matrix: SourceMatrix, group_size: int) -> None:
    if matrix.num_columns % group_size:
        fitting = " or ".join(str(size) for size in GROUP_SIZES if matrix.num_columns % size == 0)
        advice = f"use groups of {fitting}" if fitting else "no group (32, 64 or 128) does, choose another model"
        raise SourceError(
            f"{matrix.name} has rows of {matrix.num_columns} weights, groups of {group_size} do not divide them: "
            f"{advice}"
        )


def damaged(matrix: SourceMatrix, reason: object) -> SourceError:
    """What to raise for numbers that no format holds."""
    return SourceError(f"{matrix.name}: {reason}: get the model again")


def part_with(matrix: SourceMatrix, values: Tensor, start: int) -> SourceMatrix:
    """The one of the stacked parts that holds what cannot be packed of the rows `values`, whose first is `start`."""
    # NaN counts as the largest.
    row = start + int(values.abs().amax(dim=1).argmax())
    for part in matrix.parts:
        if row < part.num_rows:
            return part
        row -= part.num_rows
    raise AssertionError(f"{matrix.name} has {matrix.num_rows} rows, not {start + len(values)}")


class RowBuffer:
    """Consecutive rows of one matrix, all of one format, put together in place: nothing is held twice."""

    def __init__(self, num_rows: int) -> None:
        self._num_rows = num_rows
        self._num_filled = 0
        self._whole: PackedWeight | None = None

    def add(self, rows: PackedWeight) -> None:
        if self._whole is None:
            self._whole = PackedWeight(
                self._empty(rows.codes),
                self._empty(rows.scale),
                None if rows.minimum is None else self._empty(rows.minimum),
                rows.bits,
                rows.group_size,
            )
        span = slice(self._num_filled, self._num_filled + rows.num_rows)
        whole = self._whole
        whole.codes[span] = rows.codes
        whole.scale[span] = rows.scale
        if whole.minimum is not None and rows.minimum is not None:
            whole.minimum[span] = rows.minimum
        self._num_filled = span.stop

    def take(self) -> PackedWeight:
        """The whole matrix, once all rows are in."""
        whole = self._whole
        assert whole is not None, "no rows"
        assert self._num_filled == self._num_rows, (self._num_filled, self._num_rows)
        return whole

    def _empty(self, part: Tensor) -> Tensor:
        return torch.empty((self._num_rows, *part.shape[1:]), dtype=part.dtype)


def _rows_of(weight: PackedWeight, order: Tensor) -> PackedWeight:
    minimum = None if weight.minimum is None else weight.minimum[order]
    return PackedWeight(weight.codes[order], weight.scale[order], minimum, weight.bits, weight.group_size)


def _is_finite(weight: PackedWeight) -> bool:
    minimum = weight.minimum
    return bool(torch.isfinite(weight.scale).all() and (minimum is None or torch.isfinite(minimum).all()))

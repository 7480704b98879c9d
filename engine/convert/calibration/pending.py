"""Matrices that get their codes when the first rows reach them. Knows nothing of layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from engine.convert.calibration.correction import Wanted, find_correction
from engine.convert.calibration.moments import find_compensations
from engine.convert.calibration.rounding import round_compensated
from engine.convert.matrix import SourceMatrix
from engine.convert.packing import IsCancelled, Packed, PackingError, RowBuffer, damaged, part_with
from engine.convert.streamed import StreamedMatrix, chunks
from engine.environment import return_free_memory
from engine.store.files import check_cancelled
from engine.store.manifest import TensorFormat
from kernels.formats import FormatError, PackedWeight, concatenate_rows, dequantize, quantize

_ROUNDED_AT_ONCE = 1 << 20
"""Weights: rounding holds a dozen times their size, when most is held already."""


class PendingGroup:
    """Matrices of one kind and format: one, or a layer's experts, which lie one below the other when taken."""

    def __init__(self, form: TensorFormat, is_cancelled: IsCancelled | None = None) -> None:
        self.form = form
        self.error = PackingError()
        self._is_cancelled = is_cancelled
        self._matrices: list[PendingMatrix] = []

    def add(self, source: SourceMatrix, wanted: Wanted | None = None) -> PendingMatrix:
        """`wanted`: what it does in the source, if that is known once the rows reach it."""
        self._matrices.append(PendingMatrix(source, self, self._is_cancelled, wanted))
        return self._matrices[-1]

    def take(self) -> Packed:
        """Packed as one. An expert that no row has reached gets the nearest codes."""
        weights = [matrix.settled() for matrix in self._matrices]
        return Packed(concatenate_rows(weights), replace(self.form, is_exact=False, error=self.error.relative))


class PendingMatrix(StreamedMatrix):
    """Before `see` it is the source's, afterwards the quantised one: what follows in the layer sees its error.

    Raises `SourceError` for numbers that no format holds, `JobCancelledError` between chunks.
    """

    def __init__(
        self, source: SourceMatrix, group: PendingGroup, is_cancelled: IsCancelled | None, wanted: Wanted | None
    ) -> None:
        super().__init__(source.num_rows, source.num_columns)
        self._source = source
        self._group = group
        self._is_cancelled = is_cancelled
        self._wanted = wanted
        self._weight: PackedWeight | None = None

    def rows(self, start: int, stop: int) -> Tensor:
        if self._weight is None:
            return self._source.read_values(start, stop)
        return dequantize(self._weight, torch.arange(start, stop))

    def see(self, x: Tensor, residual: Tensor | None = None) -> None:
        if self._weight is not None or len(x) == 0:
            return
        form = self._group.form
        # A tokenizer has left the heap full of holes, and small blocks come to lie in ever other ones.
        return_free_memory()
        compensations = list(find_compensations(x, form.group_size))
        return_free_memory()
        correction = None
        if self._wanted is not None:
            correction = find_correction(x, residual, self._wanted, compensations)
            self._wanted.forget()

        def rounded(values: Tensor, start: int) -> PackedWeight:
            aim = values if correction is None else correction.corrected(values, start)
            return round_compensated(aim, compensations, form.bits, form.group_size, form.has_minimum)

        self._weight = self._rounded(rounded)

    def settled(self) -> PackedWeight:
        if self._weight is None:
            form = self._group.form
            self._weight = self._rounded(
                lambda values, _: quantize(values, form.bits, form.group_size, form.has_minimum)
            )
        return self._weight

    def _rounded(self, rounded: Callable[[Tensor, int], PackedWeight]) -> PackedWeight:
        """`rounded` takes some rows and the number of the first."""
        buffer = RowBuffer(self.shape[0])
        for start, stop in chunks(*self.shape, _ROUNDED_AT_ONCE):
            check_cancelled(self._is_cancelled)
            values = self._source.read_values(start, stop)
            try:
                part = rounded(values, start)
            except FormatError as error:
                raise damaged(part_with(self._source, values, start), error) from error
            self._group.error.add(values, part)
            buffer.add(part)
        return buffer.take()

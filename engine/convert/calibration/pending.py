"""A matrix that gets its codes when the first rows reach it. Knows nothing of layers."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from engine.convert.calibration.moments import InputMoments
from engine.convert.calibration.rounding import round_compensated
from engine.convert.matrix import SourceMatrix
from engine.convert.packing import IsCancelled, Packed, PackingError, RowBuffer, damaged
from engine.convert.streamed import StreamedMatrix, chunks
from engine.store.files import check_cancelled
from engine.store.manifest import TensorFormat
from kernels.formats import FormatError, dequantize


class PendingMatrix(StreamedMatrix):
    """Before `see` it is the source's, afterwards the quantised one: what follows in the layer sees its error.

    Raises `SourceError` for numbers that no format holds, `JobCancelledError` between chunks.
    """

    def __init__(self, source: SourceMatrix, form: TensorFormat, is_cancelled: IsCancelled | None) -> None:
        super().__init__(source.num_rows, source.num_columns)
        self.packed: Packed | None = None
        self._source = source
        self._form = form
        self._is_cancelled = is_cancelled

    def rows(self, start: int, stop: int) -> Tensor:
        if self.packed is None:
            return self._source.read_values(start, stop)
        return dequantize(self.packed.weight, torch.arange(start, stop))

    def see(self, x: Tensor) -> None:
        if self.packed is not None:
            return
        form, error, buffer = self._form, PackingError(), RowBuffer(self.shape[0])
        moments = InputMoments(self.shape[1], form.group_size)
        moments.add(x)
        compensations = moments.take_compensations()
        for start, stop in chunks(*self.shape):
            check_cancelled(self._is_cancelled)
            values = self._source.read_values(start, stop)
            try:
                part = round_compensated(values, compensations, form.bits, form.group_size, form.has_minimum)
            except FormatError as unfit:
                raise damaged(self._source, unfit) from unfit
            error.add(values, part)
            buffer.add(part)
        self.packed = Packed(buffer.take(), replace(form, is_exact=False, error=error.relative))

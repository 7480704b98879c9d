"""AWQ's gemm layout: codes and zeros packed along the rows, eight to a word in the order 0 2 4 6 1 3 5 7.

As AutoAWQ writes it: qweight int32 [K, N / 8], qzeros int32 [G, N / 8], scales [G, N]. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.convert.sources.integer_matrix import IntegerMatrix, IntegerRows, unpack_bits
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError

BITS = 4
_PLACES = (0, 4, 1, 5, 2, 6, 3, 7)
"""Where in its word the code of each of eight rows is."""


class AwqMatrix(IntegerMatrix):
    """`tensors` are the matrix' own, by the last part of their names. `group_size` None: all columns share a scale."""

    def __init__(self, name: str, tensors: Mapping[str, StoredTensor], group_size: int | None) -> None:
        qweight, scales = tensors["qweight"], tensors["scales"]
        if qweight.kind != "I32" or len(qweight.shape) != 2 or 0 in qweight.shape:
            raise SourceError(f"{name}: qweight is {qweight.kind} {qweight.shape}: get the model again")
        num_columns, num_rows = qweight.shape[0], qweight.shape[1] * 8
        group_size = group_size or num_columns
        num_groups = -(-num_columns // group_size)
        if scales.shape != (num_groups, num_rows):
            raise SourceError(f"{scales.name} is {scales.shape}, must be {(num_groups, num_rows)}: get the model again")
        zeros = _read_zeros(tensors.get("qzeros"), num_groups, num_rows)
        has_middle_zeros = zeros is None or bool((zeros == 1 << (BITS - 1)).all())
        super().__init__(
            name,
            (num_rows, num_columns),
            "AWQ 4-bit",
            bits=BITS,
            group_size=group_size,
            has_middle_zeros=has_middle_zeros,
            has_float16_scales=scales.dtype == torch.float16,
        )
        self._zeros = None if has_middle_zeros or zeros is None else zeros.T
        self._qweight = qweight
        self._scales = scales
        self._words: Tensor | None = None

    def read_integers(self, start: int, stop: int) -> IntegerRows:
        if self._words is None:
            self._words = self._qweight.read()
            self._scale = self._scales.read().T
        # Whole words: rows from the multiple of eight below, to the one above.
        first, last = start // 8, -(-stop // 8)
        codes = _in_order(self._words[:, first:last]).T[start - 8 * first : stop - 8 * first]
        zeros = None if self._zeros is None else self._zeros[start:stop]
        return IntegerRows(codes.contiguous(), self._scale[start:stop], zeros)


def _in_order(words: Tensor) -> Tensor:
    """int32 [n, W] to codes uint8 [n, 8 W], rows of the matrix in their order."""
    places = unpack_bits(words, BITS, 8 * words.shape[1]).view(words.shape[0], -1, 8)
    return places[:, :, list(_PLACES)].flatten(1)


def _read_zeros(tensor: StoredTensor | None, num_groups: int, num_rows: int) -> Tensor | None:
    if tensor is None:
        return None
    if tensor.kind != "I32" or tensor.shape != (num_groups, num_rows // 8):
        raise SourceError(
            f"{tensor.name} is {tensor.kind} {tensor.shape}, must be I32 {(num_groups, num_rows // 8)}: "
            "get the model again"
        )
    return _in_order(tensor.read()).to(torch.int32)

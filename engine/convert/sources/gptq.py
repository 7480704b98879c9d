"""GPTQ's layout: codes packed along the columns, zeros packed along the rows, any order of columns by `g_idx`.

As AutoGPTQ and GPTQModel write it: qweight int32 [K * bits / 32, N], qzeros int32 [G, N * bits / 32], scales [G, N].
Knows nothing of files' names and of models.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.convert.sources.integer_matrix import IntegerMatrix, IntegerRows, unpack_bits
from engine.convert.sources.quantization_config import GptqLayout
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError


class GptqMatrix(IntegerMatrix):
    """`tensors` are the matrix' own, by the last part of their names. `name` is that of the matrix."""

    def __init__(self, name: str, tensors: Mapping[str, StoredTensor], layout: GptqLayout) -> None:
        bits = layout.bits
        qweight, qzeros, scales = (tensors[part] for part in ("qweight", "qzeros", "scales"))
        num_columns, num_rows = _shape(name, qweight, bits)
        group_size = layout.group_size or num_columns
        num_groups = -(-num_columns // group_size)
        _require(scales, (num_groups, num_rows))
        _require(qzeros, (num_groups, -(-num_rows * bits // 32)))
        if bits == 3 and (num_rows % 32 or num_columns % 32):
            raise SourceError(
                f"{name} is ({num_rows}, {num_columns}), 3 bits need multiples of 32: choose another model"
            )
        zeros = unpack_bits(qzeros.read(), bits, num_rows).to(torch.int32) + layout.zero_offset
        has_middle_zeros = bool((zeros == 1 << (bits - 1)).all())
        super().__init__(
            name,
            (num_rows, num_columns),
            f"GPTQ {bits}-bit",
            bits=bits,
            group_size=group_size,
            has_middle_zeros=has_middle_zeros,
            has_float16_scales=scales.dtype == torch.float16,
            group_of=_read_group_of(tensors.get("g_idx"), num_columns, num_groups),
        )
        self._zeros = None if has_middle_zeros else zeros.T
        self._qweight = qweight
        self._scales = scales
        self._columns: Tensor | None = None

    def read_integers(self, start: int, stop: int) -> IntegerRows:
        if self._columns is None:
            # The file has our rows as columns: the whole matrix is read once, packed as it is.
            self._columns = self._qweight.read().T
            self._scale = self._scales.read().T
        zeros = None if self._zeros is None else self._zeros[start:stop]
        codes = unpack_bits(self._columns[start:stop], self._bits, self.num_columns)
        return IntegerRows(codes, self._scale[start:stop], zeros)


def _shape(name: str, qweight: StoredTensor, bits: int) -> tuple[int, int]:
    """Columns and rows of the matrix."""
    if qweight.kind != "I32" or len(qweight.shape) != 2 or 0 in qweight.shape or qweight.shape[0] * 32 % bits:
        raise SourceError(
            f"{name}: qweight is {qweight.kind} {qweight.shape}, no packing of {bits} bits: get the model again"
        )
    return qweight.shape[0] * 32 // bits, qweight.shape[1]


def _require(tensor: StoredTensor, shape: tuple[int, int]) -> None:
    if tensor.shape != shape:
        raise SourceError(f"{tensor.name} is {tensor.shape}, must be {shape}: get the model again")


def _read_group_of(tensor: StoredTensor | None, num_columns: int, num_groups: int) -> Tensor | None:
    if tensor is None or tensor.shape == (0,):
        return None
    group_of = tensor.read().to(torch.int64)
    if group_of.shape != (num_columns,) or int(group_of.min()) < 0 or int(group_of.max()) >= num_groups:
        raise SourceError(
            f"{tensor.name} must put {num_columns} columns into {num_groups} groups, it does not: get the model again"
        )
    return group_of

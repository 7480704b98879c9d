"""Matrices of integer codes with a scale and a zero per group: w = scale * (code - zero), whoever packed them how.

Knows nothing of files; the formats say how codes, scales and zeros are read.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.convert.matrix import KeptFormat, SourceMatrix
from kernels.formats import GROUP_SIZES, PackedWeight, pack_codes

_CONTAINERS = {2: 3, 3: 3, 4: 4, 8: 8}
"""Bits of ours that hold the source's codes."""


@dataclass(frozen=True, slots=True)
class IntegerRows:
    """codes: uint8 [N, K]. scale: float16, bfloat16 or float32 [N, G]. zero: int32 [N, G], None for 2**(bits - 1)."""

    codes: Tensor
    scale: Tensor
    zero: Tensor | None


class IntegerMatrix(SourceMatrix):
    """`group_size` consecutive columns share a scale, or those columns that `group_of` (int64 [K]) puts together.

    A `PackedWeight` takes over codes of consecutive groups that one of its group sizes divides. It holds w as
    scale * code + minimum, so that where zeros differ from the middle, -scale * zero is rounded to float16.
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, int],
        kind: str,
        *,
        bits: int,
        group_size: int,
        has_middle_zeros: bool,
        has_float16_scales: bool,
        group_of: Tensor | None = None,
    ) -> None:
        super().__init__(name, shape, kind, bits + (16 if has_middle_zeros else 32) / group_size)
        self._bits = bits
        self._group_size = group_size
        self._has_middle_zeros = has_middle_zeros
        self._has_float16_scales = has_float16_scales
        columns = torch.arange(self.num_columns) // group_size
        self._group_of = columns if group_of is None else group_of
        ours = [size for size in GROUP_SIZES if group_size % size == 0 and self.num_columns % size == 0]
        order = torch.argsort(self._group_of, stable=True)
        if not ours or not torch.equal(self._group_of[order], columns):
            return
        if torch.equal(self._group_of, columns):
            is_exact = has_middle_zeros and has_float16_scales
            self.kept = KeptFormat(_CONTAINERS[bits], max(ours), not has_middle_zeros, is_exact)
        else:
            self.column_order = order

    def in_column_order(self) -> SourceMatrix:
        return _OrderedColumns(self)

    @abstractmethod
    def read_integers(self, start: int, stop: int) -> IntegerRows:
        """Some rows as the file has them."""

    def read_values(self, start: int, stop: int) -> Tensor:
        rows = self.read_integers(start, stop)
        middle = 1 << (self._bits - 1)
        scale = rows.scale.float()[:, self._group_of]
        zero = middle if rows.zero is None else rows.zero[:, self._group_of]
        return scale * (rows.codes.to(torch.int32) - zero).float()

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        assert self.kept is not None, self.name
        rows, kept = self.read_integers(start, stop), self.kept
        times = self._group_size // kept.group_size
        num_groups = self.num_columns // kept.group_size

        def spread(groups: Tensor) -> Tensor:
            return groups.repeat_interleave(times, dim=1)[:, :num_groups]

        scale, middle = rows.scale.half(), 1 << (self._bits - 1)
        if not kept.has_minimum:
            codes = rows.codes + ((1 << (kept.bits - 1)) - middle)
            return PackedWeight(pack_codes(codes, kept.bits), spread(scale), None, kept.bits, kept.group_size)
        zero = torch.tensor(middle) if rows.zero is None else rows.zero
        minimum = (scale.float() * -zero.float()).half()
        return PackedWeight(
            pack_codes(rows.codes, kept.bits), spread(scale), spread(minimum), kept.bits, kept.group_size
        )


class _OrderedColumns(IntegerMatrix):
    """A matrix with its columns in the order that makes its groups consecutive."""

    def __init__(self, other: IntegerMatrix) -> None:
        assert other.column_order is not None, other.name
        super().__init__(
            other.name,
            (other.num_rows, other.num_columns),
            other.kind,
            bits=other._bits,
            group_size=other._group_size,
            has_middle_zeros=other._has_middle_zeros,
            has_float16_scales=other._has_float16_scales,
        )
        self._other = other
        self._order = other.column_order

    def read_integers(self, start: int, stop: int) -> IntegerRows:
        rows = self._other.read_integers(start, stop)
        return IntegerRows(rows.codes[:, self._order], rows.scale, rows.zero)


def unpack_bits(words: Tensor, bits: int, count: int) -> Tensor:
    """int32 words [N, W], a stream of little-endian codes without gaps, to the first `count` codes uint8 [N, count].

    Code i is bits i * `bits` and up of the stream: codes of 2, 4 and 8 bits fill a word, 32 codes of 3 bits fill three.
    """
    codes: npt.NDArray[np.uint8]
    data = np.ascontiguousarray(words.numpy()).view(np.uint8)
    if bits == 8:
        codes = data
    elif bits in (2, 4):
        shifts = np.arange(0, 8, bits, dtype=np.uint8)
        codes = ((data[:, :, None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(len(data), -1)
    else:
        assert bits == 3, bits
        triples = data.reshape(len(data), -1, 3).astype(np.uint32)
        octets = triples[:, :, 0] | triples[:, :, 1] << 8 | triples[:, :, 2] << 16
        codes = ((octets[:, :, None] >> np.arange(0, 24, 3, dtype=np.uint32)) & 7).astype(np.uint8)
        codes = codes.reshape(len(data), -1)
    return torch.from_numpy(np.ascontiguousarray(codes[:, :count]))

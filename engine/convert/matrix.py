"""What a source offers: matrices that are read some rows at a time, as numbers or in codes that we can take over.

Knows nothing of files and of how a matrix is packed where its codes cannot be kept. Torch is imported by who reads:
what a file's header says of its matrices is known without.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.arrays import Array
from kernels.packed_weight import PackedWeight

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class KeptFormat:
    """The form in which a `PackedWeight` can take over a matrix' own codes.

    `is_exact`: known to give the source's numbers bit for bit; otherwise scales or minima may have to be rounded.
    """

    bits: int
    group_size: int
    has_minimum: bool
    is_exact: bool


class SourceMatrix(ABC):
    """A matrix [rows, columns] of a source.

    `kind` names the source's type for reading ("Q4_1", "GPTQ 4-bit"), `bits_per_weight` counts its scales in. `kept`
    None: its codes fit no `PackedWeight`. Reading raises `SourceError`.
    """

    kept: KeptFormat | None = None
    column_order: Array | None = None
    """An order of the columns, int64 [columns], in which the codes could be kept, where in theirs they cannot."""

    def __init__(self, name: str, shape: tuple[int, int], kind: str, bits_per_weight: float) -> None:
        self.name = name
        self.num_rows, self.num_columns = shape
        self.kind = kind
        self.bits_per_weight = bits_per_weight

    @property
    def parts(self) -> Sequence[SourceMatrix]:
        """The matrices that are stacked to make this one."""
        return (self,)

    def in_column_order(self) -> SourceMatrix:
        """The matrix with its columns in `column_order`."""
        raise AssertionError(f"{self.name} of {self.kind} has no other order of columns")

    @abstractmethod
    def read_values(self, start: int, stop: int) -> Tensor:
        """float32 [stop - start, columns]: what the source's own arithmetic makes of the rows."""

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        """The rows in the format `kept`."""
        raise AssertionError(f"{self.name} of {self.kind} has no codes to keep")


class RowRange(SourceMatrix):
    """Some consecutive rows of another matrix."""

    def __init__(self, whole: SourceMatrix, start: int, stop: int) -> None:
        assert 0 <= start < stop <= whole.num_rows, (start, stop, whole.num_rows)
        super().__init__(whole.name, (stop - start, whole.num_columns), whole.kind, whole.bits_per_weight)
        self.kept = whole.kept
        self._whole = whole
        self._first = start

    def read_values(self, start: int, stop: int) -> Tensor:
        return self._whole.read_values(self._first + start, self._first + stop)

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        return self._whole.read_kept(self._first + start, self._first + stop)


class ReorderedRows(SourceMatrix):
    """The rows of another matrix in another order: row i is the other's `order[i]`, int64.

    What lies between the outermost rows is read too; whoever packs the whole matrix takes `other` and `order`.
    """

    def __init__(self, other: SourceMatrix, order: Array) -> None:
        assert order.shape == (other.num_rows,), (tuple(order.shape), other.num_rows)
        super().__init__(other.name, (other.num_rows, other.num_columns), other.kind, other.bits_per_weight)
        self.kept = other.kept
        self.other = other
        self.order = order

    def read_values(self, start: int, stop: int) -> Tensor:
        first, last, rows = self._span(start, stop)
        return self.other.read_values(first, last)[rows]

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        first, last, rows = self._span(start, stop)
        read = self.other.read_kept(first, last)
        minimum = None if read.minimum is None else read.minimum[rows]
        return PackedWeight(read.codes[rows], read.scale[rows], minimum, read.bits, read.group_size)

    def _span(self, start: int, stop: int) -> tuple[int, int, Array]:
        rows = self.order[start:stop]
        first = int(rows.min())
        return first, int(rows.max()) + 1, rows - first


class StackedRows(SourceMatrix):
    """Matrices of the same columns, one below the other. Each part is packed in its own way."""

    def __init__(self, parts: Sequence[SourceMatrix]) -> None:
        assert len({part.num_columns for part in parts}) == 1, [part.num_columns for part in parts]
        num_rows = sum(part.num_rows for part in parts)
        bits = sum(part.num_rows * part.bits_per_weight for part in parts) / num_rows
        kinds = "+".join(dict.fromkeys(part.kind for part in parts))
        super().__init__(parts[0].name, (num_rows, parts[0].num_columns), kinds, bits)
        self._parts = tuple(parts)

    @property
    def parts(self) -> Sequence[SourceMatrix]:
        return tuple(inner for part in self._parts for inner in part.parts)

    def read_values(self, start: int, stop: int) -> Tensor:
        import torch

        return torch.cat([part.read_values(low, high) for part, low, high in self._overlaps(start, stop)])

    def _overlaps(self, start: int, stop: int) -> Iterator[tuple[SourceMatrix, int, int]]:
        first = 0
        for part in self._parts:
            low, high = max(start - first, 0), min(stop - first, part.num_rows)
            if low < high:
                yield part, low, high
            first += part.num_rows

"""Matrices of which a few rows at a time become float32, and the reference's operations on them.

For passes over one layer after the other, in little memory. Knows nothing of texts and of how weights come to be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from engine.convert.matrix import SourceMatrix
from engine.store.files import check_cancelled
from kernels import checks
from kernels.activations import ACTIVATIONS
from kernels.experts import normalise
from kernels.formats import PackedWeight, dequantize
from kernels.ops import Norm
from kernels.reference import ReferenceBackend

CHUNK_WEIGHTS = 1 << 21
"""Weights that are float32 at once: 8 MiB."""
_PIECE_ROWS = 512
"""Rows that are multiplied by those at once: results of a whole text would be larger than the weights."""


class StreamedMatrix(ABC):
    """A matrix [N, K] that rows are multiplied by."""

    def __init__(self, num_rows: int, num_columns: int) -> None:
        self.shape = (num_rows, num_columns)

    @property
    def matrix(self) -> Tensor:
        """All of it, float32 [N, K], for operations that need it whole."""
        return self.rows(0, self.shape[0])

    def see(self, x: Tensor, residual: Tensor | None = None) -> None:  # noqa: B027 - most are as they are, whatever
        """Called with the rows, float32 or bfloat16 [M, K], before they are multiplied.

        `residual`: what the products are added to as they are, float32 [M, N].
        """

    def see_products(self, y: Tensor) -> None:  # noqa: B027
        """Called with the products, float32 [M, N], but not those of gate and up."""

    @abstractmethod
    def rows(self, start: int, stop: int) -> Tensor:
        """float32 [stop - start, K]."""


class PackedRows(StreamedMatrix):
    def __init__(self, packed: PackedWeight) -> None:
        super().__init__(packed.num_rows, packed.num_columns)
        self._packed = packed

    def rows(self, start: int, stop: int) -> Tensor:
        return dequantize(self._packed, torch.arange(start, stop))


class SourceRows(StreamedMatrix):
    def __init__(self, source: SourceMatrix) -> None:
        super().__init__(source.num_rows, source.num_columns)
        self._source = source

    def rows(self, start: int, stop: int) -> Tensor:
        return self._source.read_values(start, stop)


class StreamedBackend(ReferenceBackend):
    """See `Backend`. Its weights are `StreamedMatrix`es, and a stream of rows may stand for an embedded text.

    `gated_dtype`: what lies between gate, up and down, the longest rows of all, is kept in. `adds_in_place`: the
    residual stream takes sums in its own place, so that a long text's is there once; not where it is read again.
    Operations raise `JobCancelledError` between chunks of a matrix: a layer of a large model takes minutes.
    """

    def __init__(
        self, gated_dtype: torch.dtype = torch.float32, is_cancelled: Callable[[], bool] | None = None
    ) -> None:
        super().__init__()
        self.adds_in_place = False
        self._gated_dtype = gated_dtype
        self._is_cancelled = is_cancelled

    def embed(self, table: Tensor, token_ids: Tensor, scale: float = 1.0) -> Tensor:  # type: ignore[override]
        return table

    def norm_linear(  # type: ignore[override]
        self,
        x: Tensor,
        norm: Norm | None,
        weight: StreamedMatrix,
        bias: Tensor | None = None,
        num_narrow_rows: int | None = None,
        activation: str | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm, bias, activation)
        y = self._multiply(x if norm is None else normalised(x, norm), weight)
        y = y if bias is None else y.add_(bias)
        return y if activation is None else ACTIVATIONS[activation](y).to(self._gated_dtype)

    def grouped_linear(  # type: ignore[override]
        self, x: Tensor, weight: StreamedMatrix, num_groups: int, num_narrow_rows: int | None = None
    ) -> Tensor:
        """Shows the matrix nothing: its groups have inputs of their own."""
        checks.check_grouped(x, *weight.shape, num_groups, num_narrow_rows)
        step = weight.shape[0] // num_groups
        parts = enumerate(x.chunk(num_groups, dim=1))
        return torch.cat([F.linear(part, weight.rows(n * step, (n + 1) * step)) for n, part in parts], dim=1)

    def linear_add(  # type: ignore[override]
        self,
        x: Tensor,
        weight: StreamedMatrix,
        residual: Tensor,
        post_norm: Norm | None = None,
        num_narrow_rows: int | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, bias=bias)
        checks.check_residual(x, weight.shape[0], residual, post_norm)
        # A norm in between: not to be aimed at by the weights.
        y = self._multiply(x, weight, residual if post_norm is None else None)
        y = y if bias is None else y.add_(bias)
        y = y if post_norm is None else normalised(y, post_norm)
        return residual.add_(y) if self.adds_in_place else residual + y

    def norm_gate_up(  # type: ignore[override]
        self, x: Tensor, norm: Norm | None, weight: StreamedMatrix, activation: str, num_narrow_rows: int | None = None
    ) -> Tensor:
        checks.check_linear(x, *weight.shape, num_narrow_rows, norm)
        checks.check_gate_up(weight.shape[0], activation)
        normed = x if norm is None else normalised(x, norm)
        weight.see(normed)
        half = weight.shape[0] // 2
        gated = torch.empty(len(x), half, dtype=self._gated_dtype)
        for start, stop in self._chunks(half, 2 * weight.shape[1]):
            matrices = [weight.rows(start + first, stop + first) for first in (0, half)]
            for low, high in row_pieces(len(x)):
                gate, up = (F.linear(normed[low:high], matrix) for matrix in matrices)
                gated[low:high, start:stop] = ACTIVATIONS[activation](gate).mul_(up)
        return gated

    def _multiply(self, x: Tensor, weight: StreamedMatrix, residual: Tensor | None = None) -> Tensor:
        """x [M, K] by the matrix [N, K]: float32 [M, N]. `residual` is but shown to the matrix."""
        weight.see(x, residual)
        y = torch.empty(len(x), weight.shape[0])
        for start, stop in self._chunks(*weight.shape):
            matrix = weight.rows(start, stop)
            for low, high in row_pieces(len(x)):
                y[low:high, start:stop] = F.linear(x[low:high].float(), matrix)
        weight.see_products(y)
        return y

    def _chunks(self, num_rows: int, num_columns: int) -> Iterator[tuple[int, int]]:
        for span in chunks(num_rows, num_columns):
            check_cancelled(self._is_cancelled)
            yield span


def gather(table: SourceMatrix, token_ids: Tensor) -> Tensor:
    """Rows of an embedding, float32 [tokens, hidden]; each is read once."""
    ids = token_ids.tolist()
    rows = {token: table.read_values(token, token + 1) for token in set(ids)}
    return torch.cat([rows[token] for token in ids])


def chunks(num_rows: int, num_columns: int, num_weights: int = CHUNK_WEIGHTS) -> Iterator[tuple[int, int]]:
    """Ranges of rows with some `num_weights` weights each."""
    step = max(1, num_weights // num_columns)
    for start in range(0, num_rows, step):
        yield start, min(start + step, num_rows)


def normalised(x: Tensor, norm: Norm) -> Tensor:
    """`normalise`, float32 [M, K]: what it makes on the way is there for a piece of the rows only."""
    y = torch.empty(x.shape)
    for low, high in row_pieces(len(x)):
        y[low:high] = normalise(x[low:high], norm)
    return y


def row_pieces(num_rows: int) -> Iterator[tuple[int, int]]:
    """Ranges of a text's rows, for what need not be there for all of them at once."""
    for low in range(0, num_rows, _PIECE_ROWS):
        yield low, min(low + _PIECE_ROWS, num_rows)

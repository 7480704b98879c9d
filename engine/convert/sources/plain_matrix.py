"""Matrices of plain numbers: floating point of 16, 32 or 64 bits, or of 8 bits with scales. Knows nothing of layers."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.convert.matrix import SourceMatrix
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError

PLAIN_KINDS = ("F64", "F32", "F16", "BF16")
FLOAT8_KINDS = ("F8_E4M3", "F8_E5M2")


def matrix_shape(tensor: StoredTensor) -> tuple[int, int]:
    """Rows and columns. Raises `SourceError` unless the tensor has two dimensions."""
    if len(tensor.shape) != 2 or 0 in tensor.shape:
        raise SourceError(f"{tensor.name} is {tensor.shape}, must be a matrix: get the model again")
    return tensor.shape[0], tensor.shape[1]


class PlainMatrix(SourceMatrix):
    """A tensor of `PLAIN_KINDS`."""

    def __init__(self, tensor: StoredTensor) -> None:
        super().__init__(tensor.name, matrix_shape(tensor), tensor.kind, 8.0 * tensor.dtype.itemsize)
        self._tensor = tensor

    def read_values(self, start: int, stop: int) -> Tensor:
        return self._tensor.read_rows(start, stop).float()


class ScaledFloat8Matrix(SourceMatrix):
    """A tensor of `FLOAT8_KINDS` times its scale: one for all, one per row, or one per `block` of rows and columns.

    DeepSeek's and Qwen's `weight_scale_inv` and compressed-tensors' `weight_scale` are both multiplied by; the names
    differ only in what they were called when the weights were made.
    """

    def __init__(self, tensor: StoredTensor, scale: StoredTensor, block: tuple[int, int] | None) -> None:
        super().__init__(tensor.name, matrix_shape(tensor), "FP8", 8.0)
        self._tensor = tensor
        sizes = (self.num_rows, self.num_columns)
        grid = (*scale.shape, 1, 1)[:2]
        if block is not None and grid == tuple(-(-size // step) for size, step in zip(sizes, block, strict=True)):
            self._block = block
        elif grid in ((1, 1), (self.num_rows, 1)) and len(scale.shape) <= 2:
            self._block = (self.num_rows // grid[0], self.num_columns)
        else:
            raise SourceError(
                f"{scale.name} is {scale.shape}, which does not fit {tensor.name} {tensor.shape}: get the model again"
            )
        self._scale = scale.read().float().view(grid)

    def read_values(self, start: int, stop: int) -> Tensor:
        rows = torch.arange(start, stop) // self._block[0]
        columns = torch.arange(self.num_columns) // self._block[1]
        return self._tensor.read_rows(start, stop).float() * self._scale[rows][:, columns]

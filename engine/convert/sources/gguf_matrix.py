"""A matrix of a GGUF file: its blocks taken over where their codes fit, else its numbers. Knows nothing of families."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from engine.convert.matrix import SourceMatrix
from engine.convert.sources.gguf_container import TensorInfo
from engine.convert.sources.gguf_files import GgufFiles
from engine.convert.sources.gguf_layouts import KEPT_LAYOUTS
from engine.errors import SourceError
from kernels.packed_weight import PackedWeight

if TYPE_CHECKING:
    from torch import Tensor


class GgufMatrix(SourceMatrix):
    """One tensor; those of more than two dimensions are read as the rows of all their matrices."""

    def __init__(self, files: GgufFiles, tensor: TensorInfo) -> None:
        block_size, block_bytes = GGML_QUANT_SIZES[tensor.kind]
        shape = (tensor.num_rows, tensor.num_columns)
        super().__init__(tensor.name, shape, tensor.kind.name, 8 * block_bytes / block_size)
        self.kept = KEPT_LAYOUTS.get(tensor.kind)
        self._files = files
        self._tensor = tensor

    def read_values(self, start: int, stop: int) -> Tensor:
        import torch

        rows = self._files.read_rows(self._tensor, start, stop)
        # Damaged scales overflow on the way; whoever packs the numbers refuses what comes of it.
        with np.errstate(all="ignore"):
            values = dequantize(rows, self._tensor.kind)
        return torch.from_numpy(np.array(values, np.float32))

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        from engine.convert.sources.gguf_blocks import repack

        return repack(self._files.read_rows(self._tensor, start, stop), self._tensor.kind)


def check_readable(name: str, kind: GGMLQuantizationType) -> None:
    """Raises `SourceError` if the tensor's type cannot be dequantised."""
    try:
        dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError as error:
        raise SourceError(f"{name} has the type {kind.name}, which cannot be read: get a Q4_1 or Q8_0 file") from error

"""bitsandbytes' matrices: 4 bits through a table of 16 numbers (NF4, FP4), and 8 bits with a scale per row.

As transformers writes them. Knows nothing of models.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.convert.matrix import SourceMatrix
from engine.convert.sources.integer_matrix import IntegerMatrix, IntegerRows
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError

STATE_PREFIX = "weight.quant_state.bitsandbytes__"
_MAX_STATE_BYTES = 1 << 16


class TableMatrix(SourceMatrix):
    """Two codes in a byte, the first in its high nibble, row after row; `absmax` scales each `blocksize` of them.

    With nested statistics, absmax is itself a byte each, through a table of 256 numbers.
    """

    def __init__(self, name: str, tensors: Mapping[str, StoredTensor]) -> None:
        state, kind = _read_state(name, tensors)
        shape, block_sizes = _sizes(state.get("shape")), _sizes([state.get("blocksize")])
        if shape is None or len(shape) != 2 or block_sizes is None:
            raise SourceError(f"{name} has a damaged quantisation state: get the model again")
        super().__init__(name, (shape[0], shape[1]), kind.upper(), 4.5)
        self._block_size = block_sizes[0]
        codes = tensors["weight"]
        if codes.kind != "U8" or codes.size_bytes * 2 != self.num_rows * self.num_columns or self.num_columns % 2:
            raise SourceError(f"{name} has {codes.size_bytes} bytes of codes for {shape}: get the model again")
        num_blocks = -(-self.num_rows * self.num_columns // self._block_size)
        self._absmax = _read_absmax(name, tensors, state, num_blocks)
        self._table = _read_table(name, tensors, "weight.quant_map", 16)
        self._codes = codes

    def read_values(self, start: int, stop: int) -> Tensor:
        first, last = start * self.num_columns, stop * self.num_columns
        packed = self._codes.read_elements(first // 2, last // 2)
        codes = torch.stack([packed >> 4, packed & 15], dim=1).flatten()
        blocks = torch.arange(first, last) // self._block_size
        values = self._table[codes.long()] * self._absmax[blocks]
        return values.view(stop - start, self.num_columns)


class RowScaledMatrix(IntegerMatrix):
    """LLM.int8(): signed bytes, and for each row the largest magnitude, which 127 stands for."""

    def __init__(self, name: str, codes: StoredTensor, largest: StoredTensor) -> None:
        if len(codes.shape) != 2 or 0 in codes.shape or largest.shape != codes.shape[:1]:
            raise SourceError(f"{name} is {codes.shape} with scales {largest.shape}: get the model again")
        shape = (codes.shape[0], codes.shape[1])
        super().__init__(
            name, shape, "INT8", bits=8, group_size=shape[1], has_middle_zeros=True, has_float16_scales=False
        )
        self._codes = codes
        self._scale = (largest.read().float() / 127).unsqueeze(1)

    def read_integers(self, start: int, stop: int) -> IntegerRows:
        return IntegerRows(self._codes.read_rows(start, stop).view(torch.uint8) ^ 128, self._scale[start:stop], None)


def _read_state(name: str, tensors: Mapping[str, StoredTensor]) -> tuple[dict[str, object], str]:
    key = next((key for key in tensors if key.startswith(STATE_PREFIX)), None)
    if key is None or tensors[key].size_bytes > _MAX_STATE_BYTES:
        raise SourceError(f"{name} lacks its quantisation state: get the model again")
    if tensors[key].kind != "U8":
        raise SourceError(f"{name} has a damaged quantisation state: get the model again")
    try:
        state = json.loads(bytes(tensors[key].read().numpy()))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name} has a damaged quantisation state: get the model again") from error
    if not isinstance(state, dict):
        raise SourceError(f"{name} has a damaged quantisation state: get the model again")
    return state, key.removeprefix(STATE_PREFIX)


def _read_absmax(
    name: str, tensors: Mapping[str, StoredTensor], state: Mapping[str, object], num_blocks: int
) -> Tensor:
    absmax = tensors["weight.absmax"]
    if absmax.shape != (num_blocks,):
        raise SourceError(f"{absmax.name} is {absmax.shape}, must be {(num_blocks,)}: get the model again")
    if "weight.nested_absmax" not in tensors:
        return absmax.read().float()
    block_sizes, offset = _sizes([state.get("nested_blocksize")]), state.get("nested_offset")
    nested = tensors["weight.nested_absmax"].read().float()
    if (
        block_sizes is None
        or not isinstance(offset, int | float)
        or absmax.kind != "U8"
        or nested.shape != (-(-num_blocks // block_sizes[0]),)
    ):
        raise SourceError(f"{name} has damaged nested scales: get the model again")
    table = _read_table(name, tensors, "weight.nested_quant_map", 256)
    blocks = torch.arange(num_blocks) // block_sizes[0]
    return table[absmax.read().long()] * nested[blocks] + offset


def _read_table(name: str, tensors: Mapping[str, StoredTensor], key: str, size: int) -> Tensor:
    tensor = tensors.get(key)
    if tensor is None or tensor.shape != (size,):
        raise SourceError(f"{name} lacks its table of {size} numbers: get the model again")
    return tensor.read().float()


def _sizes(value: object) -> list[int] | None:
    """A list of counts above zero, None if it is anything else."""
    if not isinstance(value, list) or any(type(item) is not int or not 0 < item < 1 << 32 for item in value):
        return None
    return value

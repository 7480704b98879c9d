"""compressed-tensors' integers: `pack-quantized` (4 or 8 bits in words) and `int-quantized` (a byte each).

weight_packed int32 [N, K * bits / 32], codes offset by 2**(bits - 1); weight_scale [N, G]; weight_zero_point int32
[N * bits / 32, G], packed along the rows; weight_g_idx [K]. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.convert.sources.integer_matrix import IntegerMatrix, IntegerRows, unpack_bits
from engine.convert.sources.safetensors_file import StoredTensor
from engine.errors import SourceError

PACKED_BITS = (4, 8)


class CompressedMatrix(IntegerMatrix):
    """`tensors` are the matrix' own, by the last part of their names; the group size follows from the scales."""

    def __init__(self, name: str, tensors: Mapping[str, StoredTensor], bits: int) -> None:
        codes, scales = tensors.get("weight_packed", tensors.get("weight")), tensors["weight_scale"]
        assert codes is not None, name
        self._is_packed = "weight_packed" in tensors
        shape = self._shape(name, codes, tensors.get("weight_shape"), bits)
        num_groups = scales.shape[1] if len(scales.shape) == 2 else 1
        if scales.shape not in ((shape[0], num_groups), (shape[0],), (1,), ()) or not num_groups:
            raise SourceError(f"{scales.name} is {scales.shape}, which does not fit {shape}: get the model again")
        group_size = -(-shape[1] // num_groups)
        zeros = _read_zeros(tensors.get("weight_zero_point"), bits, shape[0], num_groups)
        has_middle_zeros = zeros is None or bool((zeros == 1 << (bits - 1)).all())
        super().__init__(
            name,
            shape,
            f"compressed-tensors {bits}-bit",
            bits=bits,
            group_size=group_size,
            has_middle_zeros=has_middle_zeros,
            has_float16_scales=scales.dtype == torch.float16,
            group_of=_read_group_of(tensors.get("weight_g_idx"), shape[1], num_groups),
        )
        self._zeros = None if has_middle_zeros else zeros
        self._codes = codes
        self._scale = scales.read().reshape(-1, num_groups).expand(shape[0], num_groups)

    def read_integers(self, start: int, stop: int) -> IntegerRows:
        stored = self._codes.read_rows(start, stop)
        codes = unpack_bits(stored, self._bits, self.num_columns) if self._is_packed else stored.view(torch.uint8) ^ 128
        return IntegerRows(codes, self._scale[start:stop], None if self._zeros is None else self._zeros[start:stop])

    def _shape(self, name: str, codes: StoredTensor, stated: StoredTensor | None, bits: int) -> tuple[int, int]:
        kind, per_element = ("I32", 32 // bits) if self._is_packed else ("I8", 1)
        if codes.kind != kind or len(codes.shape) != 2 or 0 in codes.shape:
            raise SourceError(f"{codes.name} is {codes.kind} {codes.shape}, must be {kind}: get the model again")
        shape = (codes.shape[0], codes.shape[1] * per_element)
        if stated is not None:
            told = tuple(int(size) for size in stated.read().flatten())
            if len(told) != 2 or told[0] != shape[0] or not shape[1] - per_element < told[1] <= shape[1]:
                raise SourceError(f"{name} says it is {told}, its codes are {shape}: get the model again")
            shape = (told[0], told[1])
        return shape


def _read_zeros(tensor: StoredTensor | None, bits: int, num_rows: int, num_groups: int) -> Tensor | None:
    """int32 [N, G] of what is subtracted from unsigned codes."""
    if tensor is None:
        return None
    stored = tensor.read()
    if tensor.kind == "I8" and stored.numel() == num_rows * num_groups:
        # A byte each, signed, as the codes are before they get their offset.
        return stored.view(num_rows, num_groups).to(torch.int32) + (1 << (bits - 1))
    if tensor.kind != "I32" or tensor.shape != (-(-num_rows * bits // 32), num_groups):
        raise SourceError(f"{tensor.name} is {tensor.kind} {tensor.shape}, which does not fit: get the model again")
    return unpack_bits(stored.T, bits, num_rows).T.to(torch.int32)


def _read_group_of(tensor: StoredTensor | None, num_columns: int, num_groups: int) -> Tensor | None:
    if tensor is None:
        return None
    group_of = tensor.read().to(torch.int64).flatten()
    if bool((group_of == -1).all()):
        # Written where the order of columns was not changed after all.
        return None
    if group_of.shape != (num_columns,) or int(group_of.min()) < 0 or int(group_of.max()) >= num_groups:
        raise SourceError(
            f"{tensor.name} must put {num_columns} columns into {num_groups} groups, it does not: get the model again"
        )
    return group_of

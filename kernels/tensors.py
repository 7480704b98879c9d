"""From numpy's arrays to torch's tensors on the same memory, and back, through everything that operations are told.

bfloat16, which numpy lacks, is held there as its bits, uint16. Knows nothing of the operations.
"""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kernels.arrays import host
from kernels.ops import AttentionBatch, DecoderLayer, Experts, ForwardInput, LatentAttention, Norm
from kernels.packed_weight import PackedWeight
from kernels.sampling_tensors import LogitEdits, SamplingTensors

# Tensors have no way to say so of mapped weights; nothing here writes to them.
warnings.filterwarnings("ignore", message="The given NumPy array is not writable")

_OPENED = (
    AttentionBatch,
    DecoderLayer,
    Experts,
    ForwardInput,
    LatentAttention,
    LogitEdits,
    Norm,
    PackedWeight,
    SamplingTensors,
)
"""What arrays are looked for in; a prepared weight is its backend's own."""

Told = TypeVar("Told")


def tensor_of(array: NDArray[Any] | Tensor) -> Tensor:
    if isinstance(array, Tensor):
        return array
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if array.dtype == np.uint16 else tensor


def array_of(tensor: Tensor | NDArray[Any]) -> NDArray[Any]:
    """Of results and activations: bfloat16 becomes float32."""
    return host(tensor.detach() if isinstance(tensor, Tensor) else tensor)


def bits_of(tensor: Tensor) -> NDArray[Any]:
    """On the same memory, also of bfloat16."""
    return host(tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor)


def tensors_of(told: Told) -> Told:
    """The same with tensors in place of arrays, however deep; what holds none is passed on as it is.

    An array that occurs twice becomes one tensor: batches tell by identity which sequences share a block table.
    """
    return _Conversion(np.ndarray, tensor_of).of(told)


def arrays_of(told: Told) -> Told:
    """The other way round."""
    return _Conversion(Tensor, array_of).of(told)


class _Conversion:
    def __init__(self, kind: type, convert: Any) -> None:
        self._kind = kind
        self._convert = convert
        self._converted: dict[int, Any] = {}

    def of(self, told: Any) -> Any:
        if isinstance(told, self._kind):
            if id(told) not in self._converted:
                self._converted[id(told)] = self._convert(told)
            return self._converted[id(told)]
        if isinstance(told, tuple) and told and not isinstance(told[0], int | float | str):
            return tuple(self.of(each) for each in told)
        return self._of_dataclass(told) if isinstance(told, _OPENED) else told

    def _of_dataclass(self, told: Any) -> Any:
        changed = {}
        for field in fields(told):
            value = getattr(told, field.name)
            converted = self.of(value)
            if converted is not value:
                changed[field.name] = converted
        return replace(told, **changed) if changed else told

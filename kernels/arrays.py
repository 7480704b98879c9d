"""What the table of operations asks of an array, whichever library holds it: numpy's arrays or torch's tensors.

The native kernels take addresses, so they run on numpy alone, and a process that computes with them never loads torch:
its import takes a second and some 190 MiB. Backends of torch operations take tensors. Importing this imports no torch.
"""

from __future__ import annotations

import math
import mmap
import sys
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = Any
"""`numpy.ndarray` or `torch.Tensor`, as the backend takes them; shape, dtype, indexing and arithmetic are alike."""

_ALIGNMENT = 64
_PRIVATE: dict[str, int] = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}


@lru_cache
def _name(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


def dtype_name(array: Array) -> str:
    """`float32`, `int8` …: the same for both libraries."""
    return _name(array.dtype)


def name_of(dtype: object) -> str:
    """As `dtype_name`, of a dtype of either library."""
    return _name(np.dtype(dtype) if isinstance(dtype, type) else dtype)


def is_contiguous(array: Array) -> bool:
    return bool(array.flags.c_contiguous) if isinstance(array, np.ndarray) else bool(array.is_contiguous())


def strides(array: Array) -> tuple[int, ...]:
    """In elements."""
    if isinstance(array, np.ndarray):
        return tuple(stride // array.itemsize for stride in array.strides)
    return tuple(array.stride())


def count(array: Array) -> int:
    """Elements."""
    return math.prod(array.shape)


def host(array: Array) -> NDArray[Any]:
    """The array as numpy's, on the same memory; of bfloat16 a copy in float32."""
    if isinstance(array, np.ndarray):
        return array
    return cast("NDArray[Any]", (array.float() if dtype_name(array) == "bfloat16" else array).numpy())


def address(array: NDArray[Any]) -> int:
    """Of the first element; the caller keeps the array alive for as long as it is used."""
    return int(array.__array_interface__["data"][0])


def empty(*shape: int, dtype: type[np.generic] | np.dtype[Any] = np.float32) -> NDArray[Any]:
    """Undefined content, aligned to 64 bytes as vector loads like it."""
    kind = np.dtype(dtype)
    num_bytes = math.prod(shape) * kind.itemsize
    memory = _allocated(num_bytes + _ALIGNMENT)
    shift = -address(memory) % _ALIGNMENT
    return memory[shift : shift + num_bytes].view(kind).reshape(shape)


def mapped(*shape: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Memory that the system gives page by page as it is first written, and takes back with the array.

    Large arrays of numpy's own come in pages of 2 MiB, of which a pool would take one for a first token in each layer.
    Raises MemoryError.
    """
    num_bytes = math.prod(shape) * dtype.itemsize
    try:
        memory = mmap.mmap(-1, max(num_bytes, 1), **_PRIVATE)
    except OSError as error:
        raise MemoryError(f"the system has no {num_bytes} bytes: {error}") from error
    return np.frombuffer(memory, np.uint8)[:num_bytes].view(dtype).reshape(shape)


def _allocated(num_bytes: int) -> NDArray[np.uint8]:
    return np.empty(num_bytes, np.uint8)

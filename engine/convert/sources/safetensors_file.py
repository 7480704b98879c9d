"""The safetensors container: the table of tensors, and some rows of one tensor at a time.

Format: https://huggingface.co/docs/safetensors – header length, JSON header, tensors. The library's own reader maps
files into memory, where one that is cut short while it is read ends the program; this one reads what it needs.
Knows nothing of what the tensors mean.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch
from torch import Tensor

from engine.errors import SourceError

# The library's own bound.
MAX_HEADER_BYTES = 100_000_000

DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E8M0": torch.float8_e8m0fnu,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor of a file; `offset` counts bytes from the file's start. Reading raises `SourceError`."""

    path: Path
    name: str
    kind: str
    shape: tuple[int, ...]
    offset: int

    @property
    def dtype(self) -> torch.dtype:
        return DTYPES[self.kind]

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def read(self) -> Tensor:
        """The whole tensor, in its own dtype and shape."""
        return self.read_elements(0, math.prod(self.shape)).view(self.shape)

    def read_rows(self, start: int, stop: int) -> Tensor:
        """Rows along the first dimension: [stop - start, ...]."""
        row_size = math.prod(self.shape[1:])
        return self.read_elements(start * row_size, stop * row_size).view(stop - start, *self.shape[1:])

    def read_elements(self, start: int, stop: int) -> Tensor:
        """Elements of the flattened tensor: [stop - start]."""
        width = self.dtype.itemsize
        data = np.empty((stop - start) * width, np.uint8)
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset + start * width)
                got = file.readinto(data.data) if data.size else 0
        except OSError as error:
            raise SourceError(f"Cannot read {self.path}: {error.strerror}") from error
        if got != data.size:
            raise SourceError(f"{self.path} was cut short, get it again: it ends within {self.name}")
        return torch.from_numpy(data).view(self.dtype)


def read_table(path: Path) -> dict[str, StoredTensor]:
    """All tensors of a file. Raises `SourceError` for anything that is not a whole safetensors file."""
    try:
        with path.open("rb") as file:
            size_bytes = path.stat().st_size
            header, data_start = _read_header(path, file, size_bytes)
    except OSError as error:
        raise SourceError(f"Cannot read {path}: {error.strerror}") from error
    tensors = {name: _tensor(path, name, entry, data_start) for name, entry in header.items() if name != "__metadata__"}
    end = max((tensor.offset + tensor.size_bytes for tensor in tensors.values()), default=data_start)
    if end != size_bytes:
        raise SourceError(f"{path} has {size_bytes} bytes, its tensors end at {end}: get the file again")
    return tensors


def _read_header(path: Path, file: BinaryIO, size_bytes: int) -> tuple[Mapping[str, Any], int]:
    length = int.from_bytes(file.read(8), "little")
    if size_bytes < 8 or length > min(MAX_HEADER_BYTES, size_bytes - 8):
        raise SourceError(f"{path} is no whole safetensors file: get the file again")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path} has a damaged header: get the file again") from error
    if not isinstance(header, dict):
        raise SourceError(f"{path} has a header that is no table: get the file again")
    return header, 8 + length


def _tensor(path: Path, name: str, entry: Any, data_start: int) -> StoredTensor:
    def damaged(what: str) -> SourceError:
        return SourceError(f"{path} is damaged, {name[:100]!r} {what}: get the file again")

    if not name.isprintable() or not isinstance(entry, dict):
        raise damaged("is no tensor")
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in DTYPES:
        raise SourceError(f"{path}: {name} has the unknown type {str(kind)[:40]!r}: choose another model")
    sizes, place = _counts(shape), _counts(offsets)
    if sizes is None or place is None or len(place) != 2:
        raise damaged("has no shape or place")
    tensor = StoredTensor(path, name, kind, sizes, data_start + place[0])
    if place[1] - place[0] != tensor.size_bytes:
        raise damaged(f"of {kind} {tensor.shape} has {place[1] - place[0]} bytes, must have {tensor.size_bytes}")
    return tensor


def _counts(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list) or any(type(item) is not int or not 0 <= item < 1 << 48 for item in value):
        return None
    return tuple(value)

"""The safetensors container: some rows of one tensor at a time. Its table: engine/store/tensor_table.py.

The library's own reader maps files into memory, where one that is cut short while it is read ends the program; this one
reads what it needs. Knows nothing of what the tensors mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.errors import SourceError
from engine.store.tensor_table import TensorFileError, UnknownTypeError, read_places

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
        places = read_places(path)
    except OSError as error:
        raise SourceError(f"Cannot read {path}: {error.strerror}") from error
    except UnknownTypeError as error:
        raise SourceError(f"{error}: choose another model") from error
    except TensorFileError as error:
        raise SourceError(f"{error}: get the file again") from error
    return {name: StoredTensor(path, name, place.kind, place.shape, place.offset) for name, place in places.items()}

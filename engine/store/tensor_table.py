"""The table at the head of a safetensors file: which tensors it holds, and where.

Format: https://huggingface.co/docs/safetensors – header length, JSON header, tensors. Knows nothing of what they mean.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

# The library's own bound.
MAX_HEADER_BYTES = 100_000_000

ITEM_BYTES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
    "F8_E8M0": 1,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U64": 8,
    "U32": 4,
    "U16": 2,
    "U8": 1,
    "BOOL": 1,
}


class TensorFileError(ValueError):
    """A file is no whole safetensors file; the message names the file and what is wrong with it."""


class UnknownTypeError(TensorFileError):
    """A tensor is of a type that is not known."""


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """A tensor of a file; `offset` counts bytes from the file's start."""

    kind: str
    shape: tuple[int, ...]
    offset: int

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * ITEM_BYTES[self.kind]


def read_places(path: Path) -> dict[str, TensorPlace]:
    """All tensors of a file, by their names. Raises `TensorFileError`, OSError."""
    with path.open("rb") as file:
        size_bytes = path.stat().st_size
        header, data_start = _read_header(path, file, size_bytes)
    places = {name: _place(path, name, entry, data_start) for name, entry in header.items() if name != "__metadata__"}
    end = max((place.offset + place.size_bytes for place in places.values()), default=data_start)
    if end != size_bytes:
        raise TensorFileError(f"{path} has {size_bytes} bytes, its tensors end at {end}")
    return places


def _read_header(path: Path, file: BinaryIO, size_bytes: int) -> tuple[Mapping[str, Any], int]:
    length = int.from_bytes(file.read(8), "little")
    if size_bytes < 8 or length > min(MAX_HEADER_BYTES, size_bytes - 8):
        raise TensorFileError(f"{path} is no whole safetensors file")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise TensorFileError(f"{path} has a damaged header") from error
    if not isinstance(header, dict):
        raise TensorFileError(f"{path} has a header that is no table")
    return header, 8 + length


def _place(path: Path, name: str, entry: Any, data_start: int) -> TensorPlace:
    def damaged(what: str) -> TensorFileError:
        return TensorFileError(f"{path} is damaged, {name[:100]!r} {what}")

    if not name.isprintable() or not isinstance(entry, dict):
        raise damaged("is no tensor")
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in ITEM_BYTES:
        raise UnknownTypeError(f"{path}: {name} has the unknown type {str(kind)[:40]!r}")
    sizes, ends = _counts(shape), _counts(offsets)
    if sizes is None or ends is None or len(ends) != 2:
        raise damaged("has no shape or place")
    place = TensorPlace(kind, sizes, data_start + ends[0])
    if ends[1] - ends[0] != place.size_bytes:
        raise damaged(f"of {kind} {place.shape} has {ends[1] - ends[0]} bytes, must have {place.size_bytes}")
    return place


def _counts(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list) or any(type(item) is not int or not 0 <= item < 1 << 48 for item in value):
        return None
    return tuple(value)

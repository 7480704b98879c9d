"""Arrays into a safetensors file and back.

They are streamed, so that the digest is known at the end and nothing is copied twice; those that are read are views of
the mapped file. Knows nothing of checkpoints.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.store.files import FileRecord, write_file
from engine.store.tensor_table import TensorFileError, TensorPlace, read_places
from kernels.arrays import Array, host

_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype(np.float32),
    "F16": np.dtype(np.float16),
    "U8": np.dtype(np.uint8),
}
_KINDS = {dtype: kind for kind, dtype in _DTYPES.items()}


def write_tensors(path: Path, tensors: Mapping[str, Array]) -> FileRecord:
    """Write float32, float16 or uint8 arrays, or tensors, as one safetensors file. Raises `StorageError`."""
    arrays = [(name, np.ascontiguousarray(host(tensor))) for name, tensor in tensors.items()]
    # Widest first, so that every one starts at a multiple of its element's size.
    return write_file(path, _chunks(sorted(arrays, key=lambda item: (-item[1].itemsize, item[0]))))


def _chunks(arrays: list[tuple[str, NDArray[Any]]]) -> Iterator[bytes | memoryview]:
    header: dict[str, object] = {}
    offset = 0
    for name, array in arrays:
        end = offset + array.nbytes
        header[name] = {"dtype": _KINDS[array.dtype], "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little")
    yield text
    for _, array in arrays:
        yield array.reshape(-1).view(np.uint8).data


def map_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file of these types, read-only: they cost memory when they are touched, until all are let go.

    Raises `TensorFileError`, OSError.
    """
    places = read_places(path)
    with path.open("rb") as file:
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    return {name: _view(path, name, place, mapped) for name, place in places.items()}


def _view(path: Path, name: str, place: TensorPlace, mapped: NDArray[np.uint8]) -> NDArray[Any]:
    dtype = _DTYPES.get(place.kind)
    if dtype is None:
        raise TensorFileError(f"{path}: {name} is {place.kind}, must be one of {', '.join(_DTYPES)}")
    if place.offset % dtype.itemsize:
        raise TensorFileError(f"{path}: {name} begins at byte {place.offset}, must be a multiple of {dtype.itemsize}")
    try:
        return mapped[place.offset : place.offset + place.size_bytes].view(dtype).reshape(place.shape)
    except ValueError as error:
        raise TensorFileError(f"{path}: {name} cannot be of {len(place.shape)} dimensions: {error}") from error


def read_rows(path: Path, names: tuple[str, ...], start: int, stop: int) -> list[NDArray[Any]]:
    """Some rows of each of these arrays, copied. Raises as `map_tensors`."""
    tensors = map_tensors(path)
    missing = [name for name in names if name not in tensors]
    if missing:
        raise TensorFileError(f"{path} lacks {', '.join(missing)}")
    return [np.array(tensors[name][start:stop]) for name in names]

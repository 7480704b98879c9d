"""The GGUF container: key-value pairs, the table of tensors, and the rows of one tensor at a time.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The `gguf` package gives the block sizes; its own
reader is not used because it takes 8 s for a vocabulary of 150 000 tokens and never ends on some damaged files.
Knows nothing of what the keys and the tensors mean.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from engine.errors import SourceError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_DIMENSIONS = 4
# Bounds far above any real model, so that a damaged count is refused before it is allocated.
MAX_STRING_BYTES = 1 << 26
MAX_ARRAY_LENGTH = 1 << 24
MAX_COUNT = 1 << 20

_SCALARS = {
    GGUFValueType.UINT8: "<u1",
    GGUFValueType.INT8: "<i1",
    GGUFValueType.UINT16: "<u2",
    GGUFValueType.INT16: "<i2",
    GGUFValueType.UINT32: "<u4",
    GGUFValueType.INT32: "<i4",
    GGUFValueType.FLOAT32: "<f4",
    GGUFValueType.BOOL: "?",
    GGUFValueType.UINT64: "<u8",
    GGUFValueType.INT64: "<i8",
    GGUFValueType.FLOAT64: "<f8",
}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor of the file. `shape` is slowest first (rows, columns); `offset` counts from the file's start."""

    name: str
    kind: GGMLQuantizationType
    shape: tuple[int, ...]
    offset: int

    @property
    def num_columns(self) -> int:
        return self.shape[-1]

    @property
    def num_rows(self) -> int:
        rows = 1
        for size in self.shape[:-1]:
            rows *= size
        return rows

    @property
    def row_bytes(self) -> int:
        block_size, block_bytes = GGML_QUANT_SIZES[self.kind]
        return self.num_columns // block_size * block_bytes

    @property
    def size_bytes(self) -> int:
        return self.num_rows * self.row_bytes


class ReadableFile(Protocol):
    """What is read of a file, be it on a disk or on the hub."""

    def read(self, length: int, /) -> bytes: ...

    def readinto(self, buffer: memoryview, /) -> int: ...

    def seek(self, offset: int, /) -> int: ...

    def close(self) -> None: ...


class GgufFile:
    """A GGUF file of `size_bytes` that is open; a context manager, and closes it.

    Raises `SourceError` for anything that is not a whole GGUF file. `path` is how errors call it.
    """

    def __init__(self, path: Path, file: ReadableFile, size_bytes: int) -> None:
        self.path = path
        self._file = file
        try:
            self.metadata, self.tensors = _HeaderReader(path, file, size_bytes).read()
        except BaseException:
            self._file.close()
            raise

    @classmethod
    def open(cls, path: Path) -> GgufFile:
        """Raises `SourceError` if there is no such file as well."""
        try:
            if path.exists() and not path.is_file() and not path.is_dir():
                raise SourceError(f"{path} is no ordinary file: name the model file itself")
            file = path.open("rb")
            size_bytes = path.stat().st_size
        except FileNotFoundError as error:
            raise SourceError(f"There is no file {path}: check the path") from error
        except OSError as error:
            reason = "it is a folder, name the file in it" if path.is_dir() else error.strerror
            raise SourceError(f"Cannot read {path}: {reason}") from error
        return cls(path, file, size_bytes)

    def __enter__(self) -> GgufFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def read_rows(self, tensor: TensorInfo, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """The bytes of some rows: uint8 [stop - start, row_bytes]. Raises `SourceError` if the file ends early."""
        wanted = (stop - start) * tensor.row_bytes
        rows = np.empty(wanted, np.uint8)
        try:
            self._file.seek(tensor.offset + start * tensor.row_bytes)
            got = self._file.readinto(rows.data)
        except OSError as error:
            raise SourceError(f"Cannot read {self.path}: {error.strerror}") from error
        if got != wanted:
            raise SourceError(f"{self.path} was cut short, get it again: it ends within {tensor.name}")
        return rows.reshape(stop - start, tensor.row_bytes)


class _HeaderReader:
    """Reads forward through the header; every length is held against the bytes that are left."""

    def __init__(self, path: Path, file: ReadableFile, size_bytes: int) -> None:
        self._path = path
        self._file = file
        self._size_bytes = size_bytes
        self._position = 0

    def read(self) -> tuple[Mapping[str, Any], Mapping[str, TensorInfo]]:
        self._check_start()
        num_tensors, num_pairs = self._count(), self._count()
        metadata: dict[str, Any] = {}
        for _ in range(num_pairs):
            key = self._name("a key")
            if key in metadata:
                raise self._damaged(f"the key {key} comes twice")
            metadata[key] = self._value(key)
        described = [self._tensor() for _ in range(num_tensors)]
        data_start = self._position + -self._position % self._alignment(metadata)
        tensors: dict[str, TensorInfo] = {}
        for name, kind, shape, offset in described:
            if name in tensors:
                raise self._damaged(f"the tensor {name} comes twice")
            tensors[name] = TensorInfo(name, kind, shape, data_start + offset)
            end = tensors[name].offset + tensors[name].size_bytes
            if end > self._size_bytes:
                raise SourceError(
                    f"{self._path} was cut short, get it again: it has {self._size_bytes} bytes, {name} ends at {end}"
                )
        return metadata, tensors

    def _check_start(self) -> None:
        if self._size_bytes < len(MAGIC) or self._take(len(MAGIC)) != MAGIC:
            raise SourceError(f"{self._path} is not a GGUF file, whatever its name says: download the model again")
        version = self._number("I")
        if version & 0xFFFF == 0:
            raise SourceError(f"{self._path} is a big-endian GGUF file: get the little-endian one")
        if version not in VERSIONS:
            raise SourceError(f"{self._path} has GGUF version {version}, 2 and 3 can be read: get a newer file")

    def _alignment(self, metadata: Mapping[str, Any]) -> int:
        alignment = metadata.get("general.alignment", 32)
        if type(alignment) is not int or alignment <= 0 or alignment & (alignment - 1):
            raise self._damaged(f"the alignment {alignment!r} is no power of two")
        return alignment

    def _value(self, key: str) -> Any:
        kind = self._value_type(key)
        if kind is GGUFValueType.STRING:
            return self._string(key)
        if kind is not GGUFValueType.ARRAY:
            return self._scalars(kind, 1)[0]
        kind, length = self._value_type(key), self._number("Q")
        if length > MAX_ARRAY_LENGTH:
            raise self._damaged(f"{key} claims {length} elements")
        if kind is GGUFValueType.STRING:
            return [self._string(key) for _ in range(length)]
        if kind is GGUFValueType.ARRAY:
            raise self._damaged(f"{key} holds arrays of arrays")
        return self._scalars(kind, length)

    def _value_type(self, key: str) -> GGUFValueType:
        number = self._number("I")
        try:
            return GGUFValueType(number)
        except ValueError as error:
            raise self._damaged(f"{key} has the unknown type {number}") from error

    def _scalars(self, kind: GGUFValueType, length: int) -> list[Any]:
        dtype = np.dtype(_SCALARS[kind])
        values: list[Any] = np.frombuffer(self._take(length * dtype.itemsize), dtype).tolist()
        return values

    def _tensor(self) -> tuple[str, GGMLQuantizationType, tuple[int, ...], int]:
        name = self._name("a tensor's name")
        num_dimensions = self._number("I")
        if not 1 <= num_dimensions <= MAX_DIMENSIONS:
            raise self._damaged(f"{name} claims {num_dimensions} dimensions")
        shape = tuple(self._number("Q") for _ in range(num_dimensions))[::-1]
        number = self._number("I")
        try:
            kind = GGMLQuantizationType(number)
            block_size = GGML_QUANT_SIZES[kind][0]
        except (ValueError, KeyError) as error:
            raise SourceError(f"{self._path}: {name} has the unknown type {number}: get a Q4_1 or Q8_0 file") from error
        if min(shape) < 1 or shape[-1] % block_size:
            raise self._damaged(f"{name} has the shape {shape} in blocks of {block_size}")
        return name, kind, shape, self._number("Q")

    def _count(self) -> int:
        count = self._number("Q")
        if count > MAX_COUNT:
            raise self._damaged(f"it claims {count} entries")
        return count

    def _name(self, what: str) -> str:
        """A string that is fit to be shown in a message."""
        name = self._string(what)
        if not name.isprintable():
            raise self._damaged(f"{what} has unprintable characters")
        return name

    def _string(self, what: str) -> str:
        length = self._number("Q")
        if length > MAX_STRING_BYTES:
            raise self._damaged(f"{what} claims {length} bytes")
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            raise self._damaged(f"{what} is not UTF-8") from error

    def _number(self, code: str) -> int:
        number: int = struct.unpack("<" + code, self._take(struct.calcsize(code)))[0]
        return number

    def _take(self, length: int) -> bytes:
        data = b"" if length > self._size_bytes - self._position else self._file.read(length)
        if len(data) != length:
            raise SourceError(f"{self._path} was cut short, get it again: it ends within its header")
        self._position += length
        return data

    def _damaged(self, what: str) -> SourceError:
        return SourceError(f"{self._path} is damaged, {what}: get the file again")

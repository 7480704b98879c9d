"""A model's matrices as a backend's kernels read them, one after the other in a file that is mapped to run the model.

Its pages belong to the system: it reads, shares and drops them as it likes, in large pages where it can, since matrices
that are read whole with every token are read half as fast again that way. All of it can be made again from the plain
matrices beside it. Knows nothing of what the bytes mean.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from engine.store.files import CHUNK_BYTES, new_file, require_free_space, storage_errors
from engine.store.lock import exclusive

PREPARED_FILE = "prepared.bin"
LOCK_FILE = "prepared.lock"
_HEADER_BYTES = 4096
"""A JSON object and blanks; what follows begins on a page."""
_ALIGNMENT = 64
_KEPT_FREE_BYTES = 1 << 30
"""The last of a disk is not for what can be done without."""


@dataclass(frozen=True, slots=True)
class PreparedIdentity:
    """What the content depends on: the order of the matrices, how a matrix lies, and the model's plain weights."""

    order: int
    layout: str
    weights_digest: str


class PreparedFile:
    """A mapped file, to be taken apart in the order in which it was written."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped = mapped
        self._data = memoryview(mapped)[_HEADER_BYTES:]
        self._offset = 0

    @classmethod
    def open(cls, folder: Path, identity: PreparedIdentity) -> PreparedFile | None:
        """None unless the file is there, whole in size and of this identity; the content is not read."""
        try:
            with (folder / PREPARED_FILE).open("rb") as file:
                header = _read_header(file)
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        is_whole = header.get("data_bytes") == len(mapped) - _HEADER_BYTES
        return cls(mapped) if is_whole and header.get("identity") == asdict(identity) else None

    def expect_whole_reads(self, first_byte: int) -> None:
        """Ask for large pages from a byte of the content on, as what follows is not read a row here and there."""
        if sys.platform == "linux":
            start = (_HEADER_BYTES + first_byte) // mmap.PAGESIZE * mmap.PAGESIZE
            # A system without them says EINVAL, and has only missed a hint.
            with suppress(OSError):
                self._mapped.madvise(mmap.MADV_HUGEPAGE, start)

    def take(self, size_bytes: int) -> memoryview:
        """The next matrix, read-only and aligned to 64."""
        start, end = self._offset, self._offset + size_bytes
        assert end <= len(self._data), (end, len(self._data))
        self._offset = end + -end % _ALIGNMENT
        return self._data[start:end]


@contextmanager
def new_prepared_file(
    folder: Path, identity: PreparedIdentity, about_bytes: int
) -> Iterator[Callable[[memoryview], None]]:
    """Gives what appends a matrix; the file is there, in place of an older one, once the block has ended well.

    Raises `StorageError` if another process is about it or it cannot be written, `NoRoomError` if `about_bytes` would
    leave little of the disk.
    """
    require_free_space(folder, about_bytes + _KEPT_FREE_BYTES)
    path, digest, offset = folder / PREPARED_FILE, hashlib.sha256(), 0
    with (
        exclusive(folder / LOCK_FILE, f"{path} is being made by another process"),
        storage_errors(path),
        new_file(path) as file,
    ):

        def write(data: memoryview | bytes) -> None:
            nonlocal offset
            file.write(data)
            digest.update(data)
            offset += len(data)

        def append(data: memoryview) -> None:
            write(bytes(-offset % _ALIGNMENT))
            write(data)

        file.write(bytes(_HEADER_BYTES))
        yield append
        header = {"identity": asdict(identity), "data_bytes": offset, "sha256": digest.hexdigest()}
        file.seek(0)
        file.write(json.dumps(header).encode().ljust(_HEADER_BYTES))
    _forget_written_pages(path)


def _forget_written_pages(path: Path) -> None:
    """Writing leaves a file in memory in small pages, which a mapping takes as they are; read again, they are large."""
    if sys.platform == "linux":
        with suppress(OSError), path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def prepared_bytes(folder: Path) -> int:
    """What the file takes on the disk; 0 without one."""
    try:
        return (folder / PREPARED_FILE).stat().st_size
    except OSError:
        return 0


def remove_damaged(folder: Path) -> bool:
    """Read the file, if there is one, and remove it if it is not what was written. Raises `StorageError`."""
    path = folder / PREPARED_FILE
    with storage_errors(path), suppress(FileNotFoundError):
        with path.open("rb") as file:
            is_damaged = not _is_whole(file)
        if is_damaged:
            path.unlink()
        return is_damaged
    return False


def _is_whole(file: BinaryIO) -> bool:
    try:
        wanted = _read_header(file)["sha256"]
    except (ValueError, KeyError):
        return False
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest() == wanted


def _read_header(file: BinaryIO) -> dict[str, object]:
    """Leaves the file behind it. Raises OSError, and ValueError unless it is a JSON object."""
    header = json.loads(file.read(_HEADER_BYTES))
    if not isinstance(header, dict):
        raise ValueError("no JSON object")
    return header

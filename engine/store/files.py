"""Files written whole or not at all, their digests, and the errors of a disk put into words.

Knows nothing of what the files hold.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.errors import JobCancelledError, NoRoomError, StorageError

CHUNK_BYTES = 1 << 20
OnBytes = Callable[[int], None]
"""Told of each further count of bytes."""

IS_WINDOWS = sys.platform == "win32"
REPLACE_PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8)
"""How long to wait, each time, for a program on Windows that holds what is to be renamed."""

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = tuple(getattr(errno, name) for name in ("ENOSPC", "EDQUOT") if hasattr(errno, name))


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a file must be: `sha256` in hex digits, `size_bytes`."""

    sha256: str
    size_bytes: int


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns an OSError of writing at `path` into a `StorageError` that says what to do; `NoRoomError` if it is full."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            message = f"The disk is full, writing {path}: free some space and start again, finished parts are kept"
            raise NoRoomError(message, path.parent) from error
        raise StorageError(_describe(error, path)) from error


def _describe(error: OSError, path: Path) -> str:
    if IS_WINDOWS and isinstance(error, PermissionError):
        # Windows says the same of a forbidden folder and of a file that somebody has open.
        return (
            f"Cannot write {path}: another program may hold it, such as a virus scanner. Start again, finished parts "
            "are kept; if it happens every time, choose another folder with --home"
        )
    if error.errno in _READ_ONLY:
        return f"Cannot write {path}: the folder is read-only for you, choose another with --home"
    return f"Cannot write {path}: {error.strerror or error}"


@contextmanager
def new_file(path: Path, *, is_durable: bool = True) -> Iterator[BinaryIO]:
    """A temporary neighbour of `path`, open for writing: it becomes `path` if the block ends well, else it is removed.

    Without `is_durable` a power failure may leave an empty file, which costs a wait for the disk less. Raises OSError.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def write_file(path: Path, chunks: Iterable[bytes | memoryview], *, is_durable: bool = True) -> FileRecord:
    """Write `path` through `new_file`, so that it is there whole or not at all. Raises `StorageError`."""
    digest, size_bytes = hashlib.sha256(), 0
    with storage_errors(path), new_file(path, is_durable=is_durable) as file:
        for chunk in chunks:
            file.write(chunk)
            digest.update(chunk)
            size_bytes += len(chunk)
    return FileRecord(digest.hexdigest(), size_bytes)


def replace(source: Path, target: Path) -> None:
    """`os.replace`; on Windows tried for a while, as virus scanners open what is new. Raises OSError."""
    for pause_s in REPLACE_PAUSES_S if IS_WINDOWS else ():
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(pause_s)
        else:
            return
    os.replace(source, target)


def hash_file(
    path: Path, on_bytes: OnBytes | None = None, is_cancelled: Callable[[], bool] | None = None
) -> FileRecord:
    """Digest and size of a file, read in chunks. Raises OSError, and `JobCancelledError` between two chunks."""
    digest, size_bytes = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            check_cancelled(is_cancelled)
            digest.update(chunk)
            size_bytes += len(chunk)
            if on_bytes is not None:
                on_bytes(len(chunk))
    return FileRecord(digest.hexdigest(), size_bytes)


def check_cancelled(is_cancelled: Callable[[], bool] | None) -> None:
    """The safe point of a long job: raises `JobCancelledError` once `is_cancelled()`."""
    if is_cancelled is not None and is_cancelled():
        raise JobCancelledError("Cancelled: finished parts are kept, start again to go on")


def free_space(folder: Path) -> int:
    """Free bytes on the disk of `folder`, or of its first parent that exists. Raises `StorageError`."""
    with storage_errors(folder):
        return shutil.disk_usage(nearest_existing(folder)).free


def nearest_existing(path: Path) -> Path:
    """`path`, or its first parent that exists."""
    path = path.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def require_free_space(folder: Path, needed_bytes: int) -> None:
    """Raises `NoRoomError` with both numbers unless the disk of `folder`, or of its first parent, has the room."""
    free_bytes = free_space(folder)
    if free_bytes < needed_bytes:
        raise NoRoomError(
            f"Needs {file_size(needed_bytes)} in {folder}, {file_size(free_bytes)} free: "
            "free some space, or choose another folder with --home",
            folder,
            needed_bytes,
        )


def file_size(size_bytes: int) -> str:
    """A size on disk or of a download for reading, in powers of 1000 as in the window: "95.4 MB", "1.2 GB"."""
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes < 1e9 else f"{size_bytes / 1e9:.1f} GB"

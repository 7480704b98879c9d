"""A lock between processes, held by the operating system so that it ends with its process, killed or not.

Knows nothing of what is being locked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import BusyError
from engine.store.files import storage_errors

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def exclusive(path: Path, busy_message: str) -> Iterator[None]:
    """Hold the lock file `path`. Raises `BusyError(busy_message)` at once if another holder lives.

    The file stays: removing it would let a third process lock a new file of the same name.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            _take(descriptor)
        except OSError as error:
            raise BusyError(busy_message) from error
        yield
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock file `path` at this moment."""
    if not path.exists():
        return False
    try:
        with exclusive(path, "held"):
            return False
    except BusyError:
        return True

"""A lock between processes, held by the operating system so that it ends with its process, killed or not.

Knows nothing of what is being locked.
"""

from __future__ import annotations

import os
import sys
import time
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


_NUM_ATTEMPTS, _PAUSE_S = 5, 0.02
"""`is_held` has a lock for a moment, as not every system can be asked of one: who wants to hold it tries again."""


@contextmanager
def exclusive(path: Path, busy_message: str) -> Iterator[None]:
    """Hold the lock file `path`. Raises `BusyError(busy_message)` if another holder lives for a tenth of a second.

    The file stays: removing it would let a third process lock a new file of the same name.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _take_soon(descriptor, busy_message)
        yield
    finally:
        os.close(descriptor)


def _take_soon(descriptor: int, busy_message: str) -> None:
    for num_left in reversed(range(_NUM_ATTEMPTS)):
        try:
            _take(descriptor)
            return
        except OSError as error:
            if num_left == 0:
                raise BusyError(busy_message) from error
        time.sleep(_PAUSE_S)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock file `path` at this moment."""
    with storage_errors(path):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
    try:
        _take(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False

"""Keeps the C library's heap from growing by what lies free in it. Knows nothing of who uses it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

_M_MMAP_THRESHOLD = -3
"""The parameter's number in glibc's malloc.h."""
_LARGE_BYTES = 1 << 20
_USUAL_BYTES = 32 << 20
"""What glibc's own threshold grows to once arrays of that size have come and gone."""


@contextmanager
def large_blocks_returned() -> Iterator[None]:
    """Inside, memory of large arrays goes back to the system as soon as they are gone.

    Conversion makes and drops arrays of some megabytes and ever changing size; glibc would keep them, and the
    process would grow by half. The other systems' allocators return large blocks by themselves.
    """
    set_parameter = _mallopt()
    if set_parameter is None:
        yield
        return
    set_parameter(_M_MMAP_THRESHOLD, _LARGE_BYTES)
    try:
        yield
    finally:
        set_parameter(_M_MMAP_THRESHOLD, _USUAL_BYTES)


def _mallopt() -> Callable[..., int] | None:
    """None where the C library is another than glibc."""
    if sys.platform != "linux":
        return None
    try:
        return cast("Callable[..., int]", ctypes.CDLL("libc.so.6").mallopt)
    except (OSError, AttributeError):
        return None

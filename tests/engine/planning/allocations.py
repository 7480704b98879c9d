"""What this process has allocated, counted by the C library itself; and the most of it while a backend computes.

torch, the native kernels and ctypes all take their memory there; Python's own small objects lie elsewhere, and are left
out. Knows nothing of models.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from kernels.ops import Backend

OPERATIONS = (
    "embed",
    "norm_linear",
    "rope_append",
    "latent_append",
    "paged_attention",
    "grouped_linear",
    "linear_add",
    "norm_gate_up",
    "norm_experts",
    "sample",
)


_FIELDS = (
    "arena",
    "ordblks",
    "smblks",
    "hblks",
    "hblkhd",
    "usmblks",
    "fsmblks",
    "uordblks",
    "fordblks",
    "keepcost",
)


class _MallocInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc's malloc.h."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _FIELDS)


def _find_counter() -> Callable[[], _MallocInfo] | None:
    counter = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform == "linux" else None
    if counter is not None:
        counter.restype = _MallocInfo
    return counter


_counter = _find_counter()
CAN_COUNT = _counter is not None
"""With glibc from 2.33 on."""


def allocated_bytes() -> int:
    """What is in use, in arenas and in mappings of their own."""
    assert _counter is not None
    info = _counter()
    return int(info.uordblks + info.hblkhd)


class Peak:
    """The most that was in use whenever one of the backend's operations had its result."""

    def __init__(self, backend: Backend) -> None:
        self.bytes = 0
        for name in OPERATIONS:
            setattr(backend, name, self._watched(getattr(backend, name)))

    def look(self) -> None:
        self.bytes = max(self.bytes, allocated_bytes())

    def _watched(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            result = operation(*args, **options)
            self.look()
            return result

        return run

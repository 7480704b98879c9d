"""Owns the request to Linux that the window's thread, when it wakes, does not wait for another thread's slice to end.

On two cores the engine's threads take both. A thread that asks for a short slice goes before one with a longer slice
as soon as it wakes (EEVDF scheduler, Linux 6.12; `sched(7)`, `sched_setattr(2)`); it gets no more time in all. Windows
does so by itself for the window in front.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys

_SYSCALLS = {"x86_64": 314, "aarch64": 274}
"""Numbers of `sched_setattr`, for which the C library has no function before glibc 2.41."""
_RESET_ON_FORK = 0x01
_SLICE_NS = 100_000
"""The shortest that Linux takes."""


class SchedAttr(ctypes.Structure):
    """`struct sched_attr` of `sched_setattr(2)`, first version. `runtime` is the slice, in nanoseconds."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def ask_for_short_slice() -> bool:
    """For the calling thread, and for none that it starts; whether the system takes such requests.

    A Linux before 6.12 takes it and does nothing with it.
    """
    number = _SYSCALLS.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return False
    # Policy 0 is SCHED_OTHER, the one that it has.
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    attr = SchedAttr(ctypes.sizeof(SchedAttr), 0, _RESET_ON_FORK, niceness, 0, _SLICE_NS, 0, 0)
    return bool(ctypes.CDLL(None).syscall(number, 0, ctypes.byref(attr), 0) == 0)

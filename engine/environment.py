"""What the engine asks of the system: what libraries read as they load, and its threads' place in the queue."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_TELEMETRY_VARIABLE = "HF_HUB_DISABLE_TELEMETRY"
_SPIN_VARIABLE = "GOMP_SPINCOUNT"
_SPIN_COUNT = "2000"
_THREADS_VARIABLE = "OMP_NUM_THREADS"
_NICENESS = 5
_BELOW_NORMAL = -1
"""THREAD_PRIORITY_BELOW_NORMAL of Windows."""
_SHORT_SLICE_NS = 100_000
_LONG_SLICE_NS = 10_000_000
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""The system call's number on Linux, by machine."""
_added: set[str] = set()


class _SchedAttr(ctypes.Structure):
    """`struct sched_attr` of Linux, in its first version: man 2 sched_setattr."""

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


def prepare_environment(num_threads: int | None = None) -> None:
    """Let huggingface_hub tell nothing that it need not, and idle arithmetic threads spin briefly and then park.

    What the user has set stays. With `num_threads`, torch has so many once a conversion loads it.

    GNU OpenMP spins for milliseconds by default. With any other busy program on the machine, the thread that should
    work then waits for one that spins: docs/adr/0007-threads-that-park.md has figures.
    """
    if _TELEMETRY_VARIABLE not in os.environ:
        # Else huggingface_hub tells the hub which libraries are here and asks it for a list of programs to look for.
        os.environ[_TELEMETRY_VARIABLE] = "1"
        _added.add(_TELEMETRY_VARIABLE)
    if num_threads is not None and _THREADS_VARIABLE not in os.environ:
        os.environ[_THREADS_VARIABLE] = str(num_threads)
        _added.add(_THREADS_VARIABLE)
    if "OMP_WAIT_POLICY" not in os.environ and _SPIN_VARIABLE not in os.environ:
        os.environ[_SPIN_VARIABLE] = _SPIN_COUNT
        _added.add(_SPIN_VARIABLE)


def foreign_environment() -> dict[str, str]:
    """The environment as it was before `prepare_environment`, for programs that are to run as they would without us."""
    return {name: value for name, value in os.environ.items() if name not in _added}


def lower_thread_priority() -> None:
    """Let the thread that calls it, and those it starts, give way to the window's whenever that has something to do.

    Measured with four chats streaming on two cores: the median lag of the window's event loop is less than half.
    Does nothing on systems where a thread has no priority of its own.
    """
    if sys.platform == "linux":
        thread_id = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread_id, os.getpriority(os.PRIO_PROCESS, thread_id) + _NICENESS)
        _set_slice(_LONG_SLICE_NS)
    elif sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentThread.restype = ctypes.c_void_p
        kernel.SetThreadPriority(ctypes.c_void_p(kernel.GetCurrentThread()), _BELOW_NORMAL)


def shorten_time_slice() -> None:
    """Let the thread that calls it have a core as soon as it has something to do, if it never does much at a time.

    Threads that it starts do as it does, until they call `lower_thread_priority`. Linux's scheduler gives a core at
    once to a thread whose slice is shorter than that of the thread at work, and at the next tick otherwise, which is up
    to 4 ms later: docs/adr/0008-native-cpu-kernels.md has figures. Does nothing on other systems.
    """
    if sys.platform == "linux":
        _set_slice(_SHORT_SLICE_NS)


def _set_slice(slice_ns: int) -> None:
    """For the thread that calls it. Kernels before 6.12 take the length for nothing; a refusal changes nothing."""
    number = _SCHED_SETATTR.get(platform.machine())
    if number is None:
        return
    niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    attributes = _SchedAttr(size=ctypes.sizeof(_SchedAttr), nice=niceness, runtime=slice_ns)
    ctypes.CDLL(None).syscall(number, 0, ctypes.byref(attributes), 0)


@contextmanager
def loading_modules() -> Iterator[None]:
    """Around imports of torch and what stands on it: without the collector, which finds nothing among their objects.

    It would look through hundreds of thousands of them again and again, a tenth of the time that the import takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def return_free_memory() -> None:
    """Give the system what was freed and is kept for later: loading leaves tens of MiB of it. Only glibc keeps so much.

    Not to be called often; it walks all of the heap.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)

"""The worker threads and scratch memory of the native kernels, with the lifetime of a Python object."""

from __future__ import annotations

import ctypes
import weakref

from kernels.cpu.library import shared

SPIN_US = 50
"""How long an idle worker spins before it parks; docs/adr/0008-native-cpu-kernels.md has figures."""

MAX_WORKERS = 64


class Pool:
    """`num_workers` threads, the caller of an operation counted in. One operation at a time, from any thread.

    `handle` and `scratch` are what the native functions take. Raises MemoryError if threads cannot be had.
    """

    def __init__(self, num_workers: int, spin_us: int = SPIN_US) -> None:
        assert 1 <= num_workers <= MAX_WORKERS, (num_workers, MAX_WORKERS)
        self.library: ctypes.CDLL = shared()
        self.num_workers = num_workers
        pool = self.library.di_pool_create(num_workers, spin_us)
        scratch = self.library.di_scratch_create(num_workers)
        if pool is None or scratch is None:
            raise MemoryError(f"no memory for {num_workers} worker threads")
        self.handle = ctypes.c_void_p(pool)
        self.scratch = ctypes.c_void_p(scratch)
        self.close = weakref.finalize(self, _destroy, self.library, self.handle, self.scratch)


def _destroy(library: ctypes.CDLL, pool: ctypes.c_void_p, scratch: ctypes.c_void_p) -> None:
    library.di_pool_destroy(pool)
    library.di_scratch_destroy(scratch)

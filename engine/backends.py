"""The backend that was asked for, or an error that a person can act on. Knows nothing of models."""

from __future__ import annotations

from engine.config import KvDtype
from engine.errors import BackendError
from engine.planner import num_physical_cores
from kernels.backends import BackendUnavailableError, load_backend
from kernels.ops import Backend


def choose_backend(name: str, num_threads: int | None = None, kv_dtype: KvDtype = "auto") -> Backend:
    """As `load_backend`; raises `BackendError` if it cannot run on this machine."""
    try:
        return load_backend(name, num_threads or num_physical_cores(), "int8" if kv_dtype == "int8" else None)
    except BackendUnavailableError as error:
        raise BackendError(str(error)) from error

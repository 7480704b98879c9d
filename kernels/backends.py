"""The choice of a backend by its name. Knows nothing of what the backends compute."""

from __future__ import annotations

import logging

import torch

from kernels.cpu.backend import CpuBackend
from kernels.cpu.library import NativeUnavailableError
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend

_log = logging.getLogger(__name__)


class BackendUnavailableError(RuntimeError):
    """The backend cannot run on this machine; the message says what to use instead."""


def load_backend(name: str, num_threads: int | None = None, kv_dtype: torch.dtype | None = None) -> Backend:
    """The backend called `reference`, `cpu` or `gpu`. `num_threads` None leaves torch's choice.

    `kv_dtype` is that of its pools: int8, or None for its own choice.

    Without native kernels `cpu` is the slower one of torch's, and the log says why.
    Raises `BackendUnavailableError` if it cannot run here, `ValueError` for any other name.
    """
    if num_threads is not None:
        torch.set_num_threads(num_threads)
    if name == "reference":
        return ReferenceBackend(kv_dtype or torch.float32)
    if name == "cpu":
        return _load_cpu(kv_dtype)
    if name == "gpu":
        raise BackendUnavailableError("This version has no GPU kernels: use --backend cpu")
    raise ValueError(f"unknown backend {name!r}: use reference, cpu or gpu")


def _load_cpu(kv_dtype: torch.dtype | None) -> Backend:
    try:
        return CpuBackend(kv_dtype=kv_dtype or torch.float16)
    except NativeUnavailableError as error:
        _log.warning("%s. Until then torch computes, several times slower", error)
        return TorchBackend(kv_dtype=kv_dtype or torch.bfloat16)

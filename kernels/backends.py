"""The choice of a backend by its name. Knows nothing of what the backends compute."""

from __future__ import annotations

import logging
from typing import Literal

from kernels.cpu.backend import CpuBackend
from kernels.cpu.library import NativeUnavailableError
from kernels.ops import Backend

_log = logging.getLogger(__name__)


class BackendUnavailableError(RuntimeError):
    """The backend cannot run on this machine; the message says what to use instead."""


def load_backend(name: str, num_threads: int | None = None, kv_dtype: Literal["int8"] | None = None) -> Backend:
    """The backend called `reference`, `cpu` or `gpu`, on numpy's arrays. `num_threads` None: the physical cores.

    `kv_dtype` is that of its pools: int8, or None for its own choice.

    Without native kernels `cpu` is the slower one of torch's; its `handicap` and the log say why.
    Raises `BackendUnavailableError` if it cannot run here, `ValueError` for any other name.
    """
    if name == "reference":
        return _load_torch(name, num_threads, kv_dtype)
    if name == "cpu":
        try:
            return CpuBackend(num_threads, kv_dtype or "float16")
        except NativeUnavailableError as error:
            backend = _load_torch(name, num_threads, kv_dtype)
            backend.handicap = f"Answers take several times as long as they could: {error}"
            _log.warning("%s", backend.handicap)
            return backend
    if name == "gpu":
        raise BackendUnavailableError("This version has no GPU kernels: use --backend cpu")
    raise ValueError(f"unknown backend {name!r}: use reference, cpu or gpu")


def _load_torch(name: str, num_threads: int | None, kv_dtype: Literal["int8"] | None) -> Backend:
    # torch takes a second and 190 MiB, so only those who compute with it load it.
    import torch

    from kernels.faces import ArrayFace
    from kernels.fallback.backend import TorchBackend
    from kernels.reference import ReferenceBackend

    if num_threads is not None:
        torch.set_num_threads(num_threads)
    if name == "reference":
        return ArrayFace(ReferenceBackend(torch.int8 if kv_dtype else torch.float32))
    return ArrayFace(TorchBackend(kv_dtype=torch.int8 if kv_dtype else torch.bfloat16))

"""The choice of a backend by its name. Knows nothing of what the backends compute."""

from __future__ import annotations

import torch

from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend


class BackendUnavailableError(RuntimeError):
    """The backend cannot run on this machine; the message says what to use instead."""


def load_backend(name: str, num_threads: int | None = None) -> Backend:
    """The backend called `reference`, `cpu` or `gpu`. `num_threads` None leaves torch's choice.

    Raises `BackendUnavailableError` if it cannot run here, `ValueError` for any other name.
    """
    if num_threads is not None:
        torch.set_num_threads(num_threads)
    if name == "reference":
        return ReferenceBackend()
    if name == "cpu":
        return TorchBackend()
    if name == "gpu":
        raise BackendUnavailableError("This version has no GPU kernels: use --backend cpu")
    raise ValueError(f"unknown backend {name!r}: use reference, cpu or gpu")

"""Fixtures of the kernels' tests: fresh memory is filled with NaN, random numbers are seeded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from kernels import arrays
from kernels.cpu.backend import CpuBackend
from kernels.faces import TensorFace
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend


@pytest.fixture(autouse=True)
def nan_filled_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Memory that is not written shows: in deterministic mode torch fills that of every `empty` with NaN, as we do."""
    monkeypatch.setattr(arrays, "_allocated", lambda num_bytes: np.full(num_bytes, 0xFF, np.uint8))
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """On a busy machine threads that wait for one another make hundreds of small operations take minutes."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def reference() -> Backend:
    return ReferenceBackend()


@pytest.fixture(params=["native", "native-float32", "native-int8", "torch-bfloat16", "torch-float32", "torch-int8"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend that is held to the reference, on each kind of pool; torch's with both ways to write weights out."""
    kind, _, dtype = request.param.partition("-")
    if kind == "native":
        return TensorFace(CpuBackend(num_threads=2, kv_dtype=dtype or "float16"))
    if dtype == "int8":
        return TorchBackend(dense_dtype=torch.float32, kv_dtype=torch.int8)
    return TorchBackend(dense_dtype=getattr(torch, dtype))

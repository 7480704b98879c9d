"""Backends are found by name, and those that cannot run here say what to use."""

from __future__ import annotations

import pytest
import torch

from kernels import backends
from kernels.backends import BackendUnavailableError, load_backend
from kernels.cpu import backend as cpu_backend
from kernels.cpu.backend import CpuBackend
from kernels.cpu.library import NativeUnavailableError


def test_backends_are_found_by_name() -> None:
    assert [load_backend(name).name for name in ("reference", "cpu")] == ["reference", "cpu"]
    with pytest.raises(BackendUnavailableError, match="--backend cpu"):
        load_backend("gpu")
    with pytest.raises(ValueError, match="'tpu'"):
        load_backend("tpu")


def test_more_threads_than_the_pool_can_have_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_backend, "MAX_WORKERS", 2)
    assert CpuBackend(num_threads=100)._pool.num_workers == 2


def test_the_number_of_threads_is_torchs() -> None:
    before = torch.get_num_threads()
    load_backend("cpu", num_threads=1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


def test_without_native_kernels_another_computes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> CpuBackend:
        raise NativeUnavailableError("The native CPU kernels need a processor with AVX2, FMA and F16C")

    assert load_backend("cpu").handicap == ""
    monkeypatch.setattr(backends, "CpuBackend", refuse)
    backend = load_backend("cpu")
    assert backend.name == "cpu"
    assert backend.handicap.startswith("Answers take several times as long as they could: The native CPU kernels need")

"""One backend seen through the other library's arrays: the same memory, the same bits, and no work done twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from kernels.cpu.backend import CpuBackend
from kernels.faces import ArrayFace, ConvertingStack, TensorFace
from kernels.fallback.backend import TorchBackend
from kernels.formats import dequantize, quantize
from kernels.ops import AttentionBatch, Experts, Norm
from kernels.reference import ReferenceBackend
from kernels.tensors import arrays_of, bits_of, tensor_of, tensors_of
from tests.kernels.test_native_stack import prepare


def test_arrays_and_tensors_are_on_the_same_memory() -> None:
    array = np.zeros((2, 3), np.float32)
    tensor = tensor_of(array)
    tensor[1, 2] = 5
    assert array[1, 2] == 5
    half = torch.ones(4).bfloat16()
    bits_of(half)[0] = 0
    assert half.tolist() == [0, 1, 1, 1]
    assert tensor_of(bits_of(half)).dtype == torch.bfloat16


def test_what_occurs_twice_is_converted_once_and_prepared_weights_stay() -> None:
    table = np.arange(3)
    batch = tensors_of(AttentionBatch((0, 1, 2), (3, 4), (table, table)))
    assert batch.block_tables[0] is batch.block_tables[1]
    weight = CpuBackend(1).prepare(quantize(torch.randn(8, 32), 4, 32, has_minimum=True))
    norm = Norm(np.ones(4, np.float32), 1e-5)
    experts = Experts(np.ones((1, 4), np.float32), (weight,), (weight,), 1, False, "silu")
    found = tensors_of((norm, experts, None, 3))
    assert isinstance(found[0].weight, torch.Tensor)
    assert isinstance(found[1].router, torch.Tensor)
    assert found[1].gate_up[0] is weight
    assert found[2:] == (None, 3)
    assert isinstance(arrays_of(found[0]).weight, np.ndarray)


def test_one_batch_is_planned_once_for_all_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = CpuBackend(1)
    seen, find = [], backend._plans.find
    monkeypatch.setattr(
        backend._plans, "find", lambda pool, batch, shape: seen.append(batch) or find(pool, batch, shape)
    )
    face = TensorFace(backend)
    pool, q = torch.zeros(3, 1, 4, 8).half(), torch.randn(2, 2, 8)
    batch = AttentionBatch((0, 2), (6,), (torch.tensor([1, 2]),))
    for _ in range(3):
        face.paged_attention(q, pool, pool, batch, 0.3)
    face.paged_attention(q, pool, pool, replace(batch), 0.3)
    assert seen[0] is seen[1] is seen[2] is not seen[3]


@pytest.mark.parametrize("inner", [ReferenceBackend, TorchBackend])
def test_the_engine_sees_numpy_and_the_numbers_kinds_name(inner: type[ReferenceBackend] | type[TorchBackend]) -> None:
    face, plain = ArrayFace(inner()), inner()
    assert face.kv_name == plain.kv_name == str(plain.kv_dtype).removeprefix("torch.")
    pool = face.new_pool(2, 1, 4, 8)
    assert isinstance(pool, np.ndarray)
    assert pool.dtype == face.kv_dtype
    weight = quantize(torch.randn(16, 32), 8, 32, has_minimum=False)
    x = np.ones((1, 32), np.float32)
    y = face.norm_linear(x, None, face.prepare(arrays_of(weight)))
    assert isinstance(y, np.ndarray)
    np.testing.assert_allclose(y, x @ dequantize(weight).numpy().T, rtol=0.02, atol=0.05)


def test_layers_of_experts_are_put_together_in_torch_when_they_are_loaded() -> None:
    """So that no request waits for the import."""
    backend = CpuBackend(1)
    table, layers = prepare(TensorFace(backend), "plain", 1)
    experts = Experts(torch.ones(1, 96), (layers[0].gate_up,), (layers[0].down,), 1, False, "silu")
    stack = backend.stack_layers(table, arrays_of((replace(layers[0], experts=experts),)))
    assert isinstance(stack, ConvertingStack)

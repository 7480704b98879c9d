"""Mixtures of experts: the formula row by row, on every backend, and no row that sees its neighbours."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels.cpu.dense import dense
from kernels.cpu.pool import Pool
from kernels.formats import KernelShapeError, PackedWeight, dequantize
from kernels.ops import Backend, Experts, Norm
from kernels.reference import ReferenceBackend
from kernels.tensors import array_of, tensor_of
from tests.kernels.cases import random_norm, random_weight

HIDDEN, INNER, SHARED, NUM_EXPERTS, NUM_ACTIVE = 96, 64, 160, 8, 3


class Plain:
    """Packed experts and the numbers in them."""

    def __init__(self, has_shared: bool, normalizes: bool, activation: str) -> None:
        torch.manual_seed(5)
        self.gate_up = [random_weight(2 * INNER, HIDDEN, 8) for _ in range(NUM_EXPERTS)]
        self.down = [random_weight(HIDDEN, INNER, 8) for _ in range(NUM_EXPERTS)]
        self.router = torch.randn(NUM_EXPERTS, HIDDEN)
        self.shared = (random_weight(2 * SHARED, HIDDEN, 8), random_weight(HIDDEN, SHARED, 8)) if has_shared else None
        self.shared_gate = torch.randn(HIDDEN) if has_shared else None
        self.normalizes, self.activation = normalizes, activation
        self.weight_scale, self.num_groups, self.num_active_groups = 1.0, 1, 1

    def prepared(self, backend: Backend) -> Experts:
        shared = (None, None) if self.shared is None else tuple(backend.prepare(each) for each in self.shared)
        return Experts(
            self.router,
            tuple(backend.prepare(each) for each in self.gate_up),
            tuple(backend.prepare(each) for each in self.down),
            NUM_ACTIVE,
            self.normalizes,
            self.activation,
            *shared,
            self.shared_gate,
            self.weight_scale,
            self.num_groups,
            self.num_active_groups,
        )

    def of_row(self, x: Tensor, norm: Norm, post_norm: Norm) -> Tensor:
        """The definition, for one row [K], in float64."""
        h = _rms_norm(x.double(), norm)
        probabilities = torch.softmax(self.router.double() @ h, dim=0)
        maxima = [float(group.max()) for group in probabilities.chunk(self.num_groups)]
        closed = sorted(range(self.num_groups), key=maxima.__getitem__)[: self.num_groups - self.num_active_groups]
        is_closed = torch.tensor([e * self.num_groups // NUM_EXPERTS in closed for e in range(NUM_EXPERTS)])
        best = probabilities.masked_fill(is_closed, -1).sort(descending=True).indices[:NUM_ACTIVE]
        total = probabilities[best].sum() if self.normalizes else 1.0
        total = total / self.weight_scale
        mixed = sum(probabilities[e] / total * self._expert(h, self.gate_up[e], self.down[e]) for e in best.tolist())
        if self.shared is not None:
            share = 1.0 if self.shared_gate is None else torch.sigmoid(self.shared_gate.double() @ h)
            mixed = mixed + share * self._expert(h, *self.shared)
        return x + _rms_norm(mixed, post_norm)

    def _expert(self, h: Tensor, gate_up: PackedWeight, down: PackedWeight) -> Tensor:
        gate, up = (dequantize(gate_up).double() @ h).chunk(2)
        gate = F.silu(gate) if self.activation == "silu" else F.gelu(gate, approximate="tanh")
        return dequantize(down).double() @ (gate * up)


def _rms_norm(x: Any, norm: Norm) -> Tensor:
    result: Tensor = x / (x.square().mean() + norm.eps).sqrt() * norm.weight.double()
    return result


@pytest.mark.parametrize("num_rows", [0, 1, 17, 50])
@pytest.mark.parametrize(
    ("has_shared", "normalizes", "activation"), [(False, True, "silu"), (True, False, "gelu_tanh")]
)
def test_mixture_is_the_formula_row_by_row(num_rows: int, has_shared: bool, normalizes: bool, activation: str) -> None:
    plain, backend = Plain(has_shared, normalizes, activation), ReferenceBackend()
    x, norm, post_norm = torch.randn(num_rows, HIDDEN), random_norm(HIDDEN), random_norm(HIDDEN)
    y = backend.norm_experts(x, norm, plain.prepared(backend), post_norm)
    wanted = [plain.of_row(row, norm, post_norm) for row in x]
    torch.testing.assert_close(y, torch.stack(wanted).float() if wanted else x, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("normalizes", [False, True])
def test_groups_scale_and_an_ungated_shared_expert_are_the_formula_too(normalizes: bool) -> None:
    plain, backend = Plain(True, normalizes, "silu"), ReferenceBackend()
    plain.weight_scale, plain.num_groups, plain.num_active_groups, plain.shared_gate = 2.5, 4, 2, None
    x, norm, post_norm = torch.randn(19, HIDDEN), random_norm(HIDDEN), random_norm(HIDDEN)
    y = backend.norm_experts(x, norm, plain.prepared(backend), post_norm)
    wanted = torch.stack([plain.of_row(row, norm, post_norm) for row in x]).float()
    torch.testing.assert_close(y, wanted, atol=1e-4, rtol=1e-4)


def test_groups_that_hold_too_few_experts_are_refused() -> None:
    plain, backend = Plain(False, True, "silu"), ReferenceBackend()
    plain.num_groups, plain.num_active_groups = 4, 1
    with pytest.raises(KernelShapeError, match="3 active experts of 8 in 1 of 4 groups"):
        backend.norm_experts(torch.randn(2, HIDDEN), None, plain.prepared(backend))


def test_other_backends_mix_the_same_experts(backend: Backend, reference: Backend) -> None:
    plain = Plain(True, True, "silu")
    x, norm = torch.randn(33, HIDDEN), random_norm(HIDDEN)
    wanted = reference.norm_experts(x, norm, plain.prepared(reference))
    actual = backend.norm_experts(x, norm, plain.prepared(backend))
    assert (actual - wanted).norm() < 0.03 * (wanted - x).norm()


@pytest.mark.parametrize(
    ("num_rows", "num_outputs", "num_columns"), [(0, 3, 32), (1, 64, 2048), (5, 17, 70), (3, 1, 7)]
)
def test_native_router_is_the_product(num_rows: int, num_outputs: int, num_columns: int) -> None:
    x, matrix = torch.randn(num_rows, num_columns), torch.randn(num_outputs, num_columns)
    y = tensor_of(dense(array_of(x), array_of(matrix), Pool(2)))
    torch.testing.assert_close(y, (x.double() @ matrix.double().T).float(), atol=2e-4, rtol=1e-5)
    for row in range(num_rows):
        alone = tensor_of(dense(array_of(x[row : row + 1]), array_of(matrix), Pool(1)))
        assert torch.equal(alone[0], y[row])


def test_row_does_not_depend_on_its_neighbours(backend: Backend) -> None:
    experts, norm = Plain(True, True, "silu").prepared(backend), random_norm(HIDDEN)
    x = torch.randn(41, HIDDEN)
    together = backend.norm_experts(x, norm, experts)
    for row in (0, 15, 16, 40):
        assert torch.equal(backend.norm_experts(x[row : row + 1], norm, experts)[0], together[row])


def test_router_of_another_size_is_refused() -> None:
    backend = ReferenceBackend()
    experts = Plain(False, True, "silu").prepared(backend)
    with pytest.raises(KernelShapeError, match=r"router is \(8, 96\).*\(8, 64\)"):
        backend.norm_experts(torch.randn(2, 64), None, experts)

"""Mixtures of experts: the formula row by row, on every backend, and no row that sees its neighbours."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels.formats import KernelShapeError, PackedWeight, dequantize
from kernels.ops import Backend, Experts, Norm
from kernels.reference import ReferenceBackend
from tests.kernels.cases import random_norm, random_weight

HIDDEN, INNER, SHARED, NUM_EXPERTS, NUM_ACTIVE = 96, 64, 160, 7, 3


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
        )

    def of_row(self, x: Tensor, norm: Norm, post_norm: Norm) -> Tensor:
        """The definition, for one row [K], in float64."""
        h = _rms_norm(x.double(), norm)
        probabilities = torch.softmax(self.router.double() @ h, dim=0)
        best = probabilities.sort(descending=True).indices[:NUM_ACTIVE]
        total = probabilities[best].sum() if self.normalizes else 1.0
        mixed = sum(probabilities[e] / total * self._expert(h, self.gate_up[e], self.down[e]) for e in best.tolist())
        if self.shared is not None and self.shared_gate is not None:
            mixed = mixed + torch.sigmoid(self.shared_gate.double() @ h) * self._expert(h, *self.shared)
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


def test_other_backends_mix_the_same_experts(backend: Backend, reference: Backend) -> None:
    plain = Plain(True, True, "silu")
    x, norm = torch.randn(33, HIDDEN), random_norm(HIDDEN)
    wanted = reference.norm_experts(x, norm, plain.prepared(reference))
    actual = backend.norm_experts(x, norm, plain.prepared(backend))
    assert (actual - wanted).norm() < 0.03 * (wanted - x).norm()


def test_row_does_not_depend_on_its_neighbours(backend: Backend) -> None:
    experts, norm = Plain(True, True, "silu").prepared(backend), random_norm(HIDDEN)
    x = torch.randn(41, HIDDEN)
    together = backend.norm_experts(x, norm, experts)
    for row in (0, 15, 16, 40):
        assert torch.equal(backend.norm_experts(x[row : row + 1], norm, experts)[0], together[row])


def test_router_of_another_size_is_refused() -> None:
    backend = ReferenceBackend()
    experts = Plain(False, True, "silu").prepared(backend)
    with pytest.raises(KernelShapeError, match=r"router is \(7, 96\).*\(7, 64\)"):
        backend.norm_experts(torch.randn(2, 64), None, experts)

"""The distribution written out: the very one that `sample` draws from, whatever edits and filters stand before it."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from kernels import distribution, short_lists
from kernels.distribution import draw_token
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import LogitEdits, SamplingTensors
from kernels.tensors import array_of, tensor_of
from tests.kernels.native import native_backend

GRID = 4000
EDITS = LogitEdits(
    bias_ids=torch.tensor([1, 7]),
    biases=torch.tensor([2.0, -1.0]),
    seen_ids=torch.tensor([0, 5]),
    seen_counts=torch.tensor([1.0, 4.0]),
    repetition_penalty=1.3,
    frequency_penalty=0.2,
    banned_ids=torch.tensor([3]),
)
FILTERS: list[dict[str, float]] = [
    {},
    {"temperature": 0.0},
    {"temperature": 1.7},
    {"top_k": 5},
    {"top_k": 500},
    {"top_p": 0.8},
    {"top_p": 0.999},
    {"min_p": 0.05},
    {"typical_p": 0.7},
    {"temperature": 0.6, "top_k": 20, "top_p": 0.9, "min_p": 0.01, "typical_p": 0.95},
]


def distributions(logits: Tensor, told: SamplingTensors) -> Tensor:
    return tensor_of(distribution.distributions(logits, told))


def params(rows: int, edits: LogitEdits | None = None, **filters: float) -> SamplingTensors:
    values = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "typical_p": 1.0, **filters}
    columns = {name: torch.full((rows,), value) for name, value in values.items() if name != "top_k"}
    return SamplingTensors(
        top_k=torch.full((rows,), int(values["top_k"]), dtype=torch.int64),
        uniform=(torch.arange(rows, dtype=torch.float64) + 0.5) / rows,
        edits=None if edits is None else (edits,) * rows,
        **columns,
    )


@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize("edits", [None, EDITS], ids=["plain", "edited"])
@pytest.mark.parametrize("backend", [ReferenceBackend, TorchBackend, native_backend])
def test_tokens_come_as_often_as_the_distribution_says(
    monkeypatch: pytest.MonkeyPatch, backend: type[Backend], edits: LogitEdits | None, filters: dict[str, float]
) -> None:
    monkeypatch.setattr(short_lists, "SHORT_LISTS", (8, 30))
    logits = torch.randn(60, generator=torch.Generator().manual_seed(3)) * 2
    logits[10] = logits[11]
    (expected,) = distributions(logits.unsqueeze(0), params(1, edits, **filters))
    assert expected.sum() == pytest.approx(1)
    tokens = backend().sample(logits.expand(GRID, 60).contiguous(), params(GRID, edits, **filters))
    # An even grid of numbers meets each token's interval with an error of one at most.
    counts = tokens.bincount(minlength=60)
    assert float((counts - expected * GRID).abs().max()) <= 1 + 1e-6
    assert torch.equal(counts > 0, expected * GRID > 1) or bool((expected[counts > 0] > 0).all())


def test_rows_do_not_share_their_edits_and_filters() -> None:
    logits = torch.randn(3, 40)
    mixed = SamplingTensors(
        temperature=torch.tensor([1.0, 0.0, 0.5]),
        top_k=torch.tensor([3, 0, 0]),
        top_p=torch.tensor([1.0, 1.0, 0.5]),
        min_p=torch.zeros(3),
        uniform=torch.zeros(3, dtype=torch.float64),
        edits=(None, EDITS, None),
    )
    together = distributions(logits, mixed)
    alone = [
        distributions(logits[:1], params(1, top_k=3)),
        distributions(logits[1:2], params(1, EDITS, temperature=0.0)),
        distributions(logits[2:], params(1, temperature=0.5, top_p=0.5)),
    ]
    assert torch.equal(together, torch.cat(alone))


def test_values_that_are_not_finite_give_a_distribution_all_the_same() -> None:
    logits = torch.randn(3, 50)
    logits[0] = float("nan")
    logits[1, 4] = float("inf")
    logits[2] = float("-inf")
    rows = distributions(logits, params(3, top_p=0.9))
    assert bool(rows.isfinite().all())
    torch.testing.assert_close(rows.sum(dim=1), torch.ones(3, dtype=torch.float64))


def grid_counts(weights: Tensor, size: int) -> list[int]:
    tokens = [draw_token(array_of(weights), (index + 0.5) / size) for index in range(size)]
    return torch.tensor(tokens).bincount(minlength=len(weights)).tolist()


def test_draws_follow_the_weights_and_never_take_what_has_none() -> None:
    weights = torch.tensor([0.0, 0.5, 0.0, 1.0, 0.5, 0.0], dtype=torch.float64)
    assert grid_counts(weights, 400) == [0, 100, 0, 200, 100, 0]


@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-53])
def test_the_ends_of_the_interval_draw_tokens_with_weight(uniform: float) -> None:
    for weights in torch.rand(200, 30, dtype=torch.float64):
        weights[[0, -1]] = 0
        assert weights[draw_token(array_of(weights), uniform)] > 0

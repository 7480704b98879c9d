"""Native sampling gives exactly the tokens of the reference, also where many tokens are equal or hardly differ."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import SamplingTensors
from tests.kernels.native import native_backend

SHAPES: dict[str, Callable[[int], Tensor]] = {
    "peaked": lambda size: torch.randn(size) * 5,
    "flat": lambda size: torch.randn(size) * 0.01,
    "coarse": lambda size: (torch.randn(size) * 4).round(),
    "equal": lambda size: torch.zeros(size),
    "far apart": lambda size: torch.randn(size) * 1e4,
    "mostly forbidden": lambda size: torch.where(torch.rand(size) < 0.9, float("-inf"), torch.randn(size)),
}


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("vocabulary", [1, 7, 300, 5000])
def test_tokens_are_those_of_the_reference(shape: str, vocabulary: int) -> None:
    numbers = random.Random(vocabulary)
    backend, reference = native_backend(2), ReferenceBackend()
    for _ in range(12):
        rows = numbers.choice([1, 5])
        logits = torch.stack([SHAPES[shape](vocabulary) for _ in range(rows)])
        params = SamplingTensors(
            torch.tensor([numbers.choice([0.0, 0.05, 0.7, 1.0, 2.5]) for _ in range(rows)]),
            torch.tensor([numbers.choice([0, 0, 1, 40, vocabulary, 9000]) for _ in range(rows)]),
            torch.tensor([numbers.choice([1.0, 1.0, 0.95, 0.3, 0.0]) for _ in range(rows)]),
            torch.tensor([numbers.choice([0.0, 0.0, 0.02, 0.5, 1.0]) for _ in range(rows)]),
            torch.tensor([numbers.choice([0.0, 1 - 2.0**-53, *[numbers.random()] * 4]) for _ in range(rows)]).double(),
        )
        assert torch.equal(backend.sample(logits, params), reference.sample(logits, params)), params


def test_the_number_of_threads_does_not_show() -> None:
    logits = torch.randn(9, 3000) * 2
    ones, zeros = torch.ones(9), torch.zeros(9, dtype=torch.int64)
    params = SamplingTensors(ones, zeros, ones * 0.9, ones * 0.01, torch.rand(9, dtype=torch.float64))
    expected = native_backend(1).sample(logits, params)
    assert torch.equal(native_backend(3).sample(logits, params), expected)


@pytest.mark.parametrize("num_top", [0, 1, 20, 5000])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_log_probabilities_are_those_of_the_reference(shape: str, num_top: int) -> None:
    logits = SHAPES[shape](1200)
    actual = native_backend(1).logprobs(logits, 3, num_top)
    expected = ReferenceBackend().logprobs(logits, 3, num_top)
    assert actual[1] == expected[1]
    torch.testing.assert_close(actual[0], expected[0], rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(actual[2], expected[2], rtol=1e-9, atol=1e-9)

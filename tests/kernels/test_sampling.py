"""Sampling: both backends against an independent one in plain Python, and the promises of `SamplingTensors`."""

from __future__ import annotations

import math
import random

import pytest
import torch
from torch import Tensor

from kernels import short_lists
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import SamplingTensors
from tests.kernels.native import native_backend


@pytest.fixture(params=[ReferenceBackend, TorchBackend, native_backend])
def sampler(request: pytest.FixtureRequest) -> Backend:
    return request.param()


def params(
    rows: int,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    uniform: list[float] | None = None,
) -> SamplingTensors:
    return SamplingTensors(
        torch.full((rows,), temperature),
        torch.full((rows,), top_k, dtype=torch.int64),
        torch.full((rows,), top_p),
        torch.full((rows,), min_p),
        torch.tensor(uniform or [0.5] * rows, dtype=torch.float64),
    )


def plain_sample(
    logits: list[float], temperature: float, top_k: int, top_p: float, min_p: float, uniform: float
) -> int:
    """The order of `SamplingTensors`, with lists."""
    order = sorted(range(len(logits)), key=lambda token: (-logits[token], token))
    order = order[: top_k or None]
    masses = {token: math.exp((logits[token] - logits[order[0]]) / temperature) for token in order}
    total = math.fsum(masses.values())
    kept, reached = [], 0.0
    for token in order:
        if kept and (reached >= top_p or masses[token] < min_p * masses[order[0]]):
            break
        kept.append(token)
        reached += masses[token] / total
    target = uniform * math.fsum(masses[token] for token in kept)
    for token in kept:
        target -= masses[token]
        if target < 0:
            return token
    return kept[-1]


@pytest.mark.parametrize("spread", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("vocabulary", [1, 2, 50, 700])
def test_tokens_are_those_of_the_plain_algorithm(
    sampler: Backend, monkeypatch: pytest.MonkeyPatch, spread: float, vocabulary: int
) -> None:
    monkeypatch.setattr(short_lists, "SHORT_LISTS", (4, 60))
    rng = random.Random(vocabulary)
    for _ in range(60):
        # coarse logits, so that ties are common
        logits = [round(rng.gauss(0, 1) * 8) / 8 * spread for _ in range(vocabulary)]
        options = (
            rng.choice([0.25, 1.0, 1.5]),
            rng.choice([0, 0, 1, 3, 40, vocabulary, vocabulary + 9]),
            rng.choice([1.0, 1.0, rng.uniform(0.01, 1)]),
            rng.choice([0.0, 0.0, rng.uniform(0, 0.9)]),
            rng.random(),
        )
        columns = [torch.tensor([value]) for value in options[:4]]
        batch = SamplingTensors(*columns, uniform=torch.tensor([options[4]], dtype=torch.float64))
        exact = (options[0], options[1], float(columns[2]), float(columns[3]), options[4])
        expected = plain_sample(torch.tensor(logits).tolist(), *exact)
        assert sampler.sample(torch.tensor([logits]), batch).tolist() == [expected], (options, vocabulary)


def test_tokens_come_as_often_as_they_are_probable(sampler: Backend) -> None:
    probabilities = torch.tensor([0.1, 0.4, 0.2, 0.3])
    grid = [(i + 0.5) / 1000 for i in range(1000)]
    tokens = sampler.sample(probabilities.log().expand(1000, 4).contiguous(), params(1000, uniform=grid))
    assert tokens.bincount(minlength=4).tolist() == [100, 400, 200, 300]


def test_temperature_sharpens_by_its_inverse_power(sampler: Backend) -> None:
    grid = [(i + 0.5) / 1000 for i in range(1000)]
    logits = torch.tensor([0.2, 0.4, 0.4]).log().expand(1000, 3).contiguous()
    tokens = sampler.sample(logits, params(1000, temperature=0.5, uniform=grid))
    assert tokens.bincount(minlength=3).tolist() == [111, 444, 445]


def test_greedy_ties_go_to_the_lower_id(sampler: Backend) -> None:
    logits = torch.zeros(3, 300)
    logits[0, [5, 9]] = 3.0
    logits[1, [299, 200]] = 1.0
    assert sampler.sample(logits, params(3, temperature=0.0)).tolist() == [5, 200, 0]


@pytest.mark.parametrize("narrowing", [{"top_k": 1}, {"top_p": 1e-6}, {"top_p": 0.0}, {"min_p": 1.0}])
@pytest.mark.parametrize("uniform", [0.0, 0.999999])
def test_narrowed_to_one_token_it_is_the_most_probable(
    sampler: Backend, narrowing: dict[str, float], uniform: float
) -> None:
    logits = torch.randn(4, 900)
    batch = params(4, temperature=2.0, uniform=[uniform] * 4, **narrowing)
    assert torch.equal(sampler.sample(logits, batch), logits.argmax(dim=1))


def test_min_p_keeps_what_is_near_the_most_probable(sampler: Backend) -> None:
    logits = torch.tensor([0.5, 0.26, 0.24]).log().expand(100, 3).contiguous()
    grid = [i / 100 for i in range(100)]
    assert set(sampler.sample(logits, params(100, min_p=0.5, uniform=grid)).tolist()) == {0, 1}


def test_top_p_ends_with_the_token_that_reaches_it(sampler: Backend) -> None:
    grid = [i / 10 for i in range(10)]
    assert set(sampler.sample(torch.zeros(10, 4), params(10, top_p=0.5, uniform=grid)).tolist()) == {0, 1}


def test_a_greedy_row_in_a_mixed_batch_is_its_argmax(sampler: Backend) -> None:
    logits = torch.randn(5, 1000).bfloat16()
    batch = params(5, uniform=[0.9] * 5)
    batch.temperature[1::2] = 0.0
    tokens = sampler.sample(logits, batch)
    assert torch.equal(tokens[1::2], logits[1::2].argmax(dim=1))


@pytest.mark.parametrize("temperature", [0.0, 0.7])
@pytest.mark.parametrize("others", [{}, {"top_k": 3}, {"top_p": 0.9}, {"min_p": 0.1}])
def test_values_that_are_not_finite_harm_no_neighbour(
    sampler: Backend, temperature: float, others: dict[str, float]
) -> None:
    def spoiled(logits: Tensor) -> Tensor:
        logits[1] = float("nan")
        logits[2, 3] = float("nan")
        logits[3] = float("-inf")
        logits[4, 17] = float("inf")
        return logits

    clean = torch.randn(6, 1000)
    clean[2, 3] = -1e30
    batch = params(6, temperature=temperature, uniform=[0.3] * 6, **others)
    tokens = sampler.sample(spoiled(clean.clone()), batch)
    unharmed = torch.tensor([0, 2, 5])
    assert torch.equal(tokens[unharmed], sampler.sample(clean, batch)[unharmed])
    assert int(tokens[4]) == 17
    assert bool(((tokens >= 0) & (tokens < 1000)).all())


def test_forbidden_tokens_are_never_drawn(sampler: Backend) -> None:
    logits = torch.full((50, 600), float("-inf"))
    logits[:, [3, 500]] = 0.0
    tokens = sampler.sample(logits, params(50, temperature=1.9, uniform=[i / 50 for i in range(50)]))
    assert tokens.tolist() == [3] * 25 + [500] * 25


def test_a_row_draws_alone_what_it_draws_in_a_batch(sampler: Backend) -> None:
    logits, batch = torch.randn(7, 2000), params(7, top_p=0.8, uniform=[i / 7 for i in range(7)])
    together = sampler.sample(logits, batch)
    for row in range(7):
        alone = SamplingTensors(
            *(column[row : row + 1] for column in (batch.temperature, batch.top_k, batch.top_p, batch.min_p)),
            uniform=batch.uniform[row : row + 1],
        )
        assert int(sampler.sample(logits[row : row + 1], alone)) == int(together[row])

"""Edits at their off values, masks that leave nothing, and log-probabilities, on every backend."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from kernels.distribution import kept_tokens
from kernels.fallback.backend import TorchBackend
from kernels.formats import KernelShapeError
from kernels.logits import edit_logits
from kernels.ops import Backend
from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import LogitEdits, SamplingTensors
from tests.kernels.native import native_backend


@pytest.fixture(params=[ReferenceBackend, TorchBackend, native_backend])
def sampler(request: pytest.FixtureRequest) -> Backend:
    return request.param()


def ids(*token_ids: int) -> Tensor:
    return torch.tensor(token_ids, dtype=torch.int64)


def tensors(edits: tuple[LogitEdits | None, ...] | None, temperature: float = 1.0) -> SamplingTensors:
    rows = 4 if edits is None else len(edits)
    uniform = torch.linspace(0.1, 0.9, rows, dtype=torch.float64)
    return SamplingTensors(
        torch.full((rows,), temperature),
        torch.zeros(rows, dtype=torch.int64),
        torch.full((rows,), 0.95),
        torch.zeros(rows),
        uniform,
        edits=edits,
    )


SEEN = {"seen_ids": ids(1, 4, 6), "seen_counts": torch.tensor([3.0, 1.0, 2.0])}


@pytest.mark.parametrize(
    "edits",
    [
        LogitEdits(),
        LogitEdits(**SEEN),
        LogitEdits(bias_ids=ids(2), biases=torch.zeros(1)),
        LogitEdits(bias_ids=ids(), biases=torch.zeros(0)),
        LogitEdits(allowed_ids=torch.arange(500)),
        LogitEdits(banned_ids=ids()),
        LogitEdits(end_ids=ids()),
    ],
    ids=["none", "penalties", "bias", "no-bias", "allowed", "banned", "end"],
)
def test_edits_at_their_off_values_leave_every_bit(sampler: Backend, edits: LogitEdits) -> None:
    logits = torch.randn(4, 500) * 3
    values, token_ids = edit_logits(logits[0], edits)
    assert values.tolist() == logits[0].tolist()
    assert token_ids is None or token_ids.tolist() == list(range(500))
    for temperature in (0.0, 0.8):
        plain = sampler.sample(logits, tensors(None, temperature))
        assert torch.equal(sampler.sample(logits, tensors((edits,) * 4, temperature)), plain)


def test_typical_p_off_leaves_every_bit() -> None:
    logits = torch.randn(500)
    plain = kept_tokens(logits, 0.8, 40, 0.9, 0.01)
    for got, expected in zip(kept_tokens(logits, 0.8, 40, 0.9, 0.01, typical_p=1.0), plain, strict=True):
        assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_row_without_any_token_left_takes_the_most_probable_and_harms_no_neighbour(
    sampler: Backend, temperature: float
) -> None:
    logits = torch.randn(4, 50)
    nothing = LogitEdits(allowed_ids=ids(3, 4), banned_ids=ids(3, 4), bias_ids=ids(17), biases=torch.tensor([90.0]))
    drawn = sampler.sample(logits, tensors((None, nothing, None, LogitEdits(allowed_ids=ids())), temperature))
    plain = sampler.sample(logits, tensors(None, temperature))
    assert drawn.tolist() == [int(plain[0]), 17, int(plain[2]), int(logits[3].argmax())]


def test_end_tokens_may_be_drawn_where_nothing_else_is_left(sampler: Backend) -> None:
    only_end = LogitEdits(allowed_ids=ids(7, 8), banned_ids=ids(8), end_ids=ids(7))
    both = LogitEdits(allowed_ids=ids(7, 8), end_ids=ids(7))
    assert sampler.sample(torch.randn(2, 50), tensors((only_end, both))).tolist() == [7, 8]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_edited_rows_of_values_that_are_not_finite_keep_to_their_masks(sampler: Backend, bad: float) -> None:
    edits = LogitEdits(
        allowed_ids=ids(1, 4), repetition_penalty=0.01, bias_ids=ids(4), biases=torch.full((1,), 100.0), **SEEN
    )
    drawn = sampler.sample(torch.full((3, 50), bad), tensors((edits,) * 3, temperature=1e30))
    assert set(drawn.tolist()) <= {1, 4}


def test_masked_tokens_are_not_drawn_at_any_temperature(sampler: Backend) -> None:
    edits = LogitEdits(banned_ids=torch.arange(10, 500))
    drawn = sampler.sample(torch.randn(64, 500), tensors((edits,) * 64, temperature=3e38))
    assert int(drawn.max()) < 10


def test_logprobs_are_the_logarithms_of_the_softmax_best_first(sampler: Backend) -> None:
    probabilities = [0.1, 0.4, 0.1, 0.4]
    logprob, top_ids, top = sampler.logprobs(torch.tensor(probabilities).log() + 5, 2, 3)
    assert logprob == pytest.approx(math.log(0.1), abs=1e-6)
    assert top_ids == [1, 3, 0]
    assert top == pytest.approx([math.log(p) for p in (0.4, 0.4, 0.1)], abs=1e-6)


def test_more_logprobs_than_tokens_are_all_of_them(sampler: Backend) -> None:
    logprob, top_ids, _ = sampler.logprobs(torch.tensor([0.0, 1.0]), 0, 5)
    assert top_ids == [1, 0]
    assert sampler.logprobs(torch.tensor([0.0, 1.0]), 0, 0) == (logprob, [], [])


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (LogitEdits(banned_ids=ids(5)), "banned_ids are 5 to 5, the vocabulary has 5 tokens"),
        (LogitEdits(allowed_ids=ids(-1, 2)), "allowed_ids are -1 to 2"),
        (LogitEdits(end_ids=torch.tensor([1.0])), "end_ids is float32, must be int64"),
        (LogitEdits(bias_ids=ids(1)), "biases and their ids belong together"),
        (LogitEdits(seen_ids=ids(1), seen_counts=torch.ones(2)), r"seen_counts is \(2,\).*must be \(1,\)"),
    ],
)
def test_wrong_edits_are_refused(sampler: Backend, edits: LogitEdits, message: str) -> None:
    with pytest.raises(KernelShapeError, match=message):
        sampler.sample(torch.zeros(1, 5), tensors((edits,)))


def test_edits_for_another_number_of_rows_are_refused(sampler: Backend) -> None:
    with pytest.raises(KernelShapeError, match="1 edits for 4 rows"):
        sampler.sample(torch.zeros(4, 5), SamplingTensors(*_columns(4), edits=(None,)))


def _columns(rows: int) -> tuple[Tensor, ...]:
    plain = tensors((None,) * rows)
    return plain.temperature, plain.top_k, plain.top_p, plain.min_p, plain.uniform

"""Weights corrected for inputs that earlier codes have changed: nearer to the source's products, on other rows too."""

import pytest
import torch
from torch import Tensor

from engine.convert.calibration.correction import Wanted, find_correction
from engine.convert.calibration.moments import find_compensations
from tests.engine.convert.test_rounding import correlated_rows, weights

K = 96


def changed(x: Tensor) -> Tensor:
    """Inputs as quantised layers before would give them: mostly some linear map of them, and noise."""
    generator = torch.Generator().manual_seed(1)
    mixing = torch.eye(K) + 0.2 * torch.randn(K, K, generator=generator) / K**0.5
    return x @ mixing + 0.02 * x.std() * torch.randn(x.shape, generator=generator)


def wanted(weight: Tensor, x: Tensor, stream: Tensor | None) -> Wanted:
    if stream is None:
        return Wanted(inputs=x.bfloat16())
    return Wanted(sums=(stream + x @ weight.T).bfloat16())


def stream_of(x: Tensor, kind: str) -> Tensor | None:
    return torch.randn(len(x), 40, generator=torch.Generator().manual_seed(2)) if kind == "sums" else None


@pytest.mark.parametrize("kind", ["inputs", "sums"])
def test_products_of_changed_inputs_come_nearer_to_the_sources(kind: str) -> None:
    weight, x = weights(40, K), correlated_rows(1600, K)
    seen, unseen = slice(0, 1200), slice(1200, None)
    y, stream = changed(x), stream_of(x[seen], kind)
    aim = wanted(weight, x[seen], stream)
    correction = find_correction(y[seen], stream, aim, list(find_compensations(y[seen], 32)))
    assert correction is not None
    # In pieces, as a matrix is read.
    corrected = torch.cat([correction.corrected(weight[low : low + 16], low) for low in range(0, 40, 16)])
    before, after = ((y[unseen] @ w.T - x[unseen] @ weight.T).norm() for w in (weight, corrected))
    assert after < 0.6 * before


def test_what_the_stream_lacks_is_made_good() -> None:
    weight, x = weights(40, K), correlated_rows(1600, K)
    lacking = 0.3 * x @ weights(40, K).roll(1, 0).T
    stream = stream_of(x, "sums")
    assert stream is not None
    correction = find_correction(x, stream - lacking, wanted(weight, x, stream), list(find_compensations(x, 32)))
    assert correction is not None
    made_good = x @ (correction.corrected(weight, 0) - weight).T
    assert (made_good - lacking).norm() < 0.5 * lacking.norm()


@pytest.mark.parametrize("kind", ["inputs", "sums"])
def test_inputs_that_are_the_sources_change_little(kind: str) -> None:
    weight, x = weights(40, K), correlated_rows(600, K).bfloat16().float()
    stream = stream_of(x, kind)
    correction = find_correction(x, stream, wanted(weight, x, stream), list(find_compensations(x, 32)))
    assert correction is not None
    assert (x @ (correction.corrected(weight, 0) - weight).T).norm() < 0.02 * (x @ weight.T).norm()


def test_rows_in_blocks_and_rows_that_overflow_are_left_as_they_are() -> None:
    x = correlated_rows(200, K)
    assert find_correction(x, None, Wanted(), list(find_compensations(x, 32))) is None
    assert find_correction(x, None, Wanted(inputs=x), list(find_compensations(x, 32, max_block=32))) is None
    x[3, 5] = torch.inf
    assert find_correction(x, None, Wanted(inputs=x), list(find_compensations(x, 32))) is None

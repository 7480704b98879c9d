"""Codes chosen by what the inputs are like: closer products, and no harm where there is nothing to learn."""

import pytest
import torch
from torch import Tensor

from engine.convert.calibration.moments import find_compensations
from engine.convert.calibration.rounding import round_compensated
from kernels.formats import FormatError, PackedWeight, dequantize, quantize


def correlated_rows(num_rows: int, num_columns: int, seed: int = 0) -> Tensor:
    """Inputs of few directions and of very different size, as a model's are."""
    generator = torch.Generator().manual_seed(seed)
    mixing = torch.randn(num_columns, num_columns, generator=generator)
    sizes = torch.rand(num_columns, generator=generator) ** 3 + 0.01
    return torch.randn(num_rows, num_columns, generator=generator) @ mixing * sizes / num_columns**0.5


def weights(num_rows: int, num_columns: int) -> Tensor:
    return torch.randn(num_rows, num_columns, generator=torch.Generator().manual_seed(5)) / num_columns**0.5


def calibrated(weight: Tensor, x: Tensor, bits: int, group_size: int, max_block: int = 5120) -> PackedWeight:
    compensations = list(find_compensations(x, group_size, max_block))
    return round_compensated(weight, compensations, bits, group_size, has_minimum=bits != 8)


def product_error(weight: Tensor, packed: PackedWeight, x: Tensor) -> float:
    wanted = x @ weight.T
    return float((x @ dequantize(packed).T - wanted).norm() / wanted.norm())


@pytest.mark.parametrize(("bits", "group_size"), [(3, 32), (4, 32), (4, 64), (4, 128)])
def test_products_come_closer_than_by_the_nearest_codes(bits: int, group_size: int) -> None:
    weight, x = weights(48, 256), correlated_rows(600, 256)
    nearest = product_error(weight, quantize(weight, bits, group_size, True), x)
    assert product_error(weight, calibrated(weight, x, bits, group_size), x) < 0.6 * nearest


def test_other_rows_of_the_same_kind_gain_too() -> None:
    weight, x = weights(48, 256), correlated_rows(1200, 256)
    seen, unseen = x[:800], x[800:]
    nearest = product_error(weight, quantize(weight, 4, 64, True), unseen)
    assert product_error(weight, calibrated(weight, seen, 4, 64), unseen) < 0.7 * nearest


def test_moments_in_blocks_still_gain() -> None:
    weight, x = weights(48, 256), correlated_rows(600, 256)
    whole = product_error(weight, calibrated(weight, x, 4, 32), x)
    in_blocks = product_error(weight, calibrated(weight, x, 4, 32, max_block=100), x)
    assert whole < in_blocks < 0.8 * product_error(weight, quantize(weight, 4, 32, True), x)


def test_blocks_are_whole_groups_and_cover_all_columns() -> None:
    found = list(find_compensations(correlated_rows(40, 7 * 32), 32, max_block=70))
    assert [part.first for part in found] == [0, 32, 96, 160]
    assert sum(part.num_columns for part in found) == 7 * 32
    assert all(sorted(part.order.tolist()) == list(range(part.num_columns)) for part in found)


@pytest.mark.parametrize("num_columns", [32, 96, 513, 1100])
def test_the_factor_is_that_of_the_inverse_moments(num_columns: int) -> None:
    """Whether it takes one tile or several, which need not be full."""
    x = correlated_rows(2 * num_columns, num_columns)
    (part,) = find_compensations(x, 1)
    expected = (x.double().T @ x.double() / len(x))[part.order][:, part.order]
    # Of the correlations a third is taken for chance, with twice as many rows as columns.
    expected += 0.5 * expected.diagonal().diag()
    expected *= 2 / 3
    assert bool((expected.diagonal().diff() <= 1e-6).all())
    expected += 0.01 * expected.diagonal().mean() * torch.eye(num_columns)
    upper = part.upper.double()
    torch.testing.assert_close(upper @ expected @ upper.T, torch.eye(num_columns).double(), rtol=0, atol=2e-3)
    assert torch.equal(part.upper, part.upper.triu())


def test_one_token_of_huge_activations_does_not_hide_the_others() -> None:
    """As the first token of a text has them in most models."""
    weight, x = weights(48, 256), correlated_rows(600, 256)
    others = x[1:]
    x[0] *= 3000 / x[0].norm() * others.norm(dim=1).median()
    nearest = product_error(weight, quantize(weight, 4, 64, True), others)
    assert product_error(weight, calibrated(weight, x, 4, 64), others) < 0.65 * nearest


def test_inputs_that_are_always_zero_leave_the_nearest_codes() -> None:
    weight = weights(8, 64)
    x = torch.zeros(10, 64)
    packed = calibrated(weight, x, 4, 32)
    assert float((dequantize(packed) - weight).abs().max()) <= float(packed.scale.float().max()) * 0.51


def test_a_single_row_of_text_is_enough_to_go_on() -> None:
    weight = weights(8, 64)
    packed = calibrated(weight, correlated_rows(1, 64), 3, 32)
    assert bool(torch.isfinite(dequantize(packed)).all())


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e30])
def test_inputs_that_overflow_leave_the_nearest_codes(value: float) -> None:
    weight, x = weights(8, 64), correlated_rows(20, 64)
    x[3, 5] = value
    packed = calibrated(weight, x, 4, 32)
    assert float((dequantize(packed) - weight).abs().max()) <= float(packed.scale.float().max()) * 2


def test_a_constant_group_keeps_its_value() -> None:
    weight = torch.full((4, 64), 0.25)
    packed = calibrated(weight, correlated_rows(50, 64), 4, 32)
    torch.testing.assert_close(dequantize(packed), weight)


def test_symmetric_weights_have_no_minimum() -> None:
    weight, x = weights(8, 64), correlated_rows(50, 64)
    packed = calibrated(weight, x, 8, 32)
    assert packed.minimum is None
    assert product_error(weight, packed, x) < product_error(weight, quantize(weight, 8, 32, False), x)


def test_numbers_that_are_not_finite_are_refused() -> None:
    weight = weights(8, 64)
    weight[3, 7] = float("inf")
    with pytest.raises(FormatError, match="not finite"):
        calibrated(weight, correlated_rows(50, 64), 4, 32)

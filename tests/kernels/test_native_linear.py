"""The native linear operations against the reference, to the error that rounding activations to int8 may cost.

And the properties the engine builds on: a row's bits depend neither on its company, nor on threads, nor on the variant.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels.cpu.embedding import Embedding
from kernels.cpu.library import shared
from kernels.cpu.pool import Pool
from kernels.cpu.weights import pack
from kernels.formats import BITS, PackedWeight, dequantize
from kernels.reference import ReferenceBackend, normalise
from kernels.tensors import array_of, tensor_of
from tests.kernels.cases import FORMATS, random_layer_norm, random_norm, random_weight
from tests.kernels.native import Linear, assert_within, quantised, rounding_bound, runnable_variants

VARIANTS = runnable_variants()
REFERENCE = ReferenceBackend()


@pytest.fixture(scope="module", params=[1, 2, 3])
def pool(request: pytest.FixtureRequest) -> Pool:
    return Pool(request.param)


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every variant that this processor runs, whatever is best."""
    library = shared()
    best = library.di_variant()
    assert library.di_choose_variant(request.param.encode())
    yield request.param
    library.di_choose_variant(best)


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
@pytest.mark.parametrize("rows", [1, 2, 7, 17, 129])
def test_every_format_is_the_formula(
    variant: str, pool: Pool, bits: int, group_size: int, has_minimum: bool, rows: int
) -> None:
    weight = random_weight(203, 256, bits, group_size, has_minimum)
    x = torch.randn(rows, 256) * torch.logspace(-3, 3, rows).unsqueeze(1)
    rounded, _ = quantised(x)
    expected = (rounded.double() @ dequantize(weight).double().t()).float()
    float32 = x.abs() @ dequantize(weight).abs().t() * 2.0**-20
    assert_within(Linear(pack(weight, pool))(x, pool), expected, float32)


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
@pytest.mark.parametrize("has_bias", [False, True])
def test_norm_linear(variant: str, pool: Pool, bits: int, group_size: int, has_minimum: bool, has_bias: bool) -> None:
    weight, norm = random_weight(61, 384, bits, group_size, has_minimum), random_norm(384)
    bias = torch.randn(61) if has_bias else None
    x = torch.randn(33, 384) * torch.logspace(-3, 2, 33).unsqueeze(1)
    expected = REFERENCE.norm_linear(x, norm, REFERENCE.prepare(weight), bias)
    bound = rounding_bound(normalise(x, norm), weight) + 1e-6
    assert_within(Linear(pack(weight, pool), norm, bias)(x, pool), expected, bound)


@pytest.mark.parametrize("rows", [1, 17, 129])
@pytest.mark.parametrize("num_outputs", [1, 8, 88, 131])
def test_linear_add(variant: str, pool: Pool, rows: int, num_outputs: int) -> None:
    weight, x, residual = random_weight(num_outputs, 160), torch.randn(rows, 160), torch.randn(rows, num_outputs)
    expected = REFERENCE.linear_add(x, REFERENCE.prepare(weight), residual)
    actual = Linear(pack(weight, pool))(x, pool, residual)
    assert_within(actual, expected, rounding_bound(x, weight) + 1e-6)


@pytest.mark.parametrize("rows", [1, 17, 129])
def test_linear_add_with_a_norm_behind(variant: str, pool: Pool, rows: int) -> None:
    weight, post_norm, residual = random_weight(90, 160), random_norm(90), torch.randn(rows, 90)
    x = torch.randn(rows, 160)
    expected = REFERENCE.linear_add(x, REFERENCE.prepare(weight), residual, post_norm)
    y, error = x @ dequantize(weight).t(), rounding_bound(x, weight)
    rms = y.square().mean(dim=1, keepdim=True).sqrt()
    # the element's own error, and that of the row's magnitude, which is at most the errors' own
    relative = error.square().mean(dim=1, keepdim=True).sqrt() / rms
    bound = (error + y.abs() * relative) / rms * post_norm.weight.abs() * 1.1 + 1e-6
    assert_within(Linear(pack(weight, pool), post_norm=post_norm)(x, pool, residual), expected, bound)


@pytest.mark.parametrize("rows", [1, 129])
@pytest.mark.parametrize("activation", [None, "gelu_tanh", "gelu"])
@pytest.mark.parametrize("num_outputs", [96, 3])
def test_layer_norm_bias_and_activation(
    variant: str, pool: Pool, rows: int, activation: str | None, num_outputs: int
) -> None:
    weight, norm, bias = random_weight(num_outputs, 96), random_layer_norm(96), torch.randn(num_outputs)
    x = 5 + torch.randn(rows, 96) * torch.logspace(-2, 2, rows).unsqueeze(1)
    expected = REFERENCE.norm_linear(x, norm, REFERENCE.prepare(weight), bias, None, activation)
    # No activation is steeper than 1.13.
    bound = 1.13 * rounding_bound(normalise(x, norm), weight) + 2e-5
    assert_within(Linear(pack(weight, pool), norm, bias, activation=activation)(x, pool), expected, bound)


def test_gelu_is_exact_to_float32(variant: str) -> None:
    pool, size = Pool(1), 4096
    zeros = PackedWeight(torch.full((size, 32), 128, dtype=torch.uint8), torch.zeros(size, 1).half(), None, 8, 32)
    bias = torch.linspace(-12, 12, size)
    actual = Linear(pack(zeros, pool), bias=bias, activation="gelu")(torch.ones(1, 32), pool)
    expected = F.gelu(bias.double()).float()
    torch.testing.assert_close(actual[0], expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("rows", [1, 17, 129])
@pytest.mark.parametrize("activation", ["silu", "gelu_tanh"])
@pytest.mark.parametrize("num_outputs", [96, 100, 3])
def test_gate_up(variant: str, pool: Pool, rows: int, activation: str, num_outputs: int) -> None:
    weight, norm, x = random_weight(2 * num_outputs, 64), random_norm(64), torch.randn(rows, 64) * 3
    expected = REFERENCE.norm_gate_up(x, norm, REFERENCE.prepare(weight), activation)
    normed = normalise(x, norm)
    up = (normed @ dequantize(weight).t())[:, num_outputs:]
    gate_error, up_error = rounding_bound(normed, weight).chunk(2, dim=1)
    gate = (normed @ dequantize(weight).t())[:, :num_outputs]
    # both activations have slopes of at most 1.13 and lie between -0.28 and |gate|
    bound = 1.13 * gate_error * (up.abs() + up_error) + (gate.abs() + 0.28) * up_error + 1e-6
    assert_within(Linear(pack(weight, pool), norm, activation=activation, is_gated=True)(x, pool), expected, bound)


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
@pytest.mark.parametrize("scale", [1.0, 12.0])
def test_embed_is_exact(pool: Pool, bits: int, group_size: int, has_minimum: bool, scale: float) -> None:
    table, token_ids = random_weight(50, 128, bits, group_size, has_minimum), torch.tensor([49, 0, 7, 7])
    actual = tensor_of(Embedding(pack(table, pool), scale)(array_of(token_ids), pool))
    assert torch.equal(actual, dequantize(table)[token_ids] * scale)


def test_embed_refuses_ids_outside_the_table() -> None:
    pool = Pool(1)
    table = Embedding(pack(random_weight(50, 64), pool))
    for token_id in (-1, 50):
        with pytest.raises(IndexError, match="the table has 50 rows"):
            table(np.array([3, token_id]), pool)
    assert table(np.array([], np.int64), pool).shape == (0, 64)


def operations(weight: PackedWeight, pool: Pool) -> list[Linear]:
    """One of each form, over 272 columns out of 192."""
    packed = pack(weight, pool)
    return [
        Linear(packed, random_norm(192), torch.randn(272)),
        Linear(packed, random_norm(192), activation="silu", is_gated=True),
        Linear(packed, random_layer_norm(192), torch.randn(272), activation="gelu"),
        Linear(packed, post_norm=random_norm(272)),
    ]


def results(operation: Linear, x: Tensor, pool: Pool) -> Tensor:
    residual = x.repeat(1, 2)[:, :272].contiguous() if operation.has_post_norm else None
    return operation(x, pool, residual)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("has_minimum", [False, True])
def test_a_row_alone_or_in_any_company(variant: str, bits: int, has_minimum: bool) -> None:
    pools = [Pool(1), Pool(2), Pool(3)]
    x = torch.randn(530, 192)
    for operation in operations(random_weight(272, 192, bits, 64, has_minimum), pools[0]):
        alone = torch.cat([results(operation, x[row : row + 1], pools[0]) for row in range(len(x))])
        for pool in pools:
            for rows in (2, 3, 8, 17, 64, 129, 530):
                assert torch.equal(results(operation, x[:rows], pool), alone[:rows])
                assert torch.equal(results(operation, x[-rows:].contiguous(), pool), alone[-rows:])


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
@pytest.mark.parametrize("num_outputs", [8, 43, 88])
def test_codes_unpacked_once_for_many_rows_give_the_bits_of_one_row(
    variant: str, bits: int, group_size: int, has_minimum: bool, num_outputs: int
) -> None:
    pool = Pool(2)
    weight = pack(random_weight(2 * num_outputs, 2176, bits, group_size, has_minimum), pool)
    x = torch.randn(200, 2176)
    for operation in (Linear(weight), Linear(weight, activation="silu", is_gated=True)):
        alone = torch.cat([operation(row, pool) for row in x[::25].split(1)])
        for rows in (75, 200):  # their codes stay in a second-level cache, or do not
            assert torch.equal(operation(x[:rows], pool)[::25], alone[: (rows + 24) // 25])


def test_every_variant_gives_the_same_bits() -> None:
    library, pool, x = shared(), Pool(2), torch.randn(83, 192)
    best = library.di_variant()
    for bits, group_size, has_minimum in [(b, g, m) for b, g, m in FORMATS if g != 128]:
        for operation in operations(random_weight(272, 192, bits, group_size, has_minimum), pool):
            by_variant = []
            for name in VARIANTS:
                library.di_choose_variant(name.encode())
                by_variant.append(results(operation, x, pool))
            assert all(torch.equal(y, by_variant[0]) for y in by_variant)
    library.di_choose_variant(best)


def test_extreme_codes_do_not_overflow(variant: str, pool: Pool) -> None:
    for bits, group_size, has_minimum in FORMATS:
        ones = torch.full((16, 256 * bits // 8), 255, dtype=torch.uint8)
        groups = torch.full((16, 256 // group_size), 0.5, dtype=torch.float16)
        weight = PackedWeight(ones, groups, groups.clone() if has_minimum else None, bits, group_size)
        for sign, rows in ((-1.0, 5), (1.0, 5), (-1.0, 70), (1.0, 70)):
            x = torch.full((rows, 256), sign * 3e4)
            expected = x @ dequantize(weight).t()
            assert_within(Linear(pack(weight, pool))(x, pool), expected, expected.abs() * 1e-5)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("num_columns", [96, 160])
def test_what_is_not_finite_shows_in_its_own_row_only(variant: str, pool: Pool, bad: float, num_columns: int) -> None:
    x = torch.randn(9, num_columns)
    operation = Linear(pack(random_weight(40, num_columns), pool))
    clean = operation(x, pool)
    x[4, 50] = bad
    spoiled = operation(x, pool)
    assert not bool(spoiled[4].isfinite().any())
    others = torch.tensor([0, 1, 2, 3, 5, 6, 7, 8])
    assert torch.equal(spoiled[others], clean[others])


@pytest.mark.parametrize("magnitude", [0.0, 1e-42, 1e-30, 1e30])
@pytest.mark.parametrize("num_columns", [96, 160])
def test_rows_of_any_magnitude(variant: str, pool: Pool, magnitude: float, num_columns: int) -> None:
    weight, x = random_weight(40, num_columns), torch.randn(3, num_columns) * magnitude
    expected = x @ dequantize(weight).t()
    assert_within(Linear(pack(weight, pool))(x, pool), expected, rounding_bound(x, weight) + 1e-35)


def test_no_rows_give_no_rows(pool: Pool) -> None:
    assert Linear(pack(random_weight(40, 96), pool))(torch.randn(0, 96), pool).shape == (0, 40)


def test_a_large_weight_in_panels_and_chunks() -> None:
    pool, weight, norm = Pool(2), random_weight(1003, 1536), random_norm(1536)
    x = torch.randn(300, 1536)
    expected = REFERENCE.norm_linear(x, norm, REFERENCE.prepare(weight))
    actual = Linear(pack(weight, pool), norm)(x, pool)
    assert_within(actual, expected, rounding_bound(normalise(x, norm), weight) + 1e-6)


@pytest.mark.parametrize("rows", [1, 5, 200])
def test_a_result_may_take_the_place_of_its_residual(pool: Pool, rows: int) -> None:
    x, stream = torch.randn(rows, 160), torch.randn(rows, 96)
    operation = Linear(pack(random_weight(96, 160), pool))
    expected = operation(x, pool, stream)
    operation.bind(rows, x.data_ptr(), stream.data_ptr(), stream.data_ptr())
    operation.run(pool)
    assert torch.equal(stream, expected)

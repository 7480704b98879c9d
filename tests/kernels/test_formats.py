"""Packing is lossless, quantisation keeps its bound, and what the format does not cover is refused."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.formats import (
    BITS,
    FormatError,
    PackedWeight,
    check_format,
    concatenate_rows,
    dequantize,
    effective_bits,
    pack_codes,
    quantize,
    unpack_codes,
)
from tests.kernels.cases import FORMATS, random_weight

shapes = st.tuples(st.sampled_from([1, 3, 17]), st.sampled_from([1, 2, 5]), st.integers(0, 2**31))


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(BITS), shapes)
def test_packed_codes_come_back(bits: int, shape: tuple[int, int, int]) -> None:
    rows, groups, seed = shape
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 1 << bits, (rows, groups * 8), generator=generator, dtype=torch.uint8)
    packed = pack_codes(codes, bits)
    assert packed.shape == (rows, groups * bits)
    assert torch.equal(unpack_codes(packed, bits), codes)


def test_the_low_nibble_is_the_even_column() -> None:
    codes = torch.tensor([[1, 2, 3, 4, 15, 0, 0, 15]], dtype=torch.uint8)
    assert pack_codes(codes, 4).tolist() == [[0x21, 0x43, 0x0F, 0xF0]]


@pytest.mark.parametrize(("bits", "codes"), [(3, [1, 2, 3, 4, 5, 6, 7, 0]), (5, [1, 31, 16, 15, 8, 21, 30, 17])])
def test_eight_codes_of_3_or_5_bits_are_a_little_endian_number(bits: int, codes: list[int]) -> None:
    number = sum(code << (bits * place) for place, code in enumerate(codes))
    packed = pack_codes(torch.tensor([codes], dtype=torch.uint8), bits)
    assert bytes(packed[0].tolist()) == number.to_bytes(bits, "little")


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(FORMATS), shapes, st.floats(-3, 3), st.floats(-2, 2))
def test_quantisation_errs_by_at_most_half_a_step(
    fmt: tuple[int, int, bool], shape: tuple[int, int, int], exponent: float, offset: float
) -> None:
    bits, group_size, has_minimum = fmt
    rows, groups, seed = shape
    noise = torch.randn(rows, groups * group_size, generator=torch.Generator().manual_seed(seed))
    weight = (noise + offset) * 10.0**exponent
    packed = quantize(weight, bits, group_size, has_minimum)
    step = packed.scale.float().abs().repeat_interleave(group_size, dim=1)
    # float16 rounds the minimum, and the scale under the largest code
    slack = weight.abs().amax() * 2.0**-10
    if not has_minimum:
        # the code range has one value fewer on the side away from the largest magnitude
        top = packed.scale.float().repeat_interleave(group_size, dim=1) * ((1 << (bits - 1)) - 1)
        weight = torch.where(top > 0, torch.minimum(weight, top), torch.maximum(weight, top))
    assert bool(((dequantize(packed) - weight).abs() <= 0.5 * step * (1 + 1e-4) + slack).all())


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
def test_dequantised_weights_follow_the_formula(bits: int, group_size: int, has_minimum: bool) -> None:
    weight = random_weight(5, 2 * group_size, bits, group_size, has_minimum)
    codes = unpack_codes(weight.codes, bits)
    dense = dequantize(weight)
    for row, column in ((0, 0), (2, group_size - 1), (4, group_size), (4, 2 * group_size - 1)):
        scale = float(weight.scale[row, column // group_size])
        code = int(codes[row, column])
        if weight.minimum is None:
            expected = scale * (code - 2 ** (bits - 1))
        else:
            expected = scale * code + float(weight.minimum[row, column // group_size])
        assert float(dense[row, column]) == pytest.approx(expected, rel=1e-6)


def test_chosen_rows_are_those_of_the_whole() -> None:
    weight = random_weight(9, 64, 3, 32, True)
    rows = torch.tensor([8, 0, 8, 3])
    assert torch.equal(dequantize(weight, rows), dequantize(weight)[rows])


@pytest.mark.parametrize("has_minimum", [False, True])
def test_a_constant_group_is_kept(has_minimum: bool) -> None:
    weight = torch.cat([torch.zeros(2, 32), torch.full((2, 32), -0.75)], dim=1)
    assert torch.equal(dequantize(quantize(weight, 4, 32, has_minimum)), weight)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 3e38])
@pytest.mark.parametrize("has_minimum", [False, True])
def test_values_without_a_float16_scale_are_refused(value: float, has_minimum: bool) -> None:
    weight = torch.randn(2, 32)
    weight[1, 5] = value
    with pytest.raises(FormatError, match="not finite or too large"):
        quantize(weight, 4, 32, has_minimum)


@pytest.mark.parametrize(
    ("bits", "group_size", "columns", "message"),
    [
        (6, 32, 64, "6 bits"),
        (4, 16, 64, "groups of 16"),
        (4, 64, 96, "groups of 64 do not divide rows of 96"),
        (4, 32, 0, "rows of 0"),
    ],
)
def test_a_format_that_is_not_covered_is_refused(bits: int, group_size: int, columns: int, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        check_format(bits, group_size, columns)


def test_tensors_that_contradict_the_format_are_refused() -> None:
    good = random_weight(4, 64, 4, 32, True)
    for codes, scale, minimum, bits in (
        (good.codes, good.scale[:3], good.minimum, 4),
        (good.codes, good.scale.float(), good.minimum, 4),
        (good.codes.char(), good.scale, good.minimum, 4),
        (good.codes, good.scale, good.scale[:, :1], 4),
        (good.codes, good.scale, good.minimum, 8),
        (good.codes, good.scale, good.minimum, 0),
        (good.codes[0], good.scale, good.minimum, 4),
    ):
        with pytest.raises(FormatError):
            PackedWeight(codes, scale, minimum, bits, 32)


def test_codes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FormatError, match="8 does not fit 3 bits"):
        pack_codes(torch.full((1, 8), 8, dtype=torch.uint8), 3)
    with pytest.raises(FormatError, match="K a multiple of 8"):
        pack_codes(torch.zeros(1, 9, dtype=torch.uint8), 3)
    with pytest.raises(FormatError, match="int32"):
        pack_codes(torch.zeros(1, 8, dtype=torch.int32), 4)
    with pytest.raises(FormatError, match="6 bits"):
        pack_codes(torch.zeros(1, 8, dtype=torch.uint8), 6)
    with pytest.raises(FormatError, match="2 bits"):
        unpack_codes(torch.zeros(1, 8, dtype=torch.uint8), 2)
    with pytest.raises(FormatError, match=r"must be \[N, K\]"):
        quantize(torch.zeros(32), 4, 32, False)


def test_effective_bits_count_the_scale_and_the_minimum() -> None:
    assert effective_bits(4, 32, False) == 4.5
    assert effective_bits(4, 32, True) == 5.0
    assert random_weight(2, 128, 3, 128, True).effective_bits == 3.25
    weight = random_weight(6, 128, 4, 64, True)
    assert weight.size_bytes * 8 == weight.effective_bits * 6 * 128


@pytest.mark.parametrize("bits", [(3, 4, 8), (3, 3, 4), (8, 3, 8), (5, 4, 5), (5, 8, 3)])
@pytest.mark.parametrize("minima", [(False, False, False), (True, True, True), (True, False, True)])
def test_stacked_rows_keep_their_values_exactly(bits: tuple[int, ...], minima: tuple[bool, ...]) -> None:
    parts = [random_weight(n, 64, b, 32, m) for n, b, m in zip((3, 1, 5), bits, minima, strict=True)]
    stacked = concatenate_rows(parts)
    assert stacked.bits == max(bits)
    assert torch.equal(dequantize(stacked), torch.cat([dequantize(part) for part in parts]))


def test_rows_that_cannot_be_stacked_exactly_are_refused() -> None:
    with pytest.raises(FormatError, match="different columns or groups"):
        concatenate_rows([random_weight(2, 64, group_size=32), random_weight(2, 64, group_size=64)])
    with pytest.raises(FormatError, match="different columns or groups"):
        concatenate_rows([random_weight(2, 64), random_weight(2, 96)])
    huge = quantize(torch.full((1, 32), -30000.0 * 8), 4, 32, False)
    with pytest.raises(FormatError, match="too large"):
        concatenate_rows([huge, random_weight(1, 32, has_minimum=True)])

"""GPTQ, AWQ, compressed-tensors and bitsandbytes: the numbers are those that were packed, by independent code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.convert.matrix import SourceMatrix
from engine.convert.options import QuantizeOptions
from engine.convert.packing import pack
from engine.convert.sources.awq import AwqMatrix
from engine.convert.sources.bitsandbytes import RowScaledMatrix, TableMatrix
from engine.convert.sources.compressed_tensors import CompressedMatrix
from engine.convert.sources.gptq import GptqMatrix
from engine.convert.sources.quantization_config import GptqLayout
from engine.convert.sources.safetensors_file import StoredTensor, read_table
from engine.errors import SourceError
from kernels.formats import dequantize
from tests.engine.convert.integer_checkpoints import (
    Array,
    Quantised,
    awq_tensors,
    compressed_tensors,
    gptq_tensors,
    quantise,
)

NUM_ROWS, NUM_COLUMNS = 64, 192


@pytest.fixture(scope="module")
def weight() -> Array:
    return np.random.default_rng(5).standard_normal((NUM_ROWS, NUM_COLUMNS)).astype(np.float32) * 0.05


def groups(size: int, *, is_permuted: bool = False) -> np.ndarray:
    group_of = np.arange(NUM_COLUMNS) // size
    return np.random.default_rng(6).permutation(group_of) if is_permuted else group_of


def stored(folder: Path, tensors: dict) -> dict[str, StoredTensor]:
    """Written by the safetensors library, under the names of a module's tensors."""
    path = folder / "model.safetensors"
    save_file({name: t if isinstance(t, Tensor) else torch.from_numpy(t.copy()) for name, t in tensors.items()}, path)
    return read_table(path)


def assert_values(matrix: SourceMatrix, wanted: Array) -> None:
    """All rows at once, and some rows that begin and end anywhere."""
    assert (matrix.num_rows, matrix.num_columns) == wanted.shape
    expected = torch.from_numpy(wanted)
    torch.testing.assert_close(matrix.read_values(0, matrix.num_rows), expected, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(matrix.read_values(3, 30), expected[3:30], rtol=1e-6, atol=1e-9)


def assert_kept(matrix: SourceMatrix, quantised: Quantised, bits: int, *, is_exact: bool) -> None:
    """Packed with its own codes: exactly, or to half a unit in the last place of float16 of scale * zero."""
    packed = pack(matrix, QuantizeOptions())
    wanted = torch.from_numpy(quantised.values)
    assert packed.weight.bits == {2: 3}.get(bits, bits)
    difference = (dequantize(packed.weight) - wanted).abs()
    if is_exact:
        assert packed.form.is_exact
        assert packed.form.error == 0.0
        assert packed.weight.minimum is None
        assert torch.equal(dequantize(packed.weight), wanted)
    else:
        product = torch.from_numpy((quantised.scale.astype(np.float32) * quantised.zero)[:, quantised.group_of])
        assert bool((difference <= product * 2**-11 + 1e-7).all())
        assert packed.form.error is not None
        assert packed.form.error < 2e-3


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize(("group_size", "zero_offset"), [(32, 1), (64, 0), (None, 1)])
def test_gptq_codes_are_taken_over(
    tmp_path: Path, weight: Array, bits: int, is_symmetric: bool, group_size: int | None, zero_offset: int
) -> None:
    group_of = groups(group_size or NUM_COLUMNS)
    matrix = quantise(weight, bits, group_of, is_symmetric=is_symmetric, min_zero=zero_offset)
    tensors = stored(tmp_path, gptq_tensors(matrix, bits, zero_offset=zero_offset, has_order=True))
    read = GptqMatrix("a.weight", tensors, GptqLayout(bits, group_size, zero_offset))
    assert_values(read, matrix.values)
    assert_kept(read, matrix, bits, is_exact=is_symmetric)


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("zero_offset", [0, 1])
def test_gptq_of_reordered_columns_is_read_exactly_and_packed_anew(
    tmp_path: Path, weight: Array, bits: int, zero_offset: int
) -> None:
    matrix = quantise(weight, bits, groups(64, is_permuted=True), is_symmetric=False, min_zero=zero_offset)
    tensors = stored(tmp_path, gptq_tensors(matrix, bits, zero_offset=zero_offset, has_order=True))
    read = GptqMatrix("a.weight", tensors, GptqLayout(bits, 64, zero_offset))
    assert_values(read, matrix.values)
    assert read.kept is None
    packed = pack(read, QuantizeOptions(8))
    assert not packed.form.is_exact
    wanted = torch.from_numpy(matrix.values)
    error = float((dequantize(packed.weight) - wanted).norm() / wanted.norm())
    assert packed.form.error == pytest.approx(error, rel=1e-4)
    assert error < 0.01


def test_gptq_without_an_order_has_consecutive_groups(tmp_path: Path, weight: Array) -> None:
    matrix = quantise(weight, 4, groups(32), is_symmetric=False, min_zero=1)
    tensors = stored(tmp_path, gptq_tensors(matrix, 4, zero_offset=1, has_order=False))
    assert_values(GptqMatrix("a.weight", tensors, GptqLayout(4, 32, 1)), matrix.values)


@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize("group_size", [32, 64, None])
def test_awq_codes_are_taken_over(tmp_path: Path, weight: Array, is_symmetric: bool, group_size: int | None) -> None:
    matrix = quantise(weight, 4, groups(group_size or NUM_COLUMNS), is_symmetric=is_symmetric)
    read = AwqMatrix("a.weight", stored(tmp_path, awq_tensors(matrix)), group_size)
    assert_values(read, matrix.values)
    assert_kept(read, matrix, 4, is_exact=is_symmetric)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize("is_permuted", [True, False])
def test_compressed_tensors_are_read(
    tmp_path: Path, weight: Array, bits: int, is_symmetric: bool, is_permuted: bool
) -> None:
    matrix = quantise(weight, bits, groups(64, is_permuted=is_permuted), is_symmetric=is_symmetric)
    tensors = compressed_tensors(matrix, bits, is_symmetric=is_symmetric, has_order=is_permuted)
    read = CompressedMatrix("a.weight", stored(tmp_path, tensors), bits)
    assert_values(read, matrix.values)
    if is_permuted:
        assert read.kept is None
    else:
        assert_kept(read, matrix, bits, is_exact=is_symmetric)


def test_a_scale_that_float16_does_not_hold_is_told_as_an_error(tmp_path: Path, weight: Array) -> None:
    matrix = quantise(weight, 4, groups(64), is_symmetric=True)
    tensors = compressed_tensors(matrix, 4, is_symmetric=True, has_order=False)
    scale = torch.from_numpy(matrix.scale.astype(np.float32)) * 1.0001
    read = CompressedMatrix("a.weight", stored(tmp_path, tensors | {"weight_scale": scale}), 4)
    form = pack(read, QuantizeOptions()).form
    assert not form.is_exact
    assert form.error is not None
    assert 1e-5 < form.error < 1e-3


NF4 = np.array(
    [
        *(-1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0),
        *(0.0795803, 0.1609302, 0.24611230, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1),
    ],
    np.float32,
)


@pytest.mark.parametrize("is_nested", [True, False])
def test_nf4_is_read_through_its_table(tmp_path: Path, is_nested: bool) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 16, (NUM_ROWS, NUM_COLUMNS))
    num_blocks = codes.size // 64
    table = np.sort(random.standard_normal(256)).astype(np.float32)
    state: dict[str, object] = {"blocksize": 64, "shape": list(codes.shape), "quant_type": "nf4"}
    tensors: dict[str, np.ndarray] = {
        "weight": (codes.flatten()[0::2] << 4 | codes.flatten()[1::2]).astype(np.uint8)[:, None],
        "weight.quant_map": NF4,
    }
    if is_nested:
        absmax_codes = random.integers(0, 256, num_blocks)
        nested = random.random(-(-num_blocks // 256)).astype(np.float32)
        state |= {"nested_blocksize": 256, "nested_offset": 0.25}
        absmax = table[absmax_codes] * nested[np.arange(num_blocks) // 256] + np.float32(0.25)
        tensors |= {
            "weight.absmax": absmax_codes.astype(np.uint8),
            "weight.nested_absmax": nested,
            "weight.nested_quant_map": table,
        }
    else:
        absmax = random.random(num_blocks).astype(np.float32)
        tensors["weight.absmax"] = absmax
    tensors["weight.quant_state.bitsandbytes__nf4"] = np.frombuffer(json.dumps(state).encode(), np.uint8)
    wanted = NF4[codes] * absmax[np.arange(codes.size) // 64].reshape(codes.shape)
    read = TableMatrix("a.weight", stored(tmp_path, tensors))
    assert_values(read, wanted.astype(np.float32))
    packed = pack(read, QuantizeOptions(8))
    assert packed.form.source == "NF4"
    assert packed.form.error is not None
    assert 0 < packed.form.error < 0.02


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float32])
def test_a_quantisation_state_that_is_not_of_bytes_is_refused(tmp_path: Path, kind: torch.dtype) -> None:
    tensors = stored(tmp_path, {"weight.quant_state.bitsandbytes__nf4": torch.zeros(8, dtype=kind)})
    with pytest.raises(SourceError, match=r"a\.weight has a damaged quantisation state"):
        TableMatrix("a.weight", tensors)


def test_int8_keeps_its_codes_and_tells_the_rounding_of_its_scales(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    codes = random.integers(-128, 128, (NUM_ROWS, NUM_COLUMNS)).astype(np.int8)
    largest = random.random(NUM_ROWS).astype(np.float32)
    tensors = stored(tmp_path, {"weight": codes, "SCB": largest})
    read = RowScaledMatrix("a.weight", tensors["weight"], tensors["SCB"])
    assert_values(read, codes * (largest / 127)[:, None])
    packed = pack(read, QuantizeOptions())
    assert packed.weight.bits == 8
    assert packed.form.error is not None
    assert 0 < packed.form.error < 2**-11


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scales": torch.zeros(2, NUM_ROWS, dtype=torch.float16)}, r"scales is \(2, 64\), must be \(3, 64\)"),
        ({"qzeros": torch.zeros(3, 9, dtype=torch.int32)}, r"qzeros is \(3, 9\), must be \(3, 8\)"),
        ({"qweight": torch.zeros(24, NUM_ROWS)}, "qweight is F32"),
        ({"g_idx": torch.full((NUM_COLUMNS,), 3, dtype=torch.int32)}, "192 columns into 3 groups"),
        ({"g_idx": torch.zeros(5, dtype=torch.int32)}, "192 columns into 3 groups"),
    ],
)
def test_gptq_tensors_of_wrong_sizes_are_refused(tmp_path: Path, weight: Array, change: dict, words: str) -> None:
    matrix = quantise(weight, 4, groups(64), is_symmetric=True)
    tensors = stored(tmp_path, gptq_tensors(matrix, 4, zero_offset=1, has_order=True) | change)
    with pytest.raises(SourceError, match=words):
        GptqMatrix("a.weight", tensors, GptqLayout(4, 64, 1))

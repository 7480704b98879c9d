"""The codes of GGUF's blocks are taken over: bit for bit, or with only the scales rounded."""

import gguf
import numpy as np
import numpy.typing as npt
import pytest
import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from engine.convert.sources.gguf_blocks import repack
from engine.convert.sources.gguf_layouts import KEPT_LAYOUTS
from kernels.formats import dequantize

EXACT = [kind for kind, layout in KEPT_LAYOUTS.items() if layout.is_exact]
ROUNDED = [kind for kind, layout in KEPT_LAYOUTS.items() if not layout.is_exact]


def random_rows(kind: GGMLQuantizationType, num_rows: int, num_columns: int) -> npt.NDArray[np.uint8]:
    """Any bytes for the codes; scales and minima that are ordinary numbers of either sign."""
    random = np.random.default_rng(7)
    block_size, block_bytes = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (num_rows, num_columns // block_size, block_bytes), dtype=np.uint8)
    halves = random.normal(0, 0.02, (*blocks.shape[:2], 2)).astype(np.float16).view(np.uint8)
    num_scale_bytes = 4 if KEPT_LAYOUTS[kind].has_minimum else 2
    blocks[:, :, :num_scale_bytes] = halves[:, :, :num_scale_bytes]
    return blocks.reshape(num_rows, -1)


@pytest.mark.parametrize("kind", EXACT, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("num_rows", "num_columns"), [(1, 32), (17, 96), (129, 576)])
def test_small_blocks_keep_their_numbers_bit_for_bit(
    kind: GGMLQuantizationType, num_rows: int, num_columns: int
) -> None:
    rows = random_rows(kind, num_rows, num_columns)
    wanted = torch.from_numpy(gguf.quants.dequantize(rows, kind))
    assert torch.equal(dequantize(repack(rows, kind)), wanted)


@pytest.mark.parametrize("kind", ROUNDED, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("num_rows", "num_columns"), [(1, 256), (17, 768)])
def test_super_blocks_differ_only_by_the_rounding_of_their_scales(
    kind: GGMLQuantizationType, num_rows: int, num_columns: int
) -> None:
    rows = random_rows(kind, num_rows, num_columns)
    wanted = torch.from_numpy(gguf.quants.dequantize(rows, kind)).view(num_rows, -1, 32)
    weight = repack(rows, kind)
    assert weight.minimum is not None
    error = (dequantize(weight).view(num_rows, -1, 32) - wanted).abs()
    # Half a unit in the last of float16's eleven digits, of the scale times the largest code and of the minimum.
    top = (1 << (4 if kind is GGMLQuantizationType.Q4_K else 5)) - 1
    allowed = (weight.scale.float().abs() * top + weight.minimum.float().abs()) * 2**-11 + 1e-6
    assert bool((error <= allowed.unsqueeze(2)).all())


def test_the_extreme_codes_of_signed_bytes_survive() -> None:
    block = np.concatenate(
        [np.array([1.0], np.float16).view(np.uint8), np.array([-128, 127, 0, -1] * 8, np.int8).view(np.uint8)]
    )
    weight = repack(block.reshape(1, -1), GGMLQuantizationType.Q8_0)
    assert dequantize(weight)[0, :4].tolist() == [-128.0, 127.0, 0.0, -1.0]

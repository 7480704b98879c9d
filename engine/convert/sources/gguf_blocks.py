"""GGUF's blocks whose codes a `PackedWeight` can take over as they are, and their new layout.

Block layouts: block_q4_0 … block_q5_K in ggml's ggml-common.h. Knows nothing of files and models.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from torch import Tensor

from engine.convert.sources.gguf_layouts import GROUP, KEPT_LAYOUTS
from kernels.formats import PackedWeight, pack_codes

Unpacked = tuple[Tensor, Tensor, Tensor | None]
"""Codes uint8 [N, .., 32], scale and minimum float16 [N, ..], one of each per group of 32."""


def _nibbles(data: Tensor) -> Tensor:
    """The low nibbles are a block's first half, the high ones its second: [.., 16] to [.., 32]."""
    return torch.cat([data & 15, data >> 4], dim=-1)


def _five_bits(data: Tensor) -> Tensor:
    """Four bytes with the fifth bits, element 0 in the lowest, then the nibbles: [.., 20] to [.., 32]."""
    shifts = torch.arange(8, dtype=torch.uint8)
    high = (data[..., :4].unsqueeze(-1) >> shifts) & 1
    return _nibbles(data[..., 4:]) | (high.flatten(-2) << 4)


def _halves(data: Tensor) -> Tensor:
    """uint8 [.., 2] to float16 [..]."""
    return data.contiguous().view(torch.float16).squeeze(-1)


def _symmetric(codes: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Unpacked]:
    return lambda blocks: (codes(blocks[..., 2:]), _halves(blocks[..., :2]), None)


def _with_minimum(codes: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Unpacked]:
    return lambda blocks: (codes(blocks[..., 4:]), _halves(blocks[..., :2]), _halves(blocks[..., 2:4]))


def _super_block_scales(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Scale and minimum of the eight groups in a block of 256: float16 [N, blocks, 8].

    Twelve bytes hold 6-bit factors: the low six bits of bytes 0–3 and 4–7 are the scales' and the minima's first
    four; the other four take their low nibbles from bytes 8–11 and their high two bits from those bytes' tops.
    """
    first, second, mixed = blocks[..., 4:8], blocks[..., 8:12], blocks[..., 12:16]
    scales = torch.cat([first & 63, (mixed & 15) | ((first >> 2) & 48)], dim=-1)
    minima = torch.cat([second & 63, (mixed >> 4) | ((second >> 2) & 48)], dim=-1)
    scale = _halves(blocks[..., 0:2]).float().unsqueeze(-1) * scales.float()
    minimum = _halves(blocks[..., 2:4]).float().unsqueeze(-1) * minima.float()
    return scale.half(), -minimum.half()


def _super_block_nibbles(data: Tensor) -> Tensor:
    """Each 32 bytes hold two groups, low nibbles first: [.., 128] to [.., 8, 32]."""
    runs = data.view(*data.shape[:-1], 4, 1, GROUP)
    return torch.cat([runs & 15, runs >> 4], dim=-2).flatten(-3, -2)


def _unpack_q4_k(blocks: Tensor) -> Unpacked:
    return _super_block_nibbles(blocks[..., 16:]), *_super_block_scales(blocks)


def _unpack_q5_k(blocks: Tensor) -> Unpacked:
    """The fifth bits come first, one byte per column, one bit per group."""
    shifts = torch.arange(8, dtype=torch.uint8).unsqueeze(1)
    high = (blocks[..., 16:48].unsqueeze(-2) >> shifts) & 1
    return _super_block_nibbles(blocks[..., 48:]) | (high << 4), *_super_block_scales(blocks)


_UNPACKED: dict[GGMLQuantizationType, Callable[[Tensor], Unpacked]] = {
    GGMLQuantizationType.Q4_0: _symmetric(_nibbles),
    GGMLQuantizationType.Q4_1: _with_minimum(_nibbles),
    GGMLQuantizationType.Q5_0: _symmetric(_five_bits),
    GGMLQuantizationType.Q5_1: _with_minimum(_five_bits),
    # Signed bytes: -128 becomes code 0.
    GGMLQuantizationType.Q8_0: _symmetric(lambda data: data ^ 0x80),
    GGMLQuantizationType.Q4_K: _unpack_q4_k,
    GGMLQuantizationType.Q5_K: _unpack_q5_k,
}
"""From blocks uint8 [N, blocks, block bytes]."""


def repack(rows: npt.NDArray[np.uint8], kind: GGMLQuantizationType) -> PackedWeight:
    """Rows uint8 [N, row bytes] of a type in `KEPT_LAYOUTS` to a `PackedWeight` with the same codes."""
    layout, num_rows = KEPT_LAYOUTS[kind], rows.shape[0]
    codes, scale, minimum = _UNPACKED[kind](torch.from_numpy(rows).view(num_rows, -1, GGML_QUANT_SIZES[kind][1]))
    return PackedWeight(
        pack_codes(codes.reshape(num_rows, -1), layout.bits),
        scale.reshape(num_rows, -1),
        None if minimum is None else minimum.reshape(num_rows, -1),
        layout.bits,
        GROUP,
    )

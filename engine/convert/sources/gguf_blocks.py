"""GGUF's blocks of 32 that a `PackedWeight` holds bit for bit, and their new layout.

Block layouts: block_q4_0 … block_q8_0 in ggml's ggml-common.h. Knows nothing of files and models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from torch import Tensor

from kernels.formats import PackedWeight, pack_codes

BLOCK = 32


@dataclass(frozen=True, slots=True)
class ExactLayout:
    """`codes` takes what follows scale and minimum, uint8 [N, blocks, bytes], to codes uint8 [N, blocks, 32]."""

    bits: int
    has_minimum: bool
    codes: Callable[[Tensor], Tensor]


def _nibbles(data: Tensor) -> Tensor:
    """The low nibbles are the block's first half, the high ones its second: [.., 16] to [.., 32]."""
    return torch.cat([data & 15, data >> 4], dim=2)


def _five_bits(data: Tensor) -> Tensor:
    """Four bytes with the fifth bits, element 0 in the lowest, then the nibbles: [.., 20] to [.., 32]."""
    shifts = torch.arange(8, dtype=torch.uint8)
    high = (data[:, :, :4].unsqueeze(3) >> shifts) & 1
    return _nibbles(data[:, :, 4:]) | (high.flatten(2) << 4)


EXACT_LAYOUTS = {
    GGMLQuantizationType.Q4_0: ExactLayout(4, False, _nibbles),
    GGMLQuantizationType.Q4_1: ExactLayout(4, True, _nibbles),
    # Five bits in eight: the zero of Q5_0 is code 16, ours is 128.
    GGMLQuantizationType.Q5_0: ExactLayout(8, False, lambda data: _five_bits(data) + (128 - 16)),
    GGMLQuantizationType.Q5_1: ExactLayout(8, True, _five_bits),
    # Signed bytes: -128 becomes code 0.
    GGMLQuantizationType.Q8_0: ExactLayout(8, False, lambda data: data ^ 0x80),
}


def repack(rows: npt.NDArray[np.uint8], kind: GGMLQuantizationType) -> PackedWeight:
    """Rows uint8 [N, row bytes] of a type in `EXACT_LAYOUTS` to the same numbers as a `PackedWeight`."""
    layout = EXACT_LAYOUTS[kind]
    blocks = torch.from_numpy(rows).view(rows.shape[0], -1, GGML_QUANT_SIZES[kind][1])
    scale = _halves(blocks[:, :, 0:2])
    minimum = _halves(blocks[:, :, 2:4]) if layout.has_minimum else None
    codes = layout.codes(blocks[:, :, 4 if layout.has_minimum else 2 :])
    return PackedWeight(pack_codes(codes.flatten(1), layout.bits), scale, minimum, layout.bits, BLOCK)


def _halves(data: Tensor) -> Tensor:
    """uint8 [N, blocks, 2] to float16 [N, blocks]."""
    return data.contiguous().view(torch.float16).squeeze(2)

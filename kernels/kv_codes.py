"""The codes of a pool of eight bits, in torch: rows to codes and back, and the turn that makes them lose less.

How a row lies in the pool: kernels/kv_rows.py.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.kv_rows import SCALE_BYTES

LARGEST_CODE = 127
_TINY = 1e-36
"""Below this magnitude 127 / magnitude overflows; such a row counts as zero."""


def encode(heads: Tensor) -> Tensor:
    """float32 [..., d] to int8 [..., d + 4]; a row that is not all finite gets the scale NaN."""
    magnitude = heads.abs().amax(dim=-1, keepdim=True)
    is_codable = (magnitude >= _TINY) & magnitude.isfinite()
    codes = torch.where(is_codable, heads * (LARGEST_CODE / magnitude), 0.0).round().to(torch.int8)
    unfit = torch.where(magnitude < _TINY, 0.0, float("nan"))
    scale = torch.where(is_codable, magnitude / LARGEST_CODE, unfit)
    return torch.cat([codes, scale.view(torch.int8)], dim=-1)


def decode(rows: Tensor) -> Tensor:
    """int8 [..., d + 4] to float32 [..., d]."""
    codes, scale = rows[..., :-SCALE_BYTES], rows[..., -SCALE_BYTES:]
    return codes.float() * scale.clone(memory_format=torch.contiguous_format).view(torch.float32)


def turn(heads: Tensor) -> Tensor:
    """float32 [..., d] times the orthogonal Hadamard matrix of each run of 2**n elements, the largest that divides d.

    It spreads a few large elements over their run. q and k turned alike have the product that they had (Ashkboos et
    al. 2024, QuaRot).
    """
    size, step = heads.shape[-1] & -heads.shape[-1], 1
    # Sums and differences of elements alone: a product's order of sums may depend on how many rows there are.
    while step < size:
        a, b = heads.reshape(*heads.shape[:-1], -1, 2, step).unbind(-2)
        heads = torch.stack([a + b, a - b], dim=-2).flatten(-3)
        step *= 2
    return heads * size**-0.5

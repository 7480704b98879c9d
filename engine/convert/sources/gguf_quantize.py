"""Which format a GGUF tensor gets, and how it gets there from its type. Knows nothing of files and families."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from engine.convert.options import QuantizeOptions
from engine.convert.sources.gguf_blocks import GROUP, KEPT_LAYOUTS, repack
from engine.errors import SourceError
from kernels.formats import BITS, GROUP_SIZES, PackedWeight, quantize

# The widest source types that become 4 bits where the bits are chosen per tensor; Q4_1 has just these.
MAX_NARROW_BITS_PER_WEIGHT = 5.0


@dataclass(frozen=True, slots=True)
class Target:
    """The format a tensor gets. `is_kept`: with the source's own codes; `is_exact`: with its numbers bit for bit."""

    bits: int
    has_minimum: bool
    is_kept: bool
    is_exact: bool


def choose_target(kind: GGMLQuantizationType, options: QuantizeOptions) -> Target:
    """The source's own codes where the format can hold them, else round-to-nearest; 8 bits go without a minimum."""
    kept = KEPT_LAYOUTS.get(kind)
    if kept is not None and options.group_size == GROUP and kept.bits <= (options.bits or max(BITS)):
        return Target(kept.bits, kept.has_minimum, True, kept.is_exact)
    block_size, block_bytes = GGML_QUANT_SIZES[kind]
    bits_per_weight = 8 * block_bytes / block_size
    bits = options.bits or (4 if bits_per_weight <= MAX_NARROW_BITS_PER_WEIGHT else 8)
    return Target(bits, bits != 8, False, False)


def check_tensor(name: str, kind: GGMLQuantizationType, num_columns: int, group_size: int) -> None:
    """Raises `SourceError` if the tensor's type cannot be read, or its rows cannot be cut into the groups."""
    try:
        dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError as error:
        raise SourceError(f"{name} has the type {kind.name}, which cannot be read: get a Q4_1 or Q8_0 file") from error
    if num_columns % group_size:
        fitting = " or ".join(str(size) for size in GROUP_SIZES if num_columns % size == 0)
        advice = f"use groups of {fitting}" if fitting else "no group (32, 64 or 128) does, choose another model"
        raise SourceError(
            f"{name} has rows of {num_columns} weights, groups of {group_size} do not divide them: {advice}"
        )


def pack_rows(rows: npt.NDArray[np.uint8], kind: GGMLQuantizationType, target: Target, group_size: int) -> PackedWeight:
    """Source rows uint8 [N, row bytes] to packed rows. Raises `FormatError` for numbers that are not finite."""
    if target.is_kept:
        return repack(rows, kind)
    # Damaged scales overflow on the way; `quantize` refuses what comes of it.
    with np.errstate(all="ignore"):
        weights = torch.from_numpy(np.ascontiguousarray(dequantize(rows, kind)))
    return quantize(weights, target.bits, group_size, target.has_minimum)

"""The layouts of a `PackedWeight`: the one definition of packing, and of choosing codes, in torch.

Knows nothing of the files the weights come from, nor of the layouts a backend repacks them into.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.packed_weight import (
    BITS,
    GROUP_SIZES,
    FormatError,
    KernelShapeError,
    PackedWeight,
    check_format,
    effective_bits,
)
from kernels.tensors import tensors_of

__all__ = [
    "BITS",
    "GROUP_SIZES",
    "FormatError",
    "KernelShapeError",
    "PackedWeight",
    "check_format",
    "concatenate_rows",
    "dequantize",
    "effective_bits",
    "pack_codes",
    "quantize",
    "regroup",
    "unpack_codes",
]


def pack_codes(codes: Tensor, bits: int) -> Tensor:
    """Codes uint8 [N, K], each below 2**bits, to bytes uint8 [N, K * bits / 8]. Inverse of `unpack_codes`."""
    if bits not in BITS:
        raise FormatError(f"{bits} bits are not supported: use 3, 4, 5 or 8")
    if codes.dtype != torch.uint8 or codes.dim() != 2 or codes.shape[1] % 8:
        raise FormatError(f"codes are {codes.dtype} {tuple(codes.shape)}, must be uint8 [N, K] with K a multiple of 8")
    if codes.numel() and int(codes.max()) >= 1 << bits:
        raise FormatError(f"a code of {int(codes.max())} does not fit {bits} bits")
    if bits == 8:
        return codes.contiguous()
    if bits == 4:
        return codes[:, 0::2] | (codes[:, 1::2] << 4)
    octets = codes.view(codes.shape[0], -1, 8).to(torch.int64)
    words = (octets << _places_of_codes(bits)).sum(dim=2, keepdim=True)
    return ((words >> _places_of_bytes(bits)) & 255).to(torch.uint8).flatten(1)


def unpack_codes(packed: Tensor, bits: int) -> Tensor:
    """Bytes uint8 [N, K * bits / 8] to codes uint8 [N, K]."""
    if bits == 8:
        return packed
    if bits == 4:
        return torch.stack([packed & 15, packed >> 4], dim=2).flatten(1)
    if bits not in BITS:
        raise FormatError(f"{bits} bits are not supported: use 3, 4, 5 or 8")
    octets = packed.view(packed.shape[0], -1, bits).to(torch.int64)
    words = (octets << _places_of_bytes(bits)).sum(dim=2, keepdim=True)
    return ((words >> _places_of_codes(bits)) & ((1 << bits) - 1)).to(torch.uint8).flatten(1)


def _places_of_codes(bits: int) -> Tensor:
    """Where each of eight codes begins in their number."""
    return torch.arange(0, 8 * bits, bits)


def _places_of_bytes(bits: int) -> Tensor:
    """Where each of the number's bytes begins."""
    return torch.arange(0, 8 * bits, 8)


def dequantize(weight: PackedWeight, rows: Tensor | None = None) -> Tensor:
    """float32 [N, K]; with `rows` (int64 [R]) only those rows, [R, K]."""
    weight = tensors_of(weight)
    codes, scale, minimum = weight.codes, weight.scale, weight.minimum
    if rows is not None:
        codes, scale = codes[rows], scale[rows]
        minimum = None if minimum is None else minimum[rows]
    num_rows, num_groups = scale.shape
    q = unpack_codes(codes, weight.bits).view(num_rows, num_groups, weight.group_size).float()
    if minimum is None:
        w = (q - (1 << (weight.bits - 1))) * scale.float().unsqueeze(2)
    else:
        w = q * scale.float().unsqueeze(2) + minimum.float().unsqueeze(2)
    return w.view(num_rows, num_groups * weight.group_size)


def quantize(weight: Tensor, bits: int, group_size: int, has_minimum: bool) -> PackedWeight:
    """Round-to-nearest: float [N, K] to the nearest codes, group by group.

    With a minimum the codes span [min, max] of the group; without, they are symmetric about zero and the largest
    magnitude takes the code -2**(bits - 1), as in GGUF's Q4_0. The scale is rounded to float16 before the codes
    are chosen, so that the codes fit the scale that is stored. Raises `FormatError` for values that are not finite
    or whose scale exceeds float16.
    """
    if weight.dim() != 2:
        raise FormatError(f"weight is {tuple(weight.shape)}, must be [N, K]")
    check_format(bits, group_size, weight.shape[1])
    groups = weight.float().view(weight.shape[0], -1, group_size)
    top = (1 << bits) - 1
    minimum: Tensor | None = None
    if has_minimum:
        low, high = groups.aminmax(dim=2)
        minimum = low.half()
        scale = ((high - minimum.float()) / top).half()
        offset = minimum.float().unsqueeze(2)
    else:
        extreme = groups.gather(2, groups.abs().argmax(dim=2, keepdim=True)).squeeze(2)
        scale = (extreme / -(1 << (bits - 1))).half()
        offset = -scale.float().unsqueeze(2) * (1 << (bits - 1))
    if not bool(torch.isfinite(scale).all() and (minimum is None or torch.isfinite(minimum).all())):
        raise FormatError("the weights hold values that are not finite or too large for a float16 scale")
    step = scale.float().unsqueeze(2)
    codes = torch.where(step == 0, torch.zeros(()), (groups - offset) / step).round().clamp(0, top)
    if not has_minimum:
        codes = torch.where(step == 0, torch.full((), float(1 << (bits - 1))), codes)
    return PackedWeight(pack_codes(codes.to(torch.uint8).flatten(1), bits), scale, minimum, bits, group_size)


def regroup(weight: PackedWeight, group_size: int) -> PackedWeight:
    """The same numbers in smaller groups, each with its group's scale. Raises `FormatError` unless they divide it."""
    if group_size == weight.group_size:
        return weight
    weight = tensors_of(weight)
    if weight.group_size % group_size:
        raise FormatError(f"groups of {weight.group_size} cannot be cut into groups of {group_size}")
    times = weight.group_size // group_size
    minimum = None if weight.minimum is None else weight.minimum.repeat_interleave(times, dim=1)
    return PackedWeight(weight.codes, weight.scale.repeat_interleave(times, dim=1), minimum, weight.bits, group_size)


def concatenate_rows(weights: list[PackedWeight]) -> PackedWeight:
    """Stack weights of one K and one group size, exactly: narrower codes are widened to the widest of them.

    A symmetric weight beside an asymmetric one gets the minimum `-2**(bits - 1) * scale`, which float16 holds exactly
    unless it overflows. Raises `FormatError` if columns or groups differ, or on that overflow.
    """
    if len({(w.num_columns, w.group_size) for w in weights}) != 1:
        shapes = [(w.num_rows, w.num_columns, w.group_size) for w in weights]
        raise FormatError(f"cannot stack weights of different columns or groups: {shapes}")
    if len(weights) == 1:
        return weights[0]
    weights = [tensors_of(weight) for weight in weights]
    bits = max(w.bits for w in weights)
    has_minimum = any(w.minimum is not None for w in weights)
    codes, scales, minima = [], [], []
    for w in weights:
        q = unpack_codes(w.codes, w.bits)
        minimum = w.minimum
        if has_minimum and minimum is None:
            minimum = w.scale * -(1 << (w.bits - 1))
            if not bool(torch.isfinite(minimum).all()):
                raise FormatError("a symmetric weight is too large to be given a float16 minimum")
        elif not has_minimum:
            q = q + ((1 << (bits - 1)) - (1 << (w.bits - 1)))
        codes.append(pack_codes(q, bits))
        scales.append(w.scale)
        if minimum is not None:
            minima.append(minimum)
    return PackedWeight(
        torch.cat(codes),
        torch.cat(scales),
        torch.cat(minima) if has_minimum else None,
        bits,
        weights[0].group_size,
    )

"""PackedWeight and its layouts: the one definition of packing.

Knows nothing of the files the weights come from, nor of the layouts a backend repacks them into.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BITS = (3, 4, 5, 8)
GROUP_SIZES = (32, 64, 128)


class FormatError(ValueError):
    """A weight has bits, a group or a shape that the format does not cover."""


class KernelShapeError(ValueError):
    """An operation was called with a shape, dtype or stride that it does not take."""


@dataclass(frozen=True, slots=True)
class PackedWeight:
    """A matrix [N, K] in codes of 3, 4, 5 or 8 bits, with one scale per group of `group_size` along K.

    With a minimum, `w = scale * code + minimum`; without, `w = scale * (code - 2**(bits - 1))`.

    codes:   uint8 [N, K * bits / 8]. 8 bits: one code a byte. 4 bits: low nibble = even k. 3 and 5 bits: eight
             codes in three or five bytes, a little-endian number whose lowest bits are the first code.
    scale:   float16 [N, K / group_size]
    minimum: float16 [N, K / group_size], or None for symmetric weights

    Raises `FormatError` for any other bits, group, shape or dtype.
    """

    codes: Tensor
    scale: Tensor
    minimum: Tensor | None
    bits: int
    group_size: int

    def __post_init__(self) -> None:
        if self.bits not in BITS or self.codes.dim() != 2:
            raise FormatError(f"codes of {self.bits} bits, {tuple(self.codes.shape)}: must be 3, 4, 5 or 8 bits, 2-D")
        check_format(self.bits, self.group_size, self.num_columns)
        groups = (self.num_rows, self.num_columns // self.group_size)
        for name, tensor, shape, dtype in (
            ("codes", self.codes, (self.num_rows, self.num_columns * self.bits // 8), torch.uint8),
            ("scale", self.scale, groups, torch.float16),
            ("minimum", self.minimum, groups, torch.float16),
        ):
            if tensor is not None and (tuple(tensor.shape) != shape or tensor.dtype != dtype):
                raise FormatError(
                    f"{name} is {tensor.dtype} {tuple(tensor.shape)}, must be {dtype} {shape} "
                    f"for {self.bits} bits in groups of {self.group_size}"
                )

    @property
    def num_rows(self) -> int:
        return self.codes.shape[0]

    @property
    def num_columns(self) -> int:
        return self.codes.shape[1] * 8 // self.bits

    @property
    def size_bytes(self) -> int:
        """Bytes of codes, scales and minima together."""
        tensors = (self.codes, self.scale, self.minimum)
        return sum(t.numel() * t.element_size() for t in tensors if t is not None)

    @property
    def effective_bits(self) -> float:
        return effective_bits(self.bits, self.group_size, self.minimum is not None)


def effective_bits(bits: int, group_size: int, has_minimum: bool) -> float:
    """Bits per weight with the group's 16-bit scale, and minimum if there is one, counted in."""
    return bits + (32 if has_minimum else 16) / group_size


def check_format(bits: int, group_size: int, num_columns: int) -> None:
    """Raises `FormatError` unless a row of `num_columns` weights can be packed so."""
    if bits not in BITS:
        raise FormatError(f"{bits} bits are not supported: use 3, 4, 5 or 8")
    if group_size not in GROUP_SIZES:
        raise FormatError(f"groups of {group_size} are not supported: use 32, 64 or 128")
    if num_columns == 0 or num_columns % group_size:
        raise FormatError(f"groups of {group_size} do not divide rows of {num_columns} weights: use a smaller group")


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

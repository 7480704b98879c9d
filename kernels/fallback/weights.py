"""How the torch backend holds a weight, and the two ways to multiply by it: few rows, and many.

Few rows run torch's int4 kernel on a repacked copy. Many rows are multiplied by the weight written out in bfloat16
(float32 where the processor has no fast bfloat16), which costs one pass over the weight whatever the number of rows.
Knows nothing of layers, norms or attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import Tensor

from kernels.formats import PackedWeight, unpack_codes

TILE_ROWS = 128
"""Rows of each dense multiplication. torch picks its blocking by shape, so a fixed shape keeps rows independent."""

_NIBBLE_BITS = 4
_ROW_MULTIPLE = 16  # the int4 kernel takes weights of 16 n rows
_PACK_ROWS = 4096  # rows repacked at a time: a multiple of the kernel's widest row block, 64
_DENSE_ELEMENTS = 1 << 22  # elements written out at a time: bounds the memory that a large vocabulary takes
_BF16_128 = 0x4300  # bfloat16 128.0: its lowest mantissa bit is worth 1, so a code below 128 can be or-ed in


@dataclass(frozen=True, slots=True)
class TorchWeight:
    """A weight [N, K] for the int4 kernel, which computes `(code - 8) * scale + zero` per group along K.

    4-bit codes run as they are, 3-bit codes in the 4-bit container. 8-bit codes run exactly, as two planes of nibbles
    along a doubled K: `code - 128 = 16 * (high - 8) + (low - 8) + 8`; 5-bit codes as 8-bit ones.

    packed:           uint8, the kernel's own layout of planes * K codes for each of N rows, padded to 16 n
    scales_and_zeros: bfloat16 [planes * K / G, padded N, 2]
    plain:            the weight as it was read; memory-mapped, so that keeping it costs page cache only
    """

    packed: Tensor
    scales_and_zeros: Tensor
    plain: PackedWeight
    num_planes: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.plain.num_rows, self.plain.num_columns


def pack(weight: PackedWeight) -> TorchWeight:
    """Repack the plain layout, some rows at a time so that the unpacked codes never stand in memory whole."""
    num_planes = 2 if weight.bits > _NIBBLE_BITS else 1
    padding = -weight.num_rows % _ROW_MULTIPLE
    packed = torch.empty(weight.num_rows + padding, num_planes * weight.num_columns // 2, dtype=torch.uint8)
    for first in range(0, len(packed), _PACK_ROWS):
        rows = _planes(unpack_codes(weight.codes[first : first + _PACK_ROWS], weight.bits), weight.bits)
        if first + _PACK_ROWS >= len(packed):
            rows = F.pad(rows, (0, 0, 0, padding))
        packed[first : first + len(rows)] = torch._convert_weight_to_int4pack_for_cpu(rows, 1)
    scale, zero = centred_scales(weight)
    if num_planes == 2:
        scale, zero = torch.cat([scale * 16, scale], dim=1), torch.cat([zero, scale * 8], dim=1)
    pairs = F.pad(torch.stack([scale, zero], dim=2), (0, 0, 0, 0, 0, padding))
    return TorchWeight(packed, pairs.transpose(0, 1).contiguous(), weight, num_planes)


def _planes(codes: Tensor, bits: int) -> Tensor:
    """uint8 [n, K] to the 4-bit codes that the kernel reads, int32 [n, planes * K]."""
    container_bits = _NIBBLE_BITS if bits <= _NIBBLE_BITS else 8
    codes = codes.int() + ((1 << (container_bits - 1)) - (1 << (bits - 1)))
    return codes if container_bits == _NIBBLE_BITS else torch.cat([codes >> 4, codes & 15], dim=1)


def centred_scales(weight: PackedWeight, first: int = 0, last: int | None = None) -> tuple[Tensor, Tensor]:
    """bfloat16 (scale, zero) [n, K / G] of the rows first to last, for codes counted from the middle of their range.

    Counted so, zero is small beside scale * code, and little is lost by rounding it to bfloat16.
    """
    scale = weight.scale[first:last].float()
    if weight.minimum is None:
        return scale.bfloat16(), torch.zeros_like(scale, dtype=torch.bfloat16)
    middle = weight.minimum[first:last].float() + scale * (1 << (weight.bits - 1))
    return scale.bfloat16(), middle.bfloat16()


def linear(x: Tensor, weight: TorchWeight, num_narrow_rows: int | None, dense_dtype: torch.dtype) -> Tensor:
    """bfloat16 x [M, K] to bfloat16 [M, N], accumulated in float32; the rows after num_narrow_rows go the dense way."""
    if num_narrow_rows is None or num_narrow_rows == len(x):
        return _linear_narrow(x, weight)
    result = x.new_empty(len(x), weight.plain.num_rows)
    if num_narrow_rows:
        result[:num_narrow_rows] = _linear_narrow(x[:num_narrow_rows], weight)
    _linear_wide(x[num_narrow_rows:].to(dense_dtype), weight.plain, result[num_narrow_rows:])
    return result


def _linear_narrow(x: Tensor, weight: TorchWeight) -> Tensor:
    if weight.num_planes == 2:
        x = x.repeat(1, 2)
    y = torch._weight_int4pack_mm_for_cpu(x, weight.packed, weight.plain.group_size, weight.scales_and_zeros)
    return y if y.shape[1] == weight.plain.num_rows else y[:, : weight.plain.num_rows]


def _linear_wide(x: Tensor, weight: PackedWeight, result: Tensor) -> None:
    """Fill result [M, N] tile by tile, for as many of the weight's rows at a time as may be written out."""
    num_rows = len(x)
    x = F.pad(x, (0, 0, 0, -num_rows % TILE_ROWS))
    step = max(1, _DENSE_ELEMENTS // weight.num_columns)
    for first in range(0, weight.num_rows, step):
        matrix = dense_rows(weight, first, first + step, x.dtype)
        for row, tile in zip(range(0, num_rows, TILE_ROWS), torch.split(x, TILE_ROWS), strict=True):
            y = F.linear(tile, matrix)
            result[row : row + TILE_ROWS, first : first + step] = y[: num_rows - row]


def grouped_linear(x: Tensor, weight: PackedWeight, num_groups: int) -> Tensor:
    """x [M, G * K] of the dense dtype by the weight [G * N, K], part by part: [M, G * N], always the dense way."""
    step = weight.num_rows // num_groups
    result = x.new_empty(len(x), weight.num_rows)
    for group, part in enumerate(x.chunk(num_groups, dim=1)):
        first = group * step
        matrix = dense_rows(weight, first, first + step, x.dtype)
        tiles = torch.split(F.pad(part, (0, 0, 0, -len(x) % TILE_ROWS)), TILE_ROWS)
        y = torch.cat([F.linear(tile, matrix) for tile in tiles])
        result[:, first : first + step] = y[: len(x)]
    return result


def dense_rows(weight: PackedWeight, first: int, last: int, dtype: torch.dtype) -> Tensor:
    """The weight's rows first to last written out, [n, K] in `dtype`, from the scales that the int4 kernel uses."""
    scale, zero = (t.to(dtype).unsqueeze(2) for t in centred_scales(weight, first, last))
    codes = _centred_codes(weight.codes[first:last], weight.bits).to(dtype)
    groups = codes.view(len(codes), -1, weight.group_size)
    w = groups.mul_(scale) if weight.minimum is None else torch.addcmul(zero, groups, scale)
    return w.view(codes.shape)


def _centred_codes(packed: Tensor, bits: int) -> Tensor:
    """`code - 2**(bits - 1)` in bfloat16 [n, K], exact, from packed codes.

    Below 8 bits, two neighbouring codes are spread over the halves of an int32 and or-ed into two bfloat16 of 128.
    """
    middle = 1 << (bits - 1)
    if bits == 8:
        return packed.bfloat16().sub_(middle)
    mask = (1 << bits) - 1
    pairs = packed.int() if bits == _NIBBLE_BITS else _pairs(packed, bits)
    spread = (pairs | (pairs << (16 - bits))).bitwise_and_(mask | (mask << 16)).bitwise_or_(_BF16_128 * 0x10001)
    return spread.view(torch.bfloat16).sub_(128 + middle)


def _pairs(packed: Tensor, bits: int) -> Tensor:
    """Eight codes in `bits` bytes to four numbers of two codes each, int32 [n, K / 2]."""
    octets = F.pad(packed.view(len(packed), -1, bits).int(), (0, 1))
    numbers = []
    for place in range(0, 8 * bits, 2 * bits):
        byte, shift = divmod(place, 8)
        numbers.append((octets[:, :, byte] | (octets[:, :, byte + 1] << 8)) >> shift)
    return torch.stack(numbers, dim=2).flatten(1).bitwise_and_((1 << 2 * bits) - 1)

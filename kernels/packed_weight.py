"""PackedWeight: a matrix in codes of few bits, on numpy's arrays or torch's tensors. Importing it imports no torch.

Knows nothing of how codes are packed and chosen (kernels/formats.py), nor of the files the weights come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernels.arrays import Array, dtype_name

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

    codes: Array
    scale: Array
    minimum: Array | None
    bits: int
    group_size: int

    def __post_init__(self) -> None:
        if self.bits not in BITS or self.codes.ndim != 2:
            raise FormatError(f"codes of {self.bits} bits, {tuple(self.codes.shape)}: must be 3, 4, 5 or 8 bits, 2-D")
        check_format(self.bits, self.group_size, self.num_columns)
        groups = (self.num_rows, self.num_columns // self.group_size)
        for name, tensor, shape, dtype in (
            ("codes", self.codes, (self.num_rows, self.num_columns * self.bits // 8), "uint8"),
            ("scale", self.scale, groups, "float16"),
            ("minimum", self.minimum, groups, "float16"),
        ):
            if tensor is not None and (tuple(tensor.shape) != shape or dtype_name(tensor) != dtype):
                raise FormatError(
                    f"{name} is {dtype_name(tensor)} {tuple(tensor.shape)}, must be {dtype} {shape} "
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
        return sum(t.nbytes for t in tensors if t is not None)

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

"""What may be chosen when a model is converted. Knows nothing of sources and of packing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import InvalidRequestError
from engine.messages import Quality
from engine.quality import METHODS, PRESETS, WIDE_BITS, WIDE_MATRICES, Method, fitting_group
from kernels.packed_weight import BITS, GROUP_SIZES

DEFAULT_GROUP_SIZE = 32
_NARROW_BITS_PER_WEIGHT = 5.5
"""The mixtures that are called 4-bit have 4.3 to 5.1: some of their tensors have 6 or 8."""


@dataclass(frozen=True, slots=True)
class QuantizeOptions:
    """How to pack, matrix by matrix. Raises `InvalidRequestError` for values that no format has.

    `bits` None chooses per tensor. `gate_up_bits` and `table_bits` (embedding and head) None are as `bits`.
    `method` is for matrices whose codes are not taken over from the source: `nearest` rounds each weight for itself,
    `calibrated` looks at what the model computes with them (not at 8 bits, where there is nothing to gain).
    With `is_group_flexible`, groups that do not divide the model's rows are halved until they do. With
    `keeps_narrow_source`, a source of some four bits per weight is packed as with `bits` None.
    """

    bits: int | None = None
    group_size: int = DEFAULT_GROUP_SIZE
    gate_up_bits: int | None = None
    table_bits: int | None = None
    method: Method = "nearest"
    is_group_flexible: bool = False
    keeps_narrow_source: bool = False

    def __post_init__(self) -> None:
        for bits in (self.bits, self.gate_up_bits, self.table_bits):
            if bits is not None and bits not in BITS:
                raise InvalidRequestError(f"{bits} bits are not supported: use auto, 3, 4, 5 or 8")
        if self.group_size not in GROUP_SIZES:
            raise InvalidRequestError(f"Groups of {self.group_size} are not supported: use 32, 64 or 128")
        if self.method not in METHODS:
            raise InvalidRequestError(f"There is no method {self.method!r}: use {' or '.join(METHODS)}")
        if self.method == "calibrated" and self.bits is None:
            raise InvalidRequestError("The calibrated method needs a number of bits: use 3, 4, 5 or 8, or a quality")

    @classmethod
    def of_quality(cls, quality: Quality) -> QuantizeOptions:
        preset = PRESETS[quality]
        return cls(
            preset.layer_bits,
            preset.group_size,
            preset.gate_up_bits,
            preset.table_bits,
            preset.method,
            is_group_flexible=True,
            keeps_narrow_source=preset.keeps_narrow_source,
        )

    def of_matrix(self, kind: str) -> QuantizeOptions:
        """The options for a kind of matrix: embedding, head, qkv, output, gate_up, down, or an expert's."""
        bits = self.bits
        if kind in ("embedding", "head"):
            bits = self.table_bits or bits
        elif kind in WIDE_MATRICES:
            bits = WIDE_BITS
        elif kind.endswith("gate_up"):
            bits = self.gate_up_bits or bits
        return replace(self, bits=bits, gate_up_bits=None, table_bits=None)

    def fitted(self, row_lengths: set[int], bits_per_weight: float) -> QuantizeOptions:
        """For a source with rows of these lengths and so many bits per weight on average."""
        options = self
        if options.keeps_narrow_source and bits_per_weight <= _NARROW_BITS_PER_WEIGHT:
            options = replace(options, bits=None, gate_up_bits=None, table_bits=None, method="nearest")
        if options.is_group_flexible:
            options = replace(options, group_size=fitting_group(options.group_size, row_lengths))
        return options

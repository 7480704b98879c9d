"""The choices of quality as a person makes them, and what they mean in bits. Standard library only.

Knows nothing of how weights are made and packed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.messages import Quality
from engine.store.layout import LATENT_MATRICES

Method = Literal["nearest", "calibrated"]
METHODS: tuple[Method, ...] = ("nearest", "calibrated")


WIDE_MATRICES, WIDE_BITS = LATENT_MATRICES, 8
"""Matrices that every cached token passes, and so small that fewer bits would save next to nothing."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Bits per weight by kind of matrix; `table_bits` are those of the embedding and of the output head.

    Groups are of `group_size` weights, or the largest below it that divides all rows. `promise` is the choice in words.
    What a choice comes to for a model is `engine.planner.plans`: size, memory and speed, before there is anything to
    convert. What it has cost in quality is `ModelEntry.fidelity`, measured by the conversion.
    """

    layer_bits: int
    gate_up_bits: int
    table_bits: int
    group_size: int
    method: Method
    promise: str
    keeps_narrow_source: bool = False
    """A source that is a 4-bit file already is taken as it is: rounding it again can only lose."""

    def bits_of(self, matrix: str) -> int:
        """`matrix` is a kind of matrix as the checkpoint names them: embedding, head, qkv, gate_up, …"""
        if matrix in ("embedding", "head"):
            return self.table_bits
        if matrix in WIDE_MATRICES:
            return WIDE_BITS
        return self.gate_up_bits if matrix.endswith("gate_up") else self.layer_bits


PRESETS: Mapping[Quality, Preset] = {
    "smallest": Preset(4, 3, 4, 64, "calibrated", "as small as it can be, answers lose some"),
    "balanced": Preset(4, 4, 8, 32, "calibrated", "a third of the size, answers hardly change", True),
    "faithful": Preset(8, 8, 8, 32, "nearest", "as the source, to rounding"),
}


def fitting_group(group_size: int, row_lengths: set[int]) -> int:
    """The group size, halved until it divides all rows; 32 where nothing does, so that whoever packs tells it."""
    while group_size > 32 and any(length % group_size for length in row_lengths):
        group_size //= 2
    return group_size

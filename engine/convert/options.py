"""What may be chosen when a model is converted. Knows nothing of sources and of packing."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequestError
from kernels.formats import BITS, GROUP_SIZES

DEFAULT_GROUP_SIZE = 32


@dataclass(frozen=True, slots=True)
class QuantizeOptions:
    """`bits` None chooses per tensor. Raises `InvalidRequestError` for values that no format has."""

    bits: int | None = None
    group_size: int = DEFAULT_GROUP_SIZE

    def __post_init__(self) -> None:
        if self.bits is not None and self.bits not in BITS:
            raise InvalidRequestError(f"{self.bits} bits are not supported: use auto, 3, 4 or 8")
        if self.group_size not in GROUP_SIZES:
            raise InvalidRequestError(f"Groups of {self.group_size} are not supported: use 32, 64 or 128")

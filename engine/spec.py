"""What a decoder model is, as numbers. Standard library only; knows nothing of files or tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

BACKENDS = ("reference", "cpu", "gpu")


_COUNTS = (
    "num_layers",
    "hidden_size",
    "num_heads",
    "num_kv_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "max_context",
)
_MAX_COUNT = 1 << 28
"""Beyond any size a model has, and small enough for every product of two."""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_COUNT


@dataclass(frozen=True, slots=True)
class RopeSpec:
    """Rotary embedding over the whole head, halves rotated together (the layout of Hugging Face checkpoints).

    `frequency_factors`, when given, has head_dim / 2 divisors of the base frequencies (Llama 3's scaled RoPE;
    a linear scaling by s is s everywhere).
    """

    theta: float
    frequency_factors: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One decoder-only transformer. Sizes are in elements, `max_context` in tokens."""

    family: str
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    max_context: int
    rms_norm_eps: float
    rope: RopeSpec
    has_qkv_bias: bool
    is_tied: bool
    """The output head is the embedding table."""
    activation: str = "silu"
    """`silu` or `gelu_tanh`."""
    sliding_window: int | None = None
    """How many tokens a position sees, itself included; None for all."""

    @property
    def query_size(self) -> int:
        return self.num_heads * self.head_dim

    @property
    def kv_size(self) -> int:
        return self.num_kv_heads * self.head_dim

    @property
    def qkv_size(self) -> int:
        return self.query_size + 2 * self.kv_size

    def kv_bytes_per_token(self, element_size_bytes: int) -> int:
        """Bytes that one token's keys and values take over all layers."""
        return 2 * self.num_layers * self.kv_size * element_size_bytes

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelSpec:
        """Inverse of `to_json`. Raises KeyError, TypeError or ValueError on fields that no model has."""
        fields = dict(data)
        rope = dict(fields.pop("rope"))
        factors = rope.pop("frequency_factors")
        spec = cls(rope=RopeSpec(**rope, frequency_factors=None if factors is None else tuple(factors)), **fields)
        spec._check()
        return spec

    def _check(self) -> None:
        numbers = (self.rope.theta, self.rms_norm_eps, *(self.rope.frequency_factors or ()))
        checks = (
            *((name, _is_count(getattr(self, name))) for name in _COUNTS),
            ("sliding_window", self.sliding_window is None or _is_count(self.sliding_window)),
            ("family", isinstance(self.family, str)),
            ("activation", self.activation in ("silu", "gelu_tanh")),
            ("rope", all(isinstance(number, int | float) and 0 < number < math.inf for number in numbers)),
            ("has_qkv_bias", isinstance(self.has_qkv_bias, bool)),
            ("is_tied", isinstance(self.is_tied, bool)),
        )
        for name, is_good in checks:
            if not is_good:
                raise ValueError(f"{name} is {getattr(self, name)!r}, which no model has")

"""Rotary embedding as numbers: every way of scaling it, brought to divisors of the base frequencies.

Standard library only; knows nothing of the names that files give the scalings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RopeSpec:
    """Rotary embedding of a head's first `rotary_dim` elements, halves rotated together (Hugging Face's layout).

    `frequency_factors`, when given, has rotary_dim / 2 divisors of the base frequencies (Llama 3's scaled RoPE; a
    linear scaling by s is s everywhere). `long_factors` take their place for requests that may grow longer than
    `short_context` tokens (longrope, dynamic). Cosines and sines are multiplied by `attention_factor` (yarn, longrope).
    """

    theta: float
    frequency_factors: tuple[float, ...] | None = None
    rotary_dim: int | None = None
    """None: the whole head."""
    attention_factor: float = 1.0
    long_factors: tuple[float, ...] | None = None
    short_context: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RopeSpec:
        fields = dict(data)
        for name in ("frequency_factors", "long_factors"):
            factors = fields.get(name)
            fields[name] = None if factors is None else tuple(factors)
        return cls(**fields)

    def rotated(self, head_dim: int) -> int:
        """How many of a head's elements rotate."""
        return head_dim if self.rotary_dim is None else self.rotary_dim

    def is_long(self, max_tokens: int) -> bool:
        """Whether a request that may reach this length takes the factors for long ones."""
        return self.short_context is not None and max_tokens > self.short_context

    def offset(self, max_tokens: int) -> int:
        """What to add to the positions of a request that may reach this length to get its rows of the table."""
        return self.short_context or 0 if self.is_long(max_tokens) else 0

    def check(self, head_dim: int) -> None:
        """Raises ValueError if a head of this size cannot rotate so."""
        rotary_dim, half = self.rotated(head_dim), self.rotated(head_dim) // 2
        counts = (rotary_dim, 1 if self.short_context is None else self.short_context)
        numbers = (self.theta, self.attention_factor, *(self.frequency_factors or ()), *(self.long_factors or ()))
        is_good = (
            all(isinstance(number, int | float) and 0 < number < math.inf for number in numbers)
            and all(type(count) is int and count > 0 for count in counts)
            and rotary_dim <= head_dim
            and rotary_dim % 2 == 0
            and all(f is None or len(f) == half for f in (self.frequency_factors, self.long_factors))
            and (self.long_factors is None) == (self.short_context is None)
        )
        if not is_good:
            raise ValueError(f"rope is {self!r} for heads of {head_dim}, which no model has")


def llama3_factors(
    theta: float, rotary_dim: int, factor: float, low_freq_factor: float, high_freq_factor: float, original_context: int
) -> tuple[float, ...]:
    """Llama 3.1: short wavelengths stay, long ones are divided by `factor`, between them it is blended."""
    factors = []
    for frequency in _frequencies(theta, rotary_dim):
        turns = original_context * frequency / (2 * math.pi)
        blend = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor)
        blend = min(1.0, max(0.0, blend))
        factors.append(1 / ((1 - blend) / factor + blend))
    return tuple(factors)


def yarn_factors(
    theta: float,
    rotary_dim: int,
    factor: float,
    original_context: int,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    is_truncated: bool = True,
) -> tuple[float, ...]:
    """YaRN (Peng et al. 2023, eq. 17-20): a ramp over the dimensions from no scaling to `factor`."""

    def dimension(num_turns: float) -> float:
        return rotary_dim * math.log(original_context / (num_turns * 2 * math.pi)) / (2 * math.log(theta))

    low, high = dimension(beta_fast), dimension(beta_slow)
    if is_truncated:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, rotary_dim - 1)
    width = high - low or 0.001
    ramp = (min(1.0, max(0.0, (index - low) / width)) for index in range(rotary_dim // 2))
    return tuple(1 / (share / factor + 1 - share) for share in ramp)


def yarn_magnitude(factor: float, weight: float = 1.0) -> float:
    """Of queries and keys (Peng et al. 2023, eq. 22); the weight is DeepSeek's."""
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1


def yarn_attention_factor(factor: float, mscale: float | None = None, mscale_all_dim: float | None = None) -> float:
    """What cosines and sines are multiplied by; of the two scales of DeepSeek, the second is in that of the scores."""
    if mscale and mscale_all_dim:
        return yarn_magnitude(factor, mscale) / yarn_magnitude(factor, mscale_all_dim)
    return yarn_magnitude(factor)


def longrope_attention_factor(factor: float, original_context: int) -> float:
    """LongRoPE (Ding et al. 2024), as in Phi-3."""
    return 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(original_context))


def dynamic_factors(rotary_dim: int, factor: float, growth: float) -> tuple[float, ...]:
    """Dynamic NTK: the base frequency that a text `growth` times as long as in training takes, as divisors."""
    base = (factor * growth - (factor - 1)) ** (rotary_dim / (rotary_dim - 2))
    return tuple(base ** (index / rotary_dim) for index in range(0, rotary_dim, 2))


def _frequencies(theta: float, rotary_dim: int) -> list[float]:
    return [theta ** (-index / rotary_dim) for index in range(0, rotary_dim, 2)]

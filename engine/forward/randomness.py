"""The random numbers of a request: pure functions of its seed, a position and a purpose.

Knows nothing of tokens; what is drawn again after a preemption gets the same number.
"""

from __future__ import annotations

from enum import IntEnum

_MASK = (1 << 64) - 1


class Stream(IntEnum):
    """What a number is for. Numbers of one position and different streams are independent."""

    TOKEN = 0
    """The draw of the token at the position."""
    DRAFT = 1
    """The draft model's draw of its guess."""
    ACCEPT = 2
    """Whether a guess is accepted."""
    RESIDUAL = 3
    """The draw of the token that replaces a guess."""


def uniform(seed: int, position: int, stream: Stream = Stream.TOKEN) -> float:
    """A number in [0, 1) that depends on the arguments alone: rounds of SplitMix64's finaliser.

    Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    bits = _mix(_mix(seed & _MASK) ^ position)
    if stream is not Stream.TOKEN:
        bits = _mix(bits ^ stream)
    # 53 bits: a double holds them all, so the quotient never rounds up to 1.
    return (bits >> 11) / 2.0**53


def _mix(z: int) -> int:
    z = (z + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)

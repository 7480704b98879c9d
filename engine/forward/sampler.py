"""Sampling parameters and random numbers of a batch, as tensors. The arithmetic is the backend's `sample`."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import torch

from engine.sequence import Sequence
from kernels.ops import SamplingTensors

_MASK = (1 << 64) - 1


def uniform(seed: int, position: int) -> float:
    """A number in [0, 1) that depends on seed and position alone: two rounds of SplitMix64's finaliser.

    Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    # 53 bits: a double holds them all, so the quotient never rounds up to 1.
    return (_mix(_mix(seed & _MASK) ^ position) >> 11) / 2.0**53


def _mix(z: int) -> int:
    z = (z + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def sampling_tensors(sequences: Sequences[Sequence]) -> SamplingTensors:
    """One row per sequence; the random number belongs to the position that the new token will take."""
    params = [sequence.params for sequence in sequences]
    draws = [uniform(sequence.seed, len(sequence.token_ids)) for sequence in sequences]
    return SamplingTensors(
        temperature=torch.tensor([p.temperature for p in params], dtype=torch.float32),
        top_k=torch.tensor([p.top_k for p in params], dtype=torch.int64),
        top_p=torch.tensor([p.top_p for p in params], dtype=torch.float32),
        min_p=torch.tensor([p.min_p for p in params], dtype=torch.float32),
        uniform=torch.tensor(draws, dtype=torch.float64),
    )

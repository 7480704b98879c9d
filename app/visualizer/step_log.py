"""Owns the engine's last steps as sums: by slices of time, and in all.

Plain Python: knows neither Qt nor words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.messages import StepReport, StepsTaken

SPAN_S = 10.0
"""How far back steps are kept."""
NUM_SLICES = 100
"""Of the span. They lie at fixed times, so that a step is counted once and not at every look at the last seconds."""
_SLICE_S = SPAN_S / NUM_SLICES


@dataclass(frozen=True, slots=True)
class StepSums:
    """Sums over some steps; maxima where named so, times in seconds."""

    num_steps: int = 0
    num_prefill_tokens: int = 0
    num_decode_tokens: int = 0
    duration_s: float = 0.0
    max_duration_s: float = 0.0
    max_sequences: int = 0
    max_waiting: int = 0
    max_swapped: int = 0
    num_swapped_out: int = 0
    num_recomputed: int = 0
    num_resumed: int = 0

    @property
    def mean_duration_s(self) -> float:
        return self.duration_s / self.num_steps if self.num_steps else 0.0

    @property
    def num_tokens(self) -> int:
        return self.num_prefill_tokens + self.num_decode_tokens

    @property
    def num_preempted(self) -> int:
        return self.num_swapped_out + self.num_recomputed

    def plus(self, other: StepSums) -> StepSums:
        return StepSums(
            self.num_steps + other.num_steps,
            self.num_prefill_tokens + other.num_prefill_tokens,
            self.num_decode_tokens + other.num_decode_tokens,
            self.duration_s + other.duration_s,
            max(self.max_duration_s, other.max_duration_s),
            max(self.max_sequences, other.max_sequences),
            max(self.max_waiting, other.max_waiting),
            max(self.max_swapped, other.max_swapped),
            self.num_swapped_out + other.num_swapped_out,
            self.num_recomputed + other.num_recomputed,
            self.num_resumed + other.num_resumed,
        )


_NOTHING = StepSums()


class StepLog:
    """The steps of the last `SPAN_S` seconds before the newest report, to a slice's length."""

    def __init__(self) -> None:
        self._slices: dict[int, StepSums] = {}
        """By number: the slice of this number begins that many slices after the clock's zero. Only those with steps."""
        self._newest = 0

    def __len__(self) -> int:
        return sum(part.num_steps for part in self._slices.values())

    def add(self, taken: StepsTaken) -> None:
        self._newest = math.ceil(taken.now_s / _SLICE_S) - 1
        for step in taken.steps:
            number = min(self._newest, math.floor(step.end_s / _SLICE_S))
            self._slices[number] = self._slices.get(number, _NOTHING).plus(_sums(step))
        for number in [number for number in self._slices if number <= self._newest - NUM_SLICES]:
            del self._slices[number]

    def clear(self) -> None:
        self._slices.clear()

    def total(self) -> StepSums:
        return _joined(list(self._slices.values()))

    def slices(self) -> list[StepSums]:
        """All `NUM_SLICES` of the span, the oldest first; a step counts where it ended."""
        numbers = range(self._newest - NUM_SLICES + 1, self._newest + 1)
        return [self._slices.get(number, _NOTHING) for number in numbers]

    def seconds(self) -> list[StepSums]:
        """The span by seconds, the oldest first."""
        slices, size = self.slices(), round(1 / _SLICE_S)
        return [_joined(slices[start : start + size]) for start in range(0, NUM_SLICES, size)]


def _sums(step: StepReport) -> StepSums:
    return StepSums(
        1,
        step.num_prefill_tokens,
        step.num_decode_tokens,
        step.duration_s,
        step.duration_s,
        step.num_sequences,
        step.num_waiting,
        step.num_swapped,
        step.num_swapped_out,
        step.num_recomputed,
        step.num_resumed,
    )


def _joined(parts: Sequence[StepSums]) -> StepSums:
    total = _NOTHING
    for part in parts:
        total = total.plus(part) if part.num_steps else total
    return total

"""Owns the engine's last steps and their sums, in all and by slices of time.

Plain Python: knows neither Qt nor words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from engine.messages import StepReport, StepsTaken

SPAN_S = 10.0
"""How far back steps are kept."""


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


def sums(steps: Iterable[StepReport]) -> StepSums:
    steps = list(steps)
    return StepSums(
        len(steps),
        sum(step.num_prefill_tokens for step in steps),
        sum(step.num_decode_tokens for step in steps),
        sum(step.duration_s for step in steps),
        max((step.duration_s for step in steps), default=0.0),
        max((step.num_sequences for step in steps), default=0),
        max((step.num_waiting for step in steps), default=0),
        max((step.num_swapped for step in steps), default=0),
        sum(step.num_swapped_out for step in steps),
        sum(step.num_recomputed for step in steps),
        sum(step.num_resumed for step in steps),
    )


class StepLog:
    """The steps of the last `SPAN_S` seconds before `end_s`, the time of the newest report."""

    def __init__(self) -> None:
        self._steps: deque[StepReport] = deque()
        self.end_s = 0.0

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, taken: StepsTaken) -> None:
        self.end_s = taken.now_s
        self._steps += taken.steps
        while self._steps and self._steps[0].end_s < self.end_s - SPAN_S:
            self._steps.popleft()

    def clear(self) -> None:
        self._steps.clear()

    def total(self) -> StepSums:
        return sums(self._steps)

    def slices(self, num_slices: int) -> list[StepSums]:
        """The span in equal parts, the oldest first; a step counts where it ended."""
        parts: list[list[StepReport]] = [[] for _ in range(num_slices)]
        begin_s = self.end_s - SPAN_S
        for step in self._steps:
            parts[min(num_slices - 1, int((step.end_s - begin_s) / SPAN_S * num_slices))].append(step)
        return [sums(part) for part in parts]

"""Counters of one loaded model. Each generated token and each end of a request is counted once, here."""

from __future__ import annotations

from collections import Counter, deque

_WINDOW_S = 1.0


class Metrics:
    """`ends` counts requests by how they ended: `stop`, `length`, `cancelled`, `failed`."""

    def __init__(self) -> None:
        self.num_steps = 0
        self.num_computed_tokens = 0
        self.num_cached_tokens = 0
        self.num_generated_tokens = 0
        self.num_drafted_tokens = 0
        self.num_accepted_tokens = 0
        self.ends: Counter[str] = Counter()
        self.preemptions: Counter[str] = Counter()
        """By how: `swap` or `recompute`."""
        self._durations_s: deque[float] = deque(maxlen=32)
        self._recent: deque[tuple[float, int]] = deque()

    def __str__(self) -> str:
        """One line for the log."""
        ends = ", ".join(f"{count} {how}" for how, count in sorted(self.ends.items())) or "no requests"
        preempted = ", ".join(f"{count} preempted by {how}" for how, count in sorted(self.preemptions.items()))
        return (
            f"{self.num_steps} steps, {self.num_computed_tokens} tokens computed, {self.num_cached_tokens} reused, "
            f"{self.num_generated_tokens} generated; {ends}" + (f"; {preempted}" if preempted else "")
        )

    def on_step(self, now_s: float, num_computed: int, num_generated: int) -> None:
        self.num_steps += 1
        self.num_computed_tokens += num_computed
        self.num_generated_tokens += num_generated
        self._recent.append((now_s, num_generated))

    def on_end(self, how: str, duration_s: float) -> None:
        self.ends[how] += 1
        self._durations_s.append(duration_s)

    def mean_request_s(self) -> float:
        """How long the last requests took from arrival to end; a guess before there was one."""
        return sum(self._durations_s) / len(self._durations_s) if self._durations_s else 5.0

    def tokens_per_s(self, now_s: float) -> float:
        """Generated tokens of all requests over the last second."""
        while self._recent and self._recent[0][0] < now_s - _WINDOW_S:
            self._recent.popleft()
        return sum(count for _, count in self._recent) / _WINDOW_S

"""Counters of one loaded model and the records of its last requests: each token and each end is counted once, here.

Does not know what the engine does; it is told of each step and each end.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import fields

from engine.goodput import INTERACTIVE, goodput
from engine.records import RequestRecord, summarize

MAX_RECORDS = 1000
_WINDOW_S = 1.0
_MAX_RECENT_DURATIONS = 32


class Metrics:
    """`ends` counts requests by `RequestEnd`, `errors` those that failed or were refused by their error's code.

    `records` are the newest, oldest first. Cached tokens are counted at a request's end, whatever that is; all others
    in the step that made them.
    """

    def __init__(self, max_records: int = MAX_RECORDS) -> None:
        self.num_steps = 0
        self.num_computed_tokens = 0
        self.num_cached_tokens = 0
        self.num_generated_tokens = 0
        self.num_drafted_tokens = 0
        self.num_accepted_tokens = 0
        self.ends: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.preemptions: Counter[str] = Counter()
        """By how: `swap` or `recompute`."""
        self.records: deque[RequestRecord] = deque(maxlen=max_records)
        self._durations_s: deque[float] = deque(maxlen=_MAX_RECENT_DURATIONS)
        self._recent: deque[tuple[float, int]] = deque()

    def __str__(self) -> str:
        """One line for the log."""
        ends = ", ".join(f"{count} {how}" for how, count in sorted(self.ends.items())) or "no requests"
        counted = [
            f"{self.num_steps} steps, {self.num_computed_tokens} tokens computed, {self.num_cached_tokens} reused, "
            f"{self.num_generated_tokens} generated",
            f"{ends}{_in_brackets(self.errors)}",
            ", ".join(f"{count} preempted by {how}" for how, count in sorted(self.preemptions.items())),
            self._latencies(),
            self._goodput(),
        ]
        return "; ".join(part for part in counted if part)

    def _latencies(self) -> str:
        """`p50/p95/p99 in s: queue 0.01/0.20/0.31, …` of what the records have."""
        summary = summarize(self.records)
        parts = []
        for phase in fields(summary):
            found = getattr(summary, phase.name)
            if found is not None:
                parts.append(f"{phase.name.removesuffix('_s')} {found.p50:.3g}/{found.p95:.3g}/{found.p99:.3g}")
        return f"p50/p95/p99 in s: {', '.join(parts)}" if parts else ""

    def _goodput(self) -> str:
        found = goodput(self.records, INTERACTIVE)
        if found.share is None:
            return ""
        return (
            f"{found.num_good} of {found.num_requests} ({found.share:.0%}) began within {INTERACTIVE.ttft_s:g} s and "
            f"took at most {INTERACTIVE.tpot_s:g} s a token"
        )

    def on_step(self, now_s: float, num_computed: int, num_generated: int) -> None:
        self.num_steps += 1
        self.num_computed_tokens += num_computed
        self.num_generated_tokens += num_generated
        self._recent.append((now_s, num_generated))
        self._forget_old(now_s)

    def on_end(self, record: RequestRecord) -> None:
        """The one end of a request, refused ones included."""
        self.records.append(record)
        self.ends[record.end] += 1
        self.num_cached_tokens += record.num_cached_tokens
        if record.code is not None:
            self.errors[record.code] += 1
        else:
            self._durations_s.append(record.e2e_s)

    def mean_request_s(self) -> float:
        """How long the last requests took from arrival to end; a guess before there was one."""
        return sum(self._durations_s) / len(self._durations_s) if self._durations_s else 5.0

    def tokens_per_s(self, now_s: float) -> float:
        """Generated tokens of all requests over the last second."""
        self._forget_old(now_s)
        return sum(count for _, count in self._recent) / _WINDOW_S

    def _forget_old(self, now_s: float) -> None:
        while self._recent and self._recent[0][0] < now_s - _WINDOW_S:
            self._recent.popleft()


def _in_brackets(counts: Counter[str]) -> str:
    return f" ({', '.join(f'{count} {what}' for what, count in sorted(counts.items()))})" if counts else ""

"""What holds from one step to the next: no count goes back, and no step computes more than its budget."""

from __future__ import annotations

from engine.core import EngineCore
from engine.metrics import Metrics
from engine.scheduler import Scheduler
from engine.sequence import Sequence, SequenceState

_COUNTS = ("num_swaps", "num_recomputes", "num_drafted_tokens", "num_accepted_tokens", "num_told_tokens")


class StepChecks:
    """Called before and after each step; a request that came or went in between is no sequence of both."""

    def __init__(self, core: EngineCore, scheduler: Scheduler, max_batched_tokens: int) -> None:
        self._core = core
        self._scheduler = scheduler
        self._max_batched_tokens = max_batched_tokens
        self._metrics: dict[str, int] = {}
        self._counts: dict[Sequence, dict[str, int]] = {}

    def remember(self) -> None:
        self._metrics = _counts_of_metrics(self._core.metrics)
        self._counts = {sequence: _counts_of(sequence) for sequence in self._scheduler}

    def check(self) -> None:
        metrics = _counts_of_metrics(self._core.metrics)
        # Of all that the step ran, guesses too.
        num_tokens = metrics["num_computed_tokens"] - self._metrics["num_computed_tokens"]
        assert num_tokens <= self._max_batched_tokens, (num_tokens, self._max_batched_tokens)
        for name, before in self._metrics.items():
            assert metrics[name] >= before, (name, before, metrics[name])
        for sequence in self._scheduler:
            counts = _counts_of(sequence)
            for name, before in self._counts.get(sequence, {}).items():
                # Only what a preempted sequence has lost is computed again.
                is_lost = name == "num_computed_tokens" and sequence.state is SequenceState.WAITING
                assert counts[name] >= before or is_lost, (sequence.request_id, name, before, counts[name])


def _counts_of(sequence: Sequence) -> dict[str, int]:
    computed = {"num_tokens": len(sequence.token_ids), "num_computed_tokens": sequence.num_computed_tokens}
    return computed | {name: getattr(sequence, name) for name in _COUNTS}


def _counts_of_metrics(metrics: Metrics) -> dict[str, int]:
    counts = {name: value for name, value in vars(metrics).items() if isinstance(value, int)}
    for name in ("ends", "errors", "preemptions"):
        counts |= {f"{name} {key}": count for key, count in getattr(metrics, name).items()}
    return counts

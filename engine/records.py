"""What is known of a request after its end: how it ended, where its time went, how many tokens it took.

One frozen record each, and percentiles over many. Knows nothing of the engine; standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

RequestEnd = Literal["stop", "length", "cancelled", "failed", "refused"]
"""`refused`: it never got into the queue. `failed`: it was accepted and broke, or its time was over."""


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One ended request. Times are in seconds of one monotonic clock, counts in tokens or as named.

    The four phases divide the time from arrival to end, so they sum to `e2e_s`: `queue_s` until it was first let in,
    `preempted_s` whenever it had to wait again, `prefill_s` while prompt or lost tokens were computed, `decode_s`
    from there on. `ttft_s` is arrival to first token, None without one; `tpot_s` is the mean time of each token after
    the first, None with fewer than two.
    """

    request_id: str
    end: RequestEnd
    arrival_s: float
    end_s: float
    code: str | None = None
    """The `EngineError` code of one that failed or was refused."""
    queue_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    preempted_s: float = 0.0
    ttft_s: float | None = None
    tpot_s: float | None = None
    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0
    num_output_tokens: int = 0
    num_drafted_tokens: int = 0
    num_accepted_tokens: int = 0
    num_swaps: int = 0
    num_recomputes: int = 0
    seed: int | None = None

    @property
    def e2e_s(self) -> float:
        """From arrival to end."""
        return self.end_s - self.arrival_s

    @property
    def num_preemptions(self) -> int:
        return self.num_swaps + self.num_recomputes


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Each is one of the values it was made of: the smallest that so many percent of them do not exceed."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Percentiles | None:
        """By the nearest-rank method; None if there are no values."""
        ordered = sorted(values)
        if not ordered:
            return None

        def nearest_rank(percent: int) -> float:
            return ordered[math.ceil(percent * len(ordered) / 100) - 1]

        return cls(nearest_rank(50), nearest_rank(95), nearest_rank(99))


@dataclass(frozen=True, slots=True)
class Summary:
    """Percentiles in seconds; None for what no request had."""

    queue_s: Percentiles | None
    prefill_s: Percentiles | None
    decode_s: Percentiles | None
    preempted_s: Percentiles | None
    ttft_s: Percentiles | None
    tpot_s: Percentiles | None
    e2e_s: Percentiles | None


def summarize(records: Iterable[RequestRecord]) -> Summary:
    """Over the requests that were accepted, whatever became of them."""
    accepted = [record for record in records if record.end != "refused"]
    return Summary(
        queue_s=Percentiles.of(record.queue_s for record in accepted),
        prefill_s=Percentiles.of(record.prefill_s for record in accepted),
        decode_s=Percentiles.of(record.decode_s for record in accepted),
        preempted_s=Percentiles.of(record.preempted_s for record in accepted),
        ttft_s=Percentiles.of(record.ttft_s for record in accepted if record.ttft_s is not None),
        tpot_s=Percentiles.of(record.tpot_s for record in accepted if record.tpot_s is not None),
        e2e_s=Percentiles.of(record.e2e_s for record in accepted),
    )

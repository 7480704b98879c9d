"""How many requests were served as fast as was asked for. Works on records alone; standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.records import RequestRecord


@dataclass(frozen=True, slots=True)
class LatencyTargets:
    """Upper bounds in seconds; None asks nothing.

    `ttft_s`: arrival to first token. `tpot_s`: mean time of each token after the first. `e2e_s`: arrival to end.
    """

    ttft_s: float | None = None
    tpot_s: float | None = None
    e2e_s: float | None = None

    def are_met_by(self, record: RequestRecord) -> bool:
        """Whether it ended with an answer and within all bounds. An answer of one token meets any `tpot_s`."""
        if record.end not in ("stop", "length"):
            return False
        pairs = ((record.ttft_s, self.ttft_s), (record.tpot_s, self.tpot_s), (record.e2e_s, self.e2e_s))
        return all(taken is None or bound is None or taken <= bound for taken, bound in pairs)


INTERACTIVE = LatencyTargets(ttft_s=2.0, tpot_s=0.2)
"""What feels like a conversation: the answer begins before one looks away, and comes no slower than one reads, which
is some five tokens a second."""


@dataclass(frozen=True, slots=True)
class Goodput:
    """`num_good` of `num_requests` met all targets, in `duration_s` from the first arrival to the last end."""

    num_requests: int
    num_good: int
    duration_s: float

    @property
    def share(self) -> float | None:
        """The attainment of the targets, from 0 to 1; None without requests."""
        return self.num_good / self.num_requests if self.num_requests else None

    @property
    def requests_per_s(self) -> float | None:
        """Good requests per second; None if no time passed."""
        return self.num_good / self.duration_s if self.duration_s > 0 else None


def goodput(records: Iterable[RequestRecord], targets: LatencyTargets) -> Goodput:
    """The requests that met their targets, as a share and as a rate.

    After Zhong et al., "DistServe: Disaggregating Prefill and Decoding for Goodput-optimized Large Language Model
    Serving", OSDI 2024: the paper calls the share SLO attainment, and goodput the highest request rate at which it
    stays above a goal (90 %, say). This is the rate of one run; whoever seeks the highest raises the load between runs.

    What was refused or failed met no target. What was cancelled counts on neither side: a person ended it.
    """
    counted = [record for record in records if record.end != "cancelled"]
    if not counted:
        return Goodput(0, 0, 0.0)
    duration_s = max(record.end_s for record in counted) - min(record.arrival_s for record in counted)
    return Goodput(len(counted), sum(map(targets.are_met_by, counted)), duration_s)

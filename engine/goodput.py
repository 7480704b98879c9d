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
    """`num_good` of `num_requests` met all targets."""

    num_requests: int
    num_good: int

    @property
    def share(self) -> float | None:
        """The attainment of the targets, from 0 to 1; None without requests."""
        return self.num_good / self.num_requests if self.num_requests else None


def goodput(records: Iterable[RequestRecord], targets: LatencyTargets) -> Goodput:
    """The requests that met their targets.

    After Zhong et al., "DistServe: Disaggregating Prefill and Decoding for Goodput-optimized Large Language Model
    Serving", OSDI 2024: the paper calls the share SLO attainment, and goodput the highest request rate at which it
    stays above a goal (90 %, say). This is the share of one run; whoever seeks that rate raises the load between runs.

    What was refused or failed met no target. What was cancelled counts on neither side: a person ended it.
    """
    counted = [record for record in records if record.end != "cancelled"]
    return Goodput(len(counted), sum(map(targets.are_met_by, counted)))

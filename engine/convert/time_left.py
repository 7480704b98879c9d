"""How long calibrating and measuring still take: the work that is left, at the speed of this machine.

Knows nothing of what is computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from engine.planning.conversion_time import OVERHEAD

_PROBE_SIZE = 768


class TimeLeft:
    """Counts work down. Until some is done, the speed at which this machine multiplies says how long it takes."""

    def __init__(self, work: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._left = work
        self._done = 0.0
        self._first_rate = _probe(now_s) / OVERHEAD
        self._start_s = now_s()

    def did(self, work: float) -> None:
        self._done += work
        self._left = max(0.0, self._left - work)

    @property
    def left_s(self) -> float:
        elapsed_s = self._now_s() - self._start_s
        is_known = self._done > 0 and elapsed_s > 0
        return self._left / (self._done / elapsed_s if is_known else self._first_rate)


def _probe(now_s: Callable[[], float]) -> float:
    """Multiplications and additions in a second."""
    square = torch.ones(_PROBE_SIZE, _PROBE_SIZE)
    product = square @ square  # the first wakes the threads
    start_s = now_s()
    for _ in range(3):
        torch.mm(square, square, out=product)
    return 3 * 2.0 * _PROBE_SIZE**3 / max(now_s() - start_s, 1e-6)

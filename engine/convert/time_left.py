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


class LayerPace:
    """For a conversion whose layers take as long as reading and rounding them: their own pace, and behind them the
    work of measuring, at the speed at which this machine multiplies.
    """

    def __init__(self, num_layers: int, measure_work: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._num_layers = num_layers
        self._measure_work = measure_work
        self._measure_s: float | None = None
        self._now_s = now_s
        self._start_s = now_s()

    def left_s(self, num_done: int, is_measured: bool) -> float | None:
        """None before the first layer. `is_measured`: something was rounded, so the model is compared at the end."""
        if num_done == 0:
            return None
        # Before the machine's speed is tried out, which takes a moment of its own.
        left_s = (self._now_s() - self._start_s) / num_done * (self._num_layers - num_done)
        if not is_measured:
            return left_s
        if self._measure_s is None:
            self._measure_s = TimeLeft(self._measure_work).left_s
        return left_s + self._measure_s


def _probe(now_s: Callable[[], float]) -> float:
    """Multiplications and additions in a second."""
    square = torch.ones(_PROBE_SIZE, _PROBE_SIZE)
    product = square @ square  # the first wakes the threads
    start_s = now_s()
    for _ in range(3):
        torch.mm(square, square, out=product)
    return 3 * 2.0 * _PROBE_SIZE**3 / max(now_s() - start_s, 1e-6)

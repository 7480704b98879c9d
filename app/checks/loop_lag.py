"""Owns the measuring of the event loop's lag: how much later than due the loop comes to an event.

Does not know what the loop is busy with.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer

_INTERVAL_MS = 5


class LoopLag(QObject):
    """From `start` to `stop` asks the loop for an event every 5 ms and notes how late it came, in milliseconds."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._due_s = 0.0
        self._lags_ms: list[float] = []
        self._timer = QTimer(self, singleShot=True, interval=_INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self._lags_ms = []
        self._ask()

    def stop(self) -> list[float]:
        self._timer.stop()
        return self._lags_ms

    def _ask(self) -> None:
        self._due_s = self._clock() + _INTERVAL_MS / 1000
        self._timer.start()

    def _on_timeout(self) -> None:
        self._lags_ms.append(max(0.0, 1000 * (self._clock() - self._due_s)))
        self._ask()


def summary(lags_ms: Sequence[float]) -> dict[str, float]:
    """Median, 99th percentile (nearest rank) and maximum of some lags, in milliseconds, and their number."""
    ordered = sorted(lags_ms)
    return {
        "median_ms": round(_percentile(ordered, 50), 3),
        "p99_ms": round(_percentile(ordered, 99), 3),
        "max_ms": round(ordered[-1], 3),
        "count": len(ordered),
    }


def _percentile(ordered: Sequence[float], percent: float) -> float:
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]

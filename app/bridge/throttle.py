"""Owns the trailing-edge throttle: many requests in, at most one action per interval out.

Does not know what the action does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

_TURN_S = 0.005
"""Between two actions that take time; input and painting come between."""
_SHORT_S = 0.0003


class _Turns:
    """When the last action ended that took time: one per process, as there is one thread for the window."""

    def __init__(self) -> None:
        self._ended_s = 0.0

    def wait_ms(self) -> int:
        """How long another action should wait for its turn."""
        return max(0, math.ceil(1000 * (self._ended_s + _TURN_S - time.perf_counter())))

    def note(self, began_s: float) -> float:
        """An action that began then has ended; returns how long it took, in ms."""
        now_s = time.perf_counter()
        if now_s - began_s > _SHORT_S:
            self._ended_s = now_s
        return 1000 * (now_s - began_s)


turns = _Turns()


class Throttle(QObject):
    """Runs `action` at most once per `interval_ms`, at the end of the interval that the first request opened.

    A slow action lengthens the interval, so that it never takes more than about a quarter of the thread's time; and if
    it can be put off until `patience_ms`, no more than a fortieth of it up to there. The actions of several throttles
    that are due together run a few milliseconds apart.
    """

    def __init__(
        self, interval_ms: int, action: Callable[[], None], parent: QObject | None = None, patience_ms: int = 0
    ) -> None:
        super().__init__(parent)
        self._least_interval_ms = interval_ms
        self._patience_ms = patience_ms
        self._interval_ms = interval_ms
        """At present."""
        self._action = action
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._take_turn)

    def request(self) -> None:
        if not self._timer.isActive():
            self._timer.start(self._interval_ms)

    def flush(self) -> None:
        """Runs a pending action now."""
        if self._timer.isActive():
            self._timer.stop()
            self._run()

    def cancel(self) -> None:
        self._timer.stop()

    def _take_turn(self) -> None:
        if wait_ms := turns.wait_ms():
            self._timer.start(wait_ms)
        else:
            self._run()

    def _run(self) -> None:
        began_s = time.perf_counter()
        self._action()
        took_ms = turns.note(began_s)
        patient_ms = min(40 * took_ms, self._patience_ms)
        self._interval_ms = max(self._least_interval_ms, round(patient_ms), round(3 * took_ms))

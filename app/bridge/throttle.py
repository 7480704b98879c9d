"""Owns the trailing-edge throttle: many requests in, at most one action per interval out.

Does not know what the action does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer


class Throttle(QObject):
    """Runs `action` at most once per `interval_ms`, at the end of the interval that the first request opened.

    A slow action lengthens the interval, so that it never takes more than about a quarter of the thread's time.
    """

    def __init__(self, interval_ms: int, action: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._action = action
        self._timer = QTimer(self, singleShot=True, interval=interval_ms, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._run)

    def request(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Runs a pending action now."""
        if self._timer.isActive():
            self._timer.stop()
            self._run()

    def cancel(self) -> None:
        self._timer.stop()

    def _run(self) -> None:
        started_s = time.perf_counter()
        self._action()
        cost_ms = (time.perf_counter() - started_s) * 1000
        self._timer.setInterval(max(self._interval_ms, round(3 * cost_ms)))

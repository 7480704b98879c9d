"""Owns work of several parts that is done again and again: one part in each turn of the loop, so that none waits long.

Does not know what the parts do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer

from app.bridge.throttle import turns

TURN_MS = 17
"""Between two parts: about a frame of the screen, in which what the last one changed is painted."""


class Rounds(QObject):
    """Many requests in, at most one round of all `parts` per `interval_ms` out."""

    def __init__(self, interval_ms: int, parts: Sequence[Callable[[], None]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._parts = parts
        self._place = 0
        self._is_wanted = False
        """Something came in after the present round had begun."""
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._take_turn)

    def request(self) -> None:
        """A round soon; another one behind it if one is under way."""
        self._is_wanted = True
        if not self._timer.isActive():
            self._timer.start(self._interval_ms)

    def run_now(self) -> None:
        """All parts at once; what was requested is done by that."""
        self.cancel()
        for part in self._parts:
            part()

    def cancel(self) -> None:
        self._timer.stop()
        self._place = 0
        self._is_wanted = False

    def _take_turn(self) -> None:
        if wait_ms := turns.wait_ms():
            self._timer.start(wait_ms)
            return
        if self._place == 0:
            self._is_wanted = False
        part = self._parts[self._place]
        self._place = (self._place + 1) % len(self._parts)
        if self._place:
            self._timer.start(TURN_MS)
        elif self._is_wanted:
            self._timer.start(self._interval_ms)
        began_s = time.perf_counter()
        # Last, so that what it asks for finds the round as it is by then.
        part()
        turns.note(began_s)

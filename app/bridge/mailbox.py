"""Owns the hand-over from the engine's threads to the window's loop.

Does not know what an event means: it keeps their order, and empties itself at most once per frame of the screen.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from engine.messages import BlockSnapshot, Event

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_FRAME_S = 0.016
"""Between two drains. Four chats bring two hundred steps a second, of which nobody can see more than sixty."""


class Mailbox:
    """Events in order, and beside them one slot in which the latest block snapshot wins.

    `put` and `put_snapshot` are safe on any thread, also after the loop has closed. The two callbacks run on the loop.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        on_event: Callable[[Event], None],
        on_snapshot: Callable[[BlockSnapshot], None],
    ) -> None:
        self._loop = loop
        self._on_event = on_event
        self._on_snapshot = on_snapshot
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._snapshot: BlockSnapshot | None = None
        self._is_drain_due = False
        """The loop has been woken, or comes back by itself at the end of the frame."""
        self._is_closed = False

    def put(self, events: Sequence[Event]) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._events.extend(events)
            self._wake()

    def put_snapshot(self, snapshot: BlockSnapshot) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._snapshot = snapshot
            self._wake()

    def close(self) -> None:
        """Drops what is inside; nothing is delivered afterwards."""
        with self._lock:
            self._is_closed = True
            self._events.clear()
            self._snapshot = None

    def _wake(self) -> None:
        # What comes after a quiet time is taken at once. A wake-up of the Qt loop costs 50-80 µs, so what comes
        # behind it waits for the end of the frame, without one.
        if self._is_drain_due:
            return
        try:
            self._loop.call_soon_threadsafe(self._drain)
        except RuntimeError:  # the loop has been closed
            self._is_closed = True
        else:
            self._is_drain_due = True

    def _drain(self) -> None:
        with self._lock:
            events, self._events = self._events, []
            snapshot, self._snapshot = self._snapshot, None
            self._is_drain_due = bool(events) or snapshot is not None
            if self._is_drain_due:
                self._loop.call_later(_FRAME_S, self._drain)
        for event in events:
            self._guard(self._on_event, event)
        if snapshot is not None:
            self._guard(self._on_snapshot, snapshot)

    def _guard(self, callback: Callable[[_T], None], value: _T) -> None:
        try:
            callback(value)
        except Exception:
            # A view's fault must not lose the events behind it.
            _log.exception("An event could not be handled")

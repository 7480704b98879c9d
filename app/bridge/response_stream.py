"""Owns one request's events between the client and the coroutine that reads them.

Does not know the engine: it is given what to do when the reader stops or leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from engine.messages import (
    ContextTrimmed,
    PrefillProgress,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
    TextDelta,
)

StreamEvent = (
    ContextTrimmed
    | RequestQueued
    | RequestPreempted
    | RequestResumed
    | PrefillProgress
    | TextDelta
    | RequestFinished
    | RequestFailed
)


class ResponseStream(AsyncIterator[StreamEvent]):
    """An answer's events in order; the last one is always a `RequestFinished` or a `RequestFailed`."""

    def __init__(self, request_id: str, on_cancel: Callable[[str], None], on_leave: Callable[[str], None]) -> None:
        self.request_id = request_id
        self._on_cancel = on_cancel
        self._on_leave = on_leave
        self._events: asyncio.Queue[StreamEvent] = asyncio.Queue()
        self._is_over = False
        """The end was put, or the reader has left: nothing more is wanted from the engine."""
        self._is_read = False

    def put(self, event: StreamEvent) -> None:
        if self._is_over:
            return
        self._is_over = isinstance(event, RequestFinished | RequestFailed)
        self._events.put_nowait(event)

    def cancel(self) -> None:
        """Asks the engine to stop; the rest of the events, the end among them, still arrive."""
        if not self._is_over:
            self._on_cancel(self.request_id)

    def close(self) -> None:
        """Leaves the stream: a request that is not over is cancelled and its events are dropped."""
        if not self._is_over:
            self._is_over = True
            self._on_cancel(self.request_id)
        self._is_read = True
        self._on_leave(self.request_id)

    async def __anext__(self) -> StreamEvent:
        if self._is_read:
            raise StopAsyncIteration
        event = await self._events.get()
        self._is_read = isinstance(event, RequestFinished | RequestFailed)
        return event

"""Owns the measuring of how the window stays usable: the event loop's lag while chats stream, beside the idle window.

Does not judge; a slow machine has its own figures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from app.chat.tab import ChatTab
from app.checks.loop_lag import LoopLag, summary
from app.checks.window_check import WindowCheck

_MEASURED_S = 10.0
_POLL_S = 0.05
_SETTLE_S = 0.5
_STREAM_TIMEOUT_S = 180.0
_NUM_TOKENS = 6000
"""Of each answer, so that it lasts: a new turn's beginning is not what is measured."""
_QUESTIONS = (
    "Tell me a very long story about a lighthouse.",
    "Explain in great detail, step by step, how bread is made.",
    "Write a long letter to a friend about a journey by train.",
    "List many rivers with a sentence about each.",
)


class LagCheck(WindowCheck):
    """Reports `lag`: of the idle window with its model loaded, and of the one in which four chats stream; each with the
    memory view hidden and in sight."""

    async def _test(self) -> None:
        await self._wait_for_model()
        idle = await self._measure_both(lambda: None)
        tabs = [await self._ask(question, _let_it_last) for question in _QUESTIONS]
        await self._wait("four chats stream", lambda: all(map(self._length, tabs)), _STREAM_TIMEOUT_S)
        streaming = await self._measure_both(lambda: self._keep_busy(tabs))
        self._facts["lag"] = {
            view: {
                "idle": idle[view],
                "streaming": streaming[view],
                "p99_ratio": round(streaming[view]["p99_ms"] / idle[view]["p99_ms"], 2),
            }
            for view in idle
        }
        for tab in tabs:
            self._window.chats.destroy(tab.session.id)

    async def _measure_both(self, meanwhile: Callable[[], None]) -> dict[str, dict[str, float]]:
        result = {}
        for view, is_shown in (("memory_view_hidden", False), ("memory_view_shown", True)):
            self._window.memory_dock.setVisible(is_shown)
            # Laying the window out anew is not what is measured.
            await asyncio.sleep(_SETTLE_S)
            result[view] = summary(await self._measure(meanwhile))
        return result

    async def _measure(self, meanwhile: Callable[[], None]) -> list[float]:
        lag = LoopLag()
        lag.start()
        end_s = time.monotonic() + _MEASURED_S
        while time.monotonic() < end_s:
            meanwhile()
            await asyncio.sleep(_POLL_S)
        return lag.stop()

    def _keep_busy(self, tabs: list[ChatTab]) -> None:
        """An answer ends where its context does, on a fast machine."""
        for tab, question in zip(tabs, _QUESTIONS, strict=True):
            tab.submit(question)


def _let_it_last(tab: ChatTab) -> None:
    read_params = tab.read_params
    tab.read_params = lambda: replace(read_params(), min_tokens=_NUM_TOKENS, max_tokens=_NUM_TOKENS)

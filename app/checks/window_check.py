"""Owns what uses the real window as a person does: it types, clicks, waits, and reports what it saw as JSON.

Does not know what is checked, nor the engine's inside; it reads what is shown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chat.tab import ChatTab
from app.main_window import MainWindow
from engine.messages import EngineDied, EngineStats

_log = logging.getLogger(__name__)
_LOAD_TIMEOUT_S = 120.0
_POLL_S = 0.02
_NEXT_STEP = "No model is installed; run: python -m engine fetch starter"


class _CheckFailedError(Exception):
    """A check did not hold; the following ones make no sense."""


class WindowCheck(ABC):
    """Runs beside the window and closes it at the end."""

    def __init__(self, window: MainWindow, home: Path) -> None:
        self._window = window
        self._home = home
        self._checks: list[dict[str, Any]] = []
        self._timings_s: dict[str, float] = {}
        self._facts: dict[str, Any] = {}
        """What the report has besides the checks."""
        self._stats: EngineStats | None = None
        self._death: EngineDied | None = None
        self._has_torch_at_first_paint: bool | None = None
        self._task: asyncio.Task[None] | None = None
        self._has_ended = False

    def start(self) -> None:
        client = self._window.models.client
        client.stats_changed.connect(self._on_stats)
        client.engine_died.connect(self._on_died)
        self._window.first_painted.connect(self._on_first_paint)
        self._task = client.run(self._run())

    def report(self) -> int:
        """Prints the report and returns the exit code. A check that did not come to its end has failed."""
        self._note("the test came to its end", self._has_ended, self._interruption())
        is_ok = all(check["ok"] for check in self._checks)
        model = self._window.models.loaded
        print(
            json.dumps(
                {
                    "ok": is_ok,
                    "checks": self._checks,
                    "timings_s": {name: round(duration, 3) for name, duration in self._timings_s.items()},
                    "model": None if model is None else model.model_id,
                    "backend": None if model is None else model.backend,
                    **self._facts,
                },
                indent=2,
            )
        )
        return 0 if is_ok else 1

    def _interruption(self) -> str:
        """What kept the test from its end: a fault in the task, or else the window was closed."""
        task = self._task
        if task is None or not task.done() or task.cancelled() or (fault := task.exception()) is None:
            return "a check failed, or the window was closed"
        return f"{type(fault).__name__}: {fault}"

    async def _run(self) -> None:
        try:
            await self._test()
            self._has_ended = True
        except _CheckFailedError as failure:
            _log.error("%s: %s", type(self).__name__, failure)
        finally:
            # Outside of this task: closing the window cancels it.
            asyncio.get_running_loop().call_soon(self._window.close)

    @abstractmethod
    async def _test(self) -> None:
        """What is done and checked."""

    async def _wait_for_model(self) -> None:
        self._check("a model is installed", bool(self._window.models.models), _NEXT_STEP)
        await self._wait("the window was painted", lambda: self._has_torch_at_first_paint is not None, _LOAD_TIMEOUT_S)
        await self._wait("the model is loaded", lambda: self._window.models.loaded is not None, _LOAD_TIMEOUT_S)

    async def _ask(self, question: str, prepare: Callable[[ChatTab], None] = lambda tab: None) -> ChatTab:
        """Opens a new chat and types the question into its composer, once `prepare` has had the tab."""
        # By the button: keys of the window work only where a window manager makes it the active one.
        new_chat = self._window.sidebar.new_chat_button
        await self._in_qt_loop(lambda: QTest.mouseClick(new_chat, Qt.MouseButton.LeftButton))
        tab = self._window.tabs.current_tab()
        self._check("a blank chat is in front", tab is not None and tab.is_blank)
        assert tab is not None, "no tab is current"
        prepare(tab)
        await self._in_qt_loop(lambda: QTest.keyClicks(tab.composer, question))
        await self._in_qt_loop(lambda: QTest.keyClick(tab.composer, Qt.Key.Key_Return))
        self._check("Enter sent the message", tab.session.is_busy and not tab.composer.toPlainText())
        return tab

    def _length(self, tab: ChatTab) -> int:
        return len(tab.session.answer.text)

    async def _in_qt_loop(self, action: Callable[[], None]) -> None:
        # QTest may run a nested loop, in which a task that wakes would be lost: never call it inside a coroutine.
        await qasync.asyncWrap(action)

    async def _wait(self, name: str, holds: Callable[[], bool], timeout_s: float) -> None:
        started_s = time.monotonic()
        while not holds() and self._death is None and time.monotonic() - started_s < timeout_s:
            await asyncio.sleep(_POLL_S)
        self._timings_s[name] = time.monotonic() - started_s
        self._check(name, holds(), self._death.message if self._death else f"not within {timeout_s:.0f} s")

    def _check(self, name: str, is_ok: bool, detail: str = "") -> None:
        self._note(name, is_ok, detail)
        if not is_ok:
            raise _CheckFailedError(f"{name}: {detail}")

    def _note(self, name: str, is_ok: bool, detail: str) -> None:
        self._checks.append({"name": name, "ok": is_ok, **({} if is_ok else {"detail": detail})})

    def _on_first_paint(self) -> None:
        self._has_torch_at_first_paint = "torch" in sys.modules

    def _on_stats(self, stats: EngineStats) -> None:
        self._stats = stats

    def _on_died(self, death: EngineDied) -> None:
        self._death = death

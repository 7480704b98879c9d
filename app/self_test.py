"""Owns the self-test: it uses the real window as a person does and reports what it saw as JSON.

Does not know the engine's inside; it types, clicks, reads what is shown and what is on disk.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chat.tab import ChatTab
from app.main_window import MainWindow
from app.state import settings as options
from app.state.history import History
from engine.messages import EngineDied, EngineStats

_log = logging.getLogger(__name__)
_LOAD_TIMEOUT_S = 120.0
_ANSWER_TIMEOUT_S = 180.0
_POLL_S = 0.02
_MIN_LENGTH_BEFORE_STOP = 20
# Long enough to be stopped, short enough for a slow machine.
_MAX_TOKENS = 200
_LONG_QUESTION = "Tell me a very long story about a lighthouse."
_SHORT_QUESTION = "Name three colours."
_NEXT_STEP = "No model is installed; run: python -m engine fetch starter"


class _CheckFailedError(Exception):
    """A check did not hold; the following ones make no sense."""


class SelfTest:
    """Runs beside the window and closes it at the end."""

    def __init__(self, window: MainWindow, home: Path) -> None:
        self._window = window
        self._home = home
        self._checks: list[dict[str, Any]] = []
        self._timings_s: dict[str, float] = {}
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
        """Prints the report and returns the exit code. A test that did not come to its end has failed."""
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
            _log.error("Self-test: %s", failure)
        finally:
            # Outside of this task: closing the window cancels it.
            asyncio.get_running_loop().call_soon(self._window.close)

    async def _test(self) -> None:
        self._check("a model is installed", bool(self._window.models.models), _NEXT_STEP)
        await self._wait("the window was painted", lambda: self._has_torch_at_first_paint is not None, _LOAD_TIMEOUT_S)
        self._check("torch was not imported before the first paint", not self._has_torch_at_first_paint)
        await self._wait("the model is loaded", lambda: self._window.models.loaded is not None, _LOAD_TIMEOUT_S)
        max_tokens = self._window.settings.get(options.MAX_TOKENS)
        self._window.change_setting(options.MAX_TOKENS, _MAX_TOKENS)
        try:
            stopped, whole = await self._answer_in_two_tabs()
        finally:
            self._window.change_setting(options.MAX_TOKENS, max_tokens)
        await self._wait("all blocks are free or cached", self._has_no_referenced_block, _ANSWER_TIMEOUT_S)
        self._check_history(stopped, whole)
        for tab in (stopped, whole):
            self._window.chats.delete(tab.session.id)

    async def _answer_in_two_tabs(self) -> tuple[ChatTab, ChatTab]:
        """Returns the tab whose answer was stopped and the one whose answer came to its end."""
        stopped = await self._ask(_LONG_QUESTION)
        await self._wait("the first tab streams", lambda: self._length(stopped) > 0, _ANSWER_TIMEOUT_S)
        whole = await self._ask(_SHORT_QUESTION)
        await self._wait("the second tab streams", lambda: self._length(whole) > 0, _ANSWER_TIMEOUT_S)
        self._check("both tabs answered at once", stopped.session.is_busy, "the first answer had ended already")
        await self._wait(
            "the first tab has text to stop", lambda: self._length(stopped) > _MIN_LENGTH_BEFORE_STOP, _ANSWER_TIMEOUT_S
        )
        self._window.tabs.setCurrentWidget(stopped)
        await self._in_qt_loop(lambda: QTest.mouseClick(stopped.stop_button, Qt.MouseButton.LeftButton))
        await self._wait("the first answer stopped", lambda: not stopped.session.is_busy, _ANSWER_TIMEOUT_S)
        self._check("its text was kept", stopped.session.answer.end == "cancelled", str(stopped.session.answer.end))
        await self._wait("the second answer ended", lambda: not whole.session.is_busy, _ANSWER_TIMEOUT_S)
        answer = whole.session.answer
        self._check("without an error", answer.error is None, answer.error or "")
        if answer.stats is not None and answer.stats.ttft_s is not None:
            self._timings_s["second tab: first token"] = answer.stats.ttft_s
        return stopped, whole

    async def _ask(self, question: str) -> ChatTab:
        """Opens a new chat and types the question into its composer."""
        # By the button: keys of the window work only where a window manager makes it the active one.
        new_chat = self._window.sidebar.new_chat_button
        await self._in_qt_loop(lambda: QTest.mouseClick(new_chat, Qt.MouseButton.LeftButton))
        tab = self._window.tabs.current_tab()
        self._check("a blank chat is in front", tab is not None and tab.is_blank)
        assert tab is not None, "no tab is current"
        await self._in_qt_loop(lambda: QTest.keyClicks(tab.composer, question))
        await self._in_qt_loop(lambda: QTest.keyClick(tab.composer, Qt.Key.Key_Return))
        self._check("Enter sent the message", tab.session.is_busy and not tab.composer.toPlainText())
        return tab

    def _check_history(self, *tabs: ChatTab) -> None:
        history = History(self._home / "chats.sqlite3")
        for tab in tabs:
            stored = history.load(tab.session.id)
            texts = [message.text for message in stored.messages] if stored is not None else []
            shown = [message.text for message in tab.session.messages]
            self._check("the history has the chat", texts == shown and all(texts), f"{texts!r} against {shown!r}")
        history.close()

    def _length(self, tab: ChatTab) -> int:
        return len(tab.session.answer.text)

    def _has_no_referenced_block(self) -> bool:
        return self._stats is not None and self._stats.num_referenced_blocks == 0 and self._stats.num_running == 0

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

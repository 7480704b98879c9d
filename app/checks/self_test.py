"""Owns the self-test: two chats in the real window with the real model, one of them stopped, and what is on disk then.

Does not know the engine's inside; it types, clicks, reads what is shown and what is on disk.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chat.tab import ChatTab
from app.checks.window_check import WindowCheck
from app.state import options
from app.state.history import History

_ANSWER_TIMEOUT_S = 180.0
_MIN_LENGTH_BEFORE_STOP = 20
# Long enough to be stopped, short enough for a slow machine.
_MAX_TOKENS = 200
_LONG_QUESTION = "Tell me a very long story about a lighthouse."
_SHORT_QUESTION = "Name three colours."


class SelfTest(WindowCheck):
    """Whether what a person does first works."""

    async def _test(self) -> None:
        await self._wait_for_model()
        self._check("torch was not imported before the first paint", not self._has_torch_at_first_paint)
        max_tokens = self._window.settings.get(options.MAX_TOKENS)
        self._window.change_setting(options.MAX_TOKENS, _MAX_TOKENS)
        try:
            stopped, whole = await self._answer_in_two_tabs()
        finally:
            self._window.change_setting(options.MAX_TOKENS, max_tokens)
        await self._wait("all blocks are free or cached", self._has_no_referenced_block, _ANSWER_TIMEOUT_S)
        self._check_history(stopped, whole)
        for tab in (stopped, whole):
            self._window.chats.destroy(tab.session.id)

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

    def _check_history(self, *tabs: ChatTab) -> None:
        history = History(self._home / "chats.sqlite3")
        for tab in tabs:
            stored = history.load(tab.session.id)
            texts = [message.text for message in stored.messages] if stored is not None else []
            shown = [message.text for message in tab.session.messages]
            self._check("the history has the chat", texts == shown and all(texts), f"{texts!r} against {shown!r}")
        history.close()

    def _has_no_referenced_block(self) -> bool:
        return self._stats is not None and self._stats.num_referenced_blocks == 0 and self._stats.num_running == 0

"""Owns the measuring of long chats: how soon one of 100,000 words can be read, and how smoothly it scrolls.

Does not judge; a slow machine has its own figures.
"""

from __future__ import annotations

import time

import qasync
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from app.chat.tab import ChatTab
from app.checks.loop_lag import summary
from app.checks.window_check import WindowCheck
from app.state.message import Message
from app.state.session import Session

NUM_WORDS = 100_000
_NUM_TURNS = 200
_TIMEOUT_S = 120.0
_STEP_PART = 0.4
"""Of the view's height, for each step of scrolling."""
_SENTENCE = "The keeper climbed the stairs with **two lamps**, counted `them` again, and waited for the ferry to come. "
_PARTS = (
    _SENTENCE * 6 + "\n\n",
    "1. " + _SENTENCE + "\n2. " + _SENTENCE + "\n\n",
    "```python\ndef light(lamps):\n    return [lamp.on for lamp in lamps if lamp]\n```\n\n",
    "| lamp | lit |\n|---|---|\n| first | yes |\n| second | no |\n\n",
    "So \\(x_1^2\\) is what\n\n$$\\sum_{i=1}^n x_i = \\frac{a+b}{c}$$\n\n",
)


class ChatCheck(WindowCheck):
    """Reports `long_chats`: one of many messages, and one whose only answer has all the words."""

    async def _test(self) -> None:
        await self._wait_for_model()
        turns = []
        for number in range(_NUM_TURNS):
            turns += [Message("user", f"Question {number}?"), Message("assistant", _text(NUM_WORDS // _NUM_TURNS))]
        whole = [Message("user", "All of it?"), Message("assistant", _text(NUM_WORDS))]
        self._facts["long_chats"] = {
            "many_messages": await self._measure(turns),
            "one_answer": await self._measure(whole),
        }

    async def _measure(self, messages: list[Message]) -> dict[str, object]:
        for message in messages:
            message.end = "stop" if message.role == "assistant" else None
        session = Session(title="Long", messages=messages)
        watch = _PaintWatch()
        began_s = time.perf_counter()
        tab = self._window.tabs.open_chat(session)
        tab.transcript.page.installEventFilter(watch)
        await self._wait("the long chat to be painted", lambda: watch.painted_at_s is not None, _TIMEOUT_S)
        assert watch.painted_at_s is not None
        steps_ms: list[float] = []
        view = tab.transcript.answer_view()
        assert view is not None, "no answer is shown"
        await self._wait("the whole answer to be laid out", lambda: view.is_whole, _TIMEOUT_S)
        whole_s = time.perf_counter() - began_s
        # QTest and processEvents may run what a task of the loop waits for, so not inside of one.
        await qasync.asyncWrap(lambda: steps_ms.extend(_scrolled(tab)))
        num_words = sum(len(message.text.split()) for message in messages)
        self._window.tabs.close_tab(self._window.tabs.indexOf(tab))
        return {
            "num_words": num_words,
            "open_s": round(watch.painted_at_s - began_s, 3),
            "whole_s": round(whole_s, 3),
            "scroll_step": summary(steps_ms),
        }


class _PaintWatch(QObject):
    """When the watched widget was painted first."""

    def __init__(self) -> None:
        super().__init__()
        self.painted_at_s: float | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self.painted_at_s is None:
            self.painted_at_s = time.perf_counter()
        return False


def _scrolled(tab: ChatTab) -> list[float]:
    """Milliseconds that each step of scrolling took with its painting, from the end to the top of what is built."""
    bar, app = tab.transcript.verticalScrollBar(), QApplication.instance()
    assert app is not None, "there is no application"
    app.processEvents()
    steps_ms = []
    while bar.value() > 0:
        began_s = time.perf_counter()
        bar.setValue(max(0, bar.value() - round(_STEP_PART * tab.transcript.viewport().height())))
        app.processEvents()
        tab.transcript.page.repaint()
        steps_ms.append((time.perf_counter() - began_s) * 1000)
    return steps_ms


def _text(num_words: int) -> str:
    text: list[str] = []
    count = number = 0
    while count < num_words:
        part = _PARTS[number % len(_PARTS)]
        text.append(part)
        count += len(part.split())
        number += 1
    return "".join(text)

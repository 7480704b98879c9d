"""Larger and smaller text: one new layout for a burst of keys, of what is in sight alone, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.tab import ChatTab
from app.main_window import MainWindow
from app.state.message import Message
from app.state.session import Session
from app.theme import apply_zoom, theme_signals

_NUM_CHATS = 5
_TIMEOUT_MS = 30_000
"""A whole window is laid out, on a machine that may be busy."""


@pytest.fixture
def tabs(qapp: QApplication, window: MainWindow) -> Iterator[list[ChatTab]]:
    """Of five chats with a question and an answer each; the last one is shown."""
    window.resize(1280, 800)
    for number in range(_NUM_CHATS):
        chat = Session(title=f"chat {number}")
        chat.messages += [Message("user", "question"), Message("assistant", "answer", end="stop")]
        window._history.save(chat, chat.messages)
        window.chats.open(chat.id)
    yield window.tabs.tabs()[-_NUM_CHATS:]
    apply_zoom(qapp, 100)


def settle(qtbot: QtBot, window: MainWindow) -> list[bool]:
    """Waits until the new look is shown; returns for each time it was laid out whether the window was painted then."""
    changes: list[bool] = []

    def count() -> None:
        changes.append(window.updatesEnabled())

    theme_signals().theme_changed.connect(count)
    try:
        qtbot.waitUntil(lambda: bool(changes) and window.updatesEnabled(), timeout=_TIMEOUT_MS)
    finally:
        theme_signals().theme_changed.disconnect(count)
    return changes


def test_a_burst_of_steps_is_laid_out_once_and_out_of_sight(
    qtbot: QtBot, window: MainWindow, tabs: list[ChatTab]
) -> None:
    before = window.fontInfo().pointSizeF()
    for _ in range(5):
        window.zoom_by(10)
    assert settle(qtbot, window) == [False]
    assert window.fontInfo().pointSizeF() == pytest.approx(1.5 * before, rel=0.05)


def test_after_larger_text_the_status_line_is_as_high_as_before(
    qtbot: QtBot, window: MainWindow, tabs: list[ChatTab]
) -> None:
    line = window.status_line
    qtbot.waitUntil(lambda: line.height() == line.sizeHint().height())
    before = line.height()
    window.zoom_by(100)
    qtbot.waitUntil(lambda: line.height() > before, timeout=_TIMEOUT_MS)
    window.reset_zoom()
    qtbot.waitUntil(lambda: line.height() == before, timeout=_TIMEOUT_MS)


def test_only_the_chat_that_is_shown_is_made_again(qtbot: QtBot, window: MainWindow, tabs: list[ChatTab]) -> None:
    window.zoom_by(10)
    settle(qtbot, window)
    assert [len(tab.transcript.views) for tab in tabs] == [0] * (_NUM_CHATS - 1) + [2]
    window.tabs.setCurrentWidget(tabs[0])
    qtbot.waitUntil(lambda: len(tabs[0].transcript.views) == 2)


def test_what_is_written_in_a_message_stays(qtbot: QtBot, window: MainWindow, tabs: list[ChatTab]) -> None:
    view = tabs[-1].transcript.views[0]
    view.edit()
    assert view.editor is not None
    view.editor.field.setPlainText("half a thought")
    window.zoom_by(10)
    settle(qtbot, window)
    again = tabs[-1].transcript.views[0]
    assert again is not view
    assert again.editor is not None
    assert again.editor.text() == "half a thought"


def test_nothing_stays_of_a_zoom_that_is_taken_back(qtbot: QtBot, window: MainWindow, tabs: list[ChatTab]) -> None:
    window.memory_dock.show()

    def sizes() -> list[int]:
        return [window.sidebar_dock.width(), window.memory_dock.width(), window.tabs.tabBar().height()]

    qtbot.waitUntil(lambda: sizes()[:2] == [230, 390])
    before = sizes()
    window.zoom_by(100)
    settle(qtbot, window)
    qtbot.waitUntil(
        lambda: all(large > small for large, small in zip(sizes(), before, strict=True)), timeout=_TIMEOUT_MS
    )
    window.reset_zoom()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: sizes() == before, timeout=_TIMEOUT_MS)

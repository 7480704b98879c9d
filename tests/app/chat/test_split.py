"""Two chats side by side, in a window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.history.finder import finder_of
from app.main_window import MainWindow
from app.state.message import Message
from app.state.options import SPLIT_CHAT_IDS
from app.state.session import Session
from tests.app.fake_engine import FakeEngine
from tests.app.windows import OpenWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


def open_two(window: MainWindow) -> None:
    for name in ("first", "second"):
        messages = [Message("user", name), Message("assistant", f"{name} answer", end="stop")]
        window.tabs.open_chat(Session(title=name, messages=messages))
    blank = next(tab for tab in window.tabs.tabs() if tab.is_blank)
    window.tabs.close_tab(window.tabs.indexOf(blank))


def titles(window: MainWindow) -> list[str]:
    return [tab.session.title for tab in window.tabs.tabs()]


def test_two_chats_are_seen_and_both_answer(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.show_beside(second)
    qtbot.waitUntil(lambda: first.isVisible() and second.isVisible())
    assert titles(window) == ["first", "second"]
    for tab in (first, second):
        tab.submit("more")
        engine.answer(engine.submits()[-1].request_id, "streams")
    for tab in (first, second):
        view = tab.transcript.answer_view()
        assert view is not None
        qtbot.waitUntil(lambda view=view: bool(view.body.views))  # type: ignore[misc]
        assert view.body.views[0].toPlainText() == "streams"  # type: ignore[union-attr]


def test_the_split_ends_where_it_began(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.show_beside(first)
    assert titles(window) == ["first", "second"]
    assert window.tabs.currentWidget() is second
    window.tabs.end_split()
    assert titles(window) == ["first", "second"]
    assert not window.tabs.beside.isVisible()
    window.tabs.setCurrentWidget(first)
    qtbot.waitUntil(first.isVisible)
    assert not second.isVisible()


def test_the_chat_beside_is_reached_by_its_tab_and_by_keys(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.setCurrentWidget(first)
    window.tabs.show_beside(second)
    first.setFocus()
    qtbot.waitUntil(lambda: window.tabs.current_tab() is first)
    window.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: window.tabs.current_tab() is second)
    assert window.tabs.currentWidget() is first
    window.tabs.step(1)
    qtbot.waitUntil(lambda: window.tabs.current_tab() is first)


def test_the_key_ends_the_split_with_the_chat_that_has_the_focus(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    for kept in (second, first):
        window.tabs.setCurrentWidget(first)
        window.tabs.show_beside(second)
        kept.setFocus()
        qtbot.waitUntil(lambda kept=kept: window.tabs.current_tab() is kept)  # type: ignore[misc]
        qtbot.keyClick(window, Qt.Key.Key_Backslash, CONTROL)
        assert window.tabs.beside.tab is None
        assert window.tabs.currentWidget() is kept
        qtbot.waitUntil(kept.composer.hasFocus)


def test_closing_the_chat_beside_ends_the_split(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    open_two(window)
    _, second = window.tabs.tabs()
    window.tabs.show_beside(second)
    qtbot.waitUntil(lambda: window.tabs.current_tab() is second)
    window.tabs.close_current()
    assert titles(window) == ["first"]
    assert window.tabs.beside.tab is None


def test_closing_all_others_brings_the_chat_back(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.show_beside(second)
    window.tabs.close_tab(window.tabs.indexOf(first))
    qtbot.waitUntil(lambda: window.tabs.beside.tab is None)
    assert titles(window) == ["second"]
    qtbot.waitUntil(second.isVisible)


def test_a_lone_chat_gets_a_new_one_at_its_side(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Backslash, CONTROL)
    assert len(window.tabs.tabs()) == 2
    assert window.tabs.beside.isVisible()
    window.show_settings()
    assert not window.tabs.beside.isVisible()
    window.show_chats()
    assert window.tabs.beside.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Backslash, CONTROL)
    assert window.tabs.beside.tab is None


def test_the_split_is_there_again_at_the_next_start(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    open_two(window)
    first, second = window.tabs.tabs()
    for tab in (first, second):
        window._history.save(tab.session, tab.session.messages)
    window.tabs.show_beside(first)
    window.close()
    again = open_window()
    qtbot.waitUntil(lambda: again.tabs.beside.isVisible())
    assert again.tabs.beside.tab is not None
    assert again.tabs.beside.tab.session.id == first.session.id
    assert titles(again) == ["first", "second"]
    front = again.tabs.currentWidget()
    assert front is again.tabs.tab_of(second.session.id)
    assert abs(front.width() - again.tabs.beside.width()) < 60
    again.tabs.end_split()
    assert not again.settings.get(SPLIT_CHAT_IDS)


def test_esc_stops_the_chat_that_was_used_last(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.setCurrentWidget(first)
    window.tabs.show_beside(second)
    for tab in (first, second):
        tab.submit("more")
    # The engine is asked by their requests, in this order.
    (first_id, second_id) = [submit.request_id for submit in engine.submits()]
    for tab in (first, second):
        tab.composer.setFocus()
        qtbot.waitUntil(tab.composer.hasFocus)
    window.sidebar.search_field.setFocus()
    qtbot.waitUntil(window.sidebar.search_field.hasFocus)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert engine.cancelled() == [second_id]
    engine.finish(second_id, "cancelled")
    qtbot.waitUntil(lambda: not second.session.is_busy)
    # The only one that still answers, wherever the focus is.
    second.composer.setFocus()
    qtbot.waitUntil(second.composer.hasFocus)
    qtbot.keyClick(second.composer, Qt.Key.Key_Escape)
    assert engine.cancelled() == [second_id, first_id]


@pytest.mark.parametrize("place", [0, 1])
def test_closing_the_search_in_one_chat_stays_there(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, place: int
) -> None:
    open_two(window)
    pair = window.tabs.tabs()
    window.tabs.setCurrentWidget(pair[0])
    window.tabs.show_beside(pair[1])
    tab = pair[place]
    tab.setFocus()
    qtbot.waitUntil(lambda: window.tabs.current_tab() is tab)
    window.chats.find_in_chat()
    field = finder_of(tab).bar.field
    qtbot.waitUntil(field.hasFocus)
    elsewhere: list[QWidget] = []

    def watch(_: QWidget | None, focus: QWidget | None) -> None:
        if focus is not None and not tab.isAncestorOf(focus):
            elsewhere.append(focus)

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.focusChanged.connect(watch)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    app.focusChanged.disconnect(watch)
    assert finder_of(tab).bar.isHidden()
    assert tab.composer.hasFocus()
    assert not elsewhere
    assert window.tabs.current_tab() is tab


def test_a_search_stays_while_the_chat_at_its_side_is_used(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    open_two(window)
    first, second = window.tabs.tabs()
    window.tabs.setCurrentWidget(first)
    window.tabs.show_beside(second)
    for tab in (first, second):
        tab.setFocus()
        qtbot.waitUntil(lambda tab=tab: window.tabs.current_tab() is tab)  # type: ignore[misc]
        window.chats.find_in_chat()
        qtbot.waitUntil(finder_of(tab).bar.field.hasFocus)
    assert finder_of(first).bar.isVisible()
    assert finder_of(second).bar.isVisible()


@pytest.mark.parametrize("place", [0, 1])
def test_what_leaves_the_chats_comes_back_to_the_one_that_was_used(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, place: int
) -> None:
    open_two(window)
    pair = window.tabs.tabs()
    window.tabs.setCurrentWidget(pair[0])
    window.tabs.show_beside(pair[1])
    tab = pair[place]
    tab.setFocus()
    qtbot.waitUntil(tab.composer.hasFocus)
    field = window.sidebar.search_field
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    # Chosen in the list of commands, or by its key: it is about the chat that was used.
    assert window.tabs.current_tab() is tab
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(tab.composer.hasFocus)
    window.show_settings()
    window.show_chats()
    qtbot.waitUntil(tab.composer.hasFocus)

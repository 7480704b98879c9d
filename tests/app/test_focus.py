"""Where the caret is after what a person did, and the ways back to what was left."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu, QTabBar
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from engine.api import ModelEntry
from engine.messages import RequestFailed
from tests.app.fake_engine import FakeEngine, FakeEngines
from tests.app.history.rows import place_of, selected, texts, tool_tip
from tests.app.windows import OpenWindow, send, titles, wait_until_started

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def two_chats(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> MainWindow:
    window.activateWindow()
    for number in range(2):
        window.new_chat()
        engine.finish(send(qtbot, window, engine, f"chat {number}"))
    qtbot.waitUntil(lambda: not any(tab.session.is_busy for tab in window.tabs.tabs()))
    return window


def has_caret(window: MainWindow) -> bool:
    tab = window.tabs.current_tab()
    # Of the window: without a window manager it is not made active again after a dialog.
    return tab is not None and window.focusWidget() is tab.composer


def click_row(qtbot: QtBot, window: MainWindow, title: str, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    chats = window.sidebar.list
    qtbot.mouseClick(chats.viewport(), button, pos=place_of(chats, title))


def test_after_closing_a_tab_the_caret_is_in_the_next_ones_composer(qtbot: QtBot, two_chats: MainWindow) -> None:
    cross = two_chats.tabs.tabBar().tabButton(1, QTabBar.ButtonPosition.RightSide)
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert titles(two_chats) == ["chat 0"]
    qtbot.waitUntil(lambda: has_caret(two_chats))


def test_escape_stops_the_answer_from_anywhere_but_where_it_has_a_use(
    qtbot: QtBot, two_chats: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, two_chats, engine, "long")
    two_chats.sidebar.focus_search()
    qtbot.keyClick(two_chats.sidebar.search_field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: has_caret(two_chats))
    two_chats.show_settings()
    qtbot.keyClick(two_chats.settings_page, Qt.Key.Key_Escape)
    assert engine.cancelled() == []
    qtbot.keyClick(two_chats.sidebar.list, Qt.Key.Key_Escape)
    assert engine.cancelled() == [request_id]


def test_after_choosing_a_chat_the_caret_is_in_its_composer(qtbot: QtBot, two_chats: MainWindow) -> None:
    click_row(qtbot, two_chats, "chat 0")
    assert two_chats.tabs.currentIndex() == 0
    qtbot.waitUntil(lambda: has_caret(two_chats))


def test_after_a_page_the_caret_is_in_the_composer(qtbot: QtBot, two_chats: MainWindow) -> None:
    two_chats.show_settings()
    qtbot.keyClick(two_chats.settings_page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: has_caret(two_chats))


def test_after_a_dialog_the_caret_is_in_the_composer(qtbot: QtBot, two_chats: MainWindow) -> None:
    two_chats.tabs.tabBarDoubleClicked.emit(0)
    two_chats.tabs.findChild(QInputDialog).reject()
    qtbot.waitUntil(lambda: has_caret(two_chats))


def test_after_renaming_in_the_list_the_caret_is_in_the_composer(qtbot: QtBot, two_chats: MainWindow) -> None:
    two_chats.sidebar.list.setFocus()
    qtbot.keyClick(two_chats.sidebar.list, Qt.Key.Key_F2)
    editor = two_chats.sidebar.list.findChild(QLineEdit)
    qtbot.keyClicks(editor, "better")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: has_caret(two_chats))
    assert titles(two_chats) == ["chat 0", "better"]


def test_the_tab_that_was_closed_last_is_opened_again(qtbot: QtBot, two_chats: MainWindow) -> None:
    qtbot.keyClick(two_chats, Qt.Key.Key_W, CONTROL)
    two_chats.new_chat()
    qtbot.keyClick(two_chats, Qt.Key.Key_W, CONTROL)  # had no message
    qtbot.keyClick(two_chats, Qt.Key.Key_T, CONTROL | SHIFT)
    assert titles(two_chats) == ["chat 0", "chat 1"]
    qtbot.keyClick(two_chats, Qt.Key.Key_T, CONTROL | SHIFT)
    assert titles(two_chats) == ["chat 0", "chat 1"]


@pytest.mark.parametrize("page", ["models", "settings"])
def test_ctrl_w_on_another_page_only_leaves_the_page(
    qtbot: QtBot, two_chats: MainWindow, engine: FakeEngine, page: str
) -> None:
    send(qtbot, two_chats, engine, "more")
    two_chats.show_models() if page == "models" else two_chats.show_settings()
    qtbot.keyClick(two_chats, Qt.Key.Key_W, CONTROL)
    assert two_chats.pages.currentWidget() is two_chats.tabs
    assert titles(two_chats) == ["chat 0", "chat 1"]
    assert engine.cancelled() == []


def test_keys_of_the_chats_show_them_before_they_act(qtbot: QtBot, two_chats: MainWindow) -> None:
    for key, modifiers in (
        (Qt.Key.Key_Tab, CONTROL),
        (Qt.Key.Key_Tab, CONTROL | SHIFT),
        (Qt.Key.Key_F, CONTROL),
        (Qt.Key.Key_Backslash, CONTROL),
    ):
        two_chats.show_models()
        index = two_chats.tabs.currentIndex()
        qtbot.keyClick(two_chats, key, modifiers)
        assert two_chats.pages.currentWidget() is two_chats.tabs, key
        if key == Qt.Key.Key_Tab:
            assert two_chats.tabs.currentIndex() != index, key
    assert two_chats.tabs.beside.isVisible()


def test_the_lists_menu_shows_a_chat_beside_the_one_that_is_read(qtbot: QtBot, two_chats: MainWindow) -> None:
    tabs = two_chats.tabs
    reading = tabs.current_tab()
    assert reading is not None
    other = next(tab for tab in tabs.tabs() if tab is not reading)
    rows = two_chats.sidebar.list.rows
    place = rows.number_of(other.session.id)
    assert place is not None
    menus: list[QMenu] = []
    two_chats.sidebar.menu_opening.connect(lambda menu, _: menus.append(menu))
    two_chats.sidebar._open_menu(rows.row_at(rows.index(place)), QPoint(0, 0))
    action = next(one for one in menus[0].actions() if one.text() == "Show beside")
    action.trigger()
    assert tabs.beside.tab is other
    assert tabs.currentWidget() is reading


def test_ctrl_q_quits(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.closed):
        qtbot.keyClick(window, Qt.Key.Key_Q, CONTROL)


def test_a_right_click_leaves_the_mark_on_the_current_chat(qtbot: QtBot, two_chats: MainWindow) -> None:
    click_row(qtbot, two_chats, "chat 0", Qt.MouseButton.RightButton)
    assert selected(two_chats.sidebar.list) == ["chat 1"]


def test_chats_that_are_answering_are_marked_in_the_list(
    qtbot: QtBot, two_chats: MainWindow, engine: FakeEngine
) -> None:
    def marked() -> list[str]:
        chats = two_chats.sidebar.list
        return [text for text in texts(chats) if tool_tip(chats, text).endswith("answering")]

    request_id = send(qtbot, two_chats, engine, "more")
    assert marked() == ["chat 1"]
    engine.finish(request_id)
    qtbot.waitUntil(lambda: marked() == [])


def test_a_new_chat_goes_to_the_one_that_is_blank(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.sidebar.new_chat_button, Qt.MouseButton.LeftButton)
    assert titles(window) == ["New chat"]
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.keyClicks(tab.composer, "draft")
    qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    assert titles(window) == ["New chat", "New chat"]


def test_without_a_model_a_new_chat_leads_to_the_welcome(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, models: list[ModelEntry]
) -> None:
    models.clear()
    window = open_window()
    wait_until_started(qtbot, engines)
    for page in (window.first_run_page, window.model_page):
        window.pages.setCurrentWidget(page)
        qtbot.mouseClick(window.sidebar.new_chat_button, Qt.MouseButton.LeftButton)
        assert window.pages.currentWidget() is window.first_run_page
        assert window.first_run_page.fetch_card is not None
        assert window.focusWidget() is window.first_run_page.fetch_card.strip.main_button
    assert "model first" in window.sidebar.new_chat_button.toolTip()
    assert window.tabs.count() == 1


def test_a_request_without_a_model_shows_the_way_to_the_models(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, window, engine, "hello")
    engine.emit(RequestFailed(request_id, "no_model", "No model is loaded: load one first"))
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    view = tab.transcript.answer_view()
    assert view is not None
    qtbot.mouseClick(view.error_panel.models_button, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.model_page
    stored = window._history.load(tab.session.id)
    assert stored is not None
    assert stored.answer.error_code == "no_model"


def test_the_menu_of_a_tab_closes_the_others(qtbot: QtBot, two_chats: MainWindow) -> None:
    bar = two_chats.tabs.tabBar()
    bar.customContextMenuRequested.emit(bar.tabRect(0).center())
    menu = two_chats.tabs.findChild(QMenu)
    (others,) = [action for action in menu.actions() if action.text() == "Close others"]
    others.trigger()
    menu.close()
    assert titles(two_chats) == ["chat 0"]


def test_tabs_shrink_before_they_are_scrolled(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    for number in range(5):
        window.new_chat()
        send(qtbot, window, engine, f"a chat with a rather long title {number}")
    bar = window.tabs.tabBar()
    window.resize(1900, 700)
    window.grab()
    whole = bar.tabRect(0).width()
    window.resize(240 + 390 + 5 * 160 + 80, 700)
    window.grab()
    qtbot.waitUntil(lambda: 100 < bar.tabRect(0).width() < whole)
    assert bar.tabRect(4).right() <= bar.width()


def test_a_loaded_model_cannot_be_deleted(qtbot: QtBot, window: MainWindow) -> None:
    window.show_models()
    card = window.model_page.card("tiny")
    assert card is not None
    assert not card.delete_button.isEnabled()
    assert "unload it first" in card.delete_button.toolTip()
    window.models.forget_loaded()
    with qtbot.waitSignal(window.model_page.delete_requested) as asked:
        qtbot.mouseClick(card.delete_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["tiny"]


def test_after_stop_the_caret_is_in_the_composer(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.activateWindow()
    request_id = send(qtbot, window, engine, "hello")
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.stop_button.setFocus()
    qtbot.mouseClick(tab.stop_button, Qt.MouseButton.LeftButton)
    assert has_caret(window)
    engine.finish(request_id, "cancelled")
    qtbot.waitUntil(tab.send_button.isVisible)
    assert has_caret(window)


@pytest.mark.parametrize("is_taken", [True, False])
def test_after_an_edited_message_the_caret_is_in_the_composer(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, is_taken: bool
) -> None:
    window.activateWindow()
    engine.finish(send(qtbot, window, engine, "hello"))
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    view = tab.transcript.views[0]
    view.edit()
    assert view.editor is not None
    assert not has_caret(window)
    button = view.editor.take_button if is_taken else view.editor.leave_button
    button.setFocus()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert tab.session.is_busy == is_taken
    assert has_caret(window)

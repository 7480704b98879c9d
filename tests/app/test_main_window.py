"""The window as a whole: its tabs, its keys, its pages, its look."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QApplication, QInputDialog, QSpinBox, QTabBar
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.state import options
from app.state.session import Phase
from app.theme import current_theme
from engine.messages import BringToFront, RequestFailed, RequestPreempted, RequestQueued, Submit, TextDelta
from tests.app.fake_engine import FakeEngine
from tests.app.history.rows import texts
from tests.app.windows import OpenWindow, send, titles

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_two_tabs_stream_at_once_each_into_its_own_chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    first = send(qtbot, window, engine, "first question")
    qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    second = send(qtbot, window, engine, "second question")
    engine.answer(first, "one")
    engine.answer(second, "two")
    one, two = window.tabs.tabs()
    qtbot.waitUntil(lambda: (one.session.answer.text, two.session.answer.text) == ("one", "two"))
    assert one.session.is_busy
    assert two.session.is_busy
    engine.finish(second)
    qtbot.waitUntil(lambda: not two.session.is_busy)
    assert one.session.is_busy


def test_a_tab_says_what_its_chat_is_doing(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    request_id = send(qtbot, window, engine, "R&D")
    engine.emit(RequestQueued(request_id, 1, "sequences"))
    qtbot.waitUntil(lambda: window.tabs.tabText(0) == "R&&D  (2nd)")
    engine.answer(request_id, "hi")
    qtbot.waitUntil(lambda: window.tabs.tabText(0) == "R&&D")


def test_keys_open_switch_and_close_tabs(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    for number in range(2):
        send(qtbot, window, engine, f"chat {number}")
        qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    assert titles(window) == ["chat 0", "chat 1", "New chat"]
    qtbot.keyClick(window, Qt.Key.Key_Tab, CONTROL)
    assert window.tabs.currentIndex() == 0
    qtbot.keyClick(window, Qt.Key.Key_Backtab, CONTROL | SHIFT)
    assert window.tabs.currentIndex() == 2
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert titles(window) == ["chat 0", "chat 1"]


def test_the_middle_button_and_the_cross_close_a_tab(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    bar = window.tabs.tabBar()
    for number in range(3):
        send(qtbot, window, engine, f"chat {number}")
        if number < 2:
            window.chats.new_chat()
    qtbot.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(1).center())
    assert titles(window) == ["chat 0", "chat 2"]
    cross = bar.tabButton(0, QTabBar.ButtonPosition.RightSide)
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert titles(window) == ["chat 2"]


def test_closing_a_streaming_tab_cancels_and_keeps_the_chat(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, window, engine, "a story")
    engine.answer(request_id, "once upon")
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.answer.text == "once upon")
    chat_id = tab.session.id
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert engine.cancelled() == [request_id]
    assert titles(window) == ["New chat"]
    window.chats.open(chat_id)
    reopened = window.tabs.tab_of(chat_id)
    assert reopened is not None
    assert [message.text for message in reopened.session.messages] == ["a story", "once upon"]


def test_the_next_start_opens_the_same_tabs(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    for number in range(3):
        send(qtbot, window, engine, f"chat {number}")
        window.chats.new_chat()
    window.tabs.setCurrentIndex(1)
    window.close()
    again = open_window()
    assert titles(again) == ["chat 0", "chat 1", "chat 2"]
    assert again.tabs.currentIndex() == 1


def test_renaming_changes_tab_list_and_disk(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "old name")
    tab = window.tabs.current_tab()
    assert tab is not None
    window.chats.rename(tab.session.id, "  new\nname ")
    assert window.tabs.tabText(0).startswith("new name")
    assert texts(window.sidebar.list)[1] == "new name"
    window.chats.rename(tab.session.id, "   ")
    assert tab.session.title == "new name"


def test_a_deleted_chat_is_gone_from_tabs_and_list(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    request_id = send(qtbot, window, engine, "secret")
    tab = window.tabs.current_tab()
    assert tab is not None
    window.chats.delete(tab.session.id)
    assert engine.cancelled() == [request_id]
    assert titles(window) == ["New chat"]
    assert texts(window.sidebar.list) == []


def test_search_narrows_the_list(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "apples")
    window.chats.new_chat()
    send(qtbot, window, engine, "pears")
    qtbot.keyClicks(window.sidebar.search_field, "pear")
    qtbot.waitUntil(lambda: texts(window.sidebar.list) == ["pears"])
    window.sidebar.search_field.clear()
    qtbot.waitUntil(lambda: texts(window.sidebar.list) == ["Today", "pears", "apples"])


def test_a_new_chat_begins_with_the_system_prompt_of_the_settings(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.change_setting(options.SYSTEM_PROMPT, "Be brief.")
    window.chats.new_chat()
    send(qtbot, window, engine, "hello")
    assert [message.role for message in engine.submits()[-1].messages] == ["system", "user"]


def test_escape_leads_back_from_models_and_settings(qtbot: QtBot, window: MainWindow) -> None:
    for show, page in ((window.show_models, window.model_page), (window.show_settings, window.settings_page)):
        show()
        assert window.pages.currentWidget() is page
        qtbot.keyClick(page, Qt.Key.Key_Escape)
        assert window.pages.currentWidget() is window.tabs


def test_a_system_prompt_typed_just_before_leaving_is_kept(qtbot: QtBot, window: MainWindow) -> None:
    window.show_settings()
    field = window.settings_page.rows["system_prompt"].field
    qtbot.keyClicks(field, "Be brief.")
    qtbot.keyClick(window.settings_page, Qt.Key.Key_Escape)
    assert window.settings.get(options.SYSTEM_PROMPT) == "Be brief."


def test_longest_answer_is_the_engines_choice_until_it_is_set(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    field = window.settings_page.rows["max_tokens"].field
    assert isinstance(field, QSpinBox)
    assert field.text() == "automatic"
    send(qtbot, window, engine, "one")
    field.setValue(300)
    window.chats.new_chat()
    send(qtbot, window, engine, "two")
    limits = [command.params.max_tokens for command in engine.commands if isinstance(command, Submit)]
    assert limits == [None, 300]


def test_a_double_click_on_a_tab_renames_its_chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "old name")
    bar = window.tabs.tabBar()
    qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(0).center())
    dialog = window.tabs.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("new name")
    dialog.accept()
    assert titles(window) == ["new name"]


def test_panels_are_toggled_and_stay_so(qtbot: QtBot, window: MainWindow, open_window: OpenWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_B, CONTROL)
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert not window.sidebar.isVisible()
    assert not window.memory_panel.isVisible()
    window.close()
    again = open_window()
    assert not again.sidebar.isVisible()
    assert not again.memory_panel.isVisible()


def test_zoom_keys_scale_the_font_within_bounds_and_stay(
    qtbot: QtBot, window: MainWindow, open_window: OpenWindow
) -> None:
    base = QFont(QApplication.font()).pointSizeF()

    def wait_for(scale: float) -> None:
        qtbot.waitUntil(lambda: QFont(QApplication.font()).pointSizeF() == pytest.approx(base * scale))

    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    wait_for(1.1)
    for _ in range(20):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    wait_for(2)
    qtbot.keyClick(window, Qt.Key.Key_0, CONTROL)
    qtbot.keyClick(window, Qt.Key.Key_Minus, CONTROL)
    wait_for(0.9)
    window.close()
    open_window().change_setting(options.ZOOM_PERCENT, 100)
    wait_for(1)


def test_the_theme_changes_at_once_and_shown_answers_follow(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, window, engine, "hello")
    engine.answer(request_id, "some `code`")
    engine.finish(request_id)
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.IDLE)
    for name in ("dark", "light"):
        window.change_setting(options.THEME, name)
        assert current_theme().name == name
        view = tab.transcript.answer_view()
        assert view is not None
        body = view.body.views[0].document().toHtml()  # type: ignore[union-attr]
        assert current_theme().colors["code_bg"] in body


def test_what_a_tabs_mark_shows_is_told_in_words(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    request_id = send(qtbot, window, engine, "hello")
    bar = window.tabs.tabBar()

    def told() -> str:
        title, _, words = bar.tabToolTip(0).partition(" · ")
        assert title == "hello"
        assert bar.accessibleTabName(0) == bar.tabToolTip(0)
        return words

    set_aside = "Waiting for memory: other chats need it, this one's part is kept"
    for event, words in (
        (RequestQueued(request_id, 1, "memory"), "Waiting, 2nd in line"),
        (TextDelta(request_id, "", (1,), reasoning="so"), "thinking"),
        (TextDelta(request_id, "hi", (2,)), "answering"),
        (RequestPreempted(request_id, "other", "swap", 4, 4096), set_aside),
        (RequestFailed(request_id, "engine_error", "It broke"), "the last answer failed"),
    ):
        engine.emit(event)
        qtbot.waitUntil(lambda words=words: told() == words)
    menu = window.tabs.buttons.open_list()
    assert menu.actions()[0].text() == "hello · the last answer failed"
    menu.close()


def test_marks_are_drawn_anew_for_a_screen_with_other_pixels(
    window: MainWindow, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    tabs = window.tabs
    (before,) = tabs.tabIcon(0).availableSizes()
    monkeypatch.setattr(tabs, "devicePixelRatioF", lambda: 2.0)
    qapp.sendEvent(tabs, QEvent(QEvent.Type.DevicePixelRatioChange))
    (after,) = tabs.tabIcon(0).availableSizes()
    assert after == 2 * before


def test_the_tab_in_front_is_told_to_the_engine(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "one")
    first = window.tabs.current_tab()
    window.chats.new_chat()
    second = window.tabs.current_tab()
    window.tabs.step(-1)
    assert first is not None
    assert second is not None
    fronts = [command.owner for command in engine.commands if isinstance(command, BringToFront)]
    assert fronts[-3:] == [first.session.id, second.session.id, first.session.id]


def test_that_chats_cannot_be_saved_is_said_until_they_can_be_again(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window._history._database._db.execute("PRAGMA query_only = ON")
    request_id = send(qtbot, window, engine, "hello")
    assert window.banner.isVisible()
    assert window.banner.label.text().startswith("Chats cannot be saved")
    window._history._database._db.execute("PRAGMA query_only = OFF")
    engine.answer(request_id, "hi")
    engine.finish(request_id)
    qtbot.waitUntil(window.banner.isHidden)


def test_what_cannot_be_saved_while_another_program_has_the_file_is_saved_by_itself(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window._history._database._db.execute("PRAGMA busy_timeout = 10")
    path = window._history._database.path
    assert path is not None
    tab = window.tabs.current_tab()
    assert tab is not None
    tab._saver._timer.setInterval(20)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        request_id = send(qtbot, window, engine, "hello")
        engine.answer(request_id, "hi")
        engine.finish(request_id)
        qtbot.waitUntil(lambda: not tab.session.is_busy)
        assert "another program has the file open" in window.banner.label.text()
        assert window._history.load(tab.session.id) is None
        other.execute("ROLLBACK")
    qtbot.waitUntil(window.banner.isHidden)
    stored = window._history.load(tab.session.id)
    assert stored is not None
    assert [message.text for message in stored.messages] == ["hello", "hi"]


def test_what_the_banner_says_can_be_copied(qtbot: QtBot, window: MainWindow) -> None:
    window.banner.show_message("The engine stopped: restart it and try again")
    qtbot.mouseClick(window.banner.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "The engine stopped: restart it and try again"
    assert window.banner.isVisible()


def test_another_message_stays_when_chats_are_saved_again(window: MainWindow) -> None:
    window.banner.show_message("The engine stopped: restart it and try again")
    window.banner.take_back("Chats cannot be saved to here: full. Free some space.")
    assert window.banner.isVisible()
    window.banner.add_message("Chats cannot be saved to here: full. Free some space.")
    window.banner.take_back("Chats cannot be saved to here: full. Free some space.")
    assert window.banner.label.text() == "The engine stopped: restart it and try again"


def test_the_way_to_the_page_in_sight_is_marked(qtbot: QtBot, window: MainWindow) -> None:
    entries = (window.sidebar.models_entry, window.sidebar.settings_entry)

    def marked() -> list[bool]:
        return [entry.isChecked() for entry in entries]

    assert marked() == [False, False]
    for number in (0, 1, 1):
        qtbot.mouseClick(entries[number], Qt.MouseButton.LeftButton)
        assert marked() == [number == 0, number == 1]
    window.show_chats()
    assert marked() == [False, False]

"""A deleted chat comes back, at once or from the trash; chats move between folders."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.state.history import History
from app.state.session import Session
from tests.app.fake_engine import FakeEngine
from tests.app.history.rows import place_of, texts
from tests.app.windows import OpenWindow, send, titles


@pytest.fixture
def chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> MainWindow:
    """A window with one answered chat."""
    request_id = send(qtbot, window, engine, "Trip")
    engine.answer(request_id, "To sea")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    window.sidebar.list.setFocus()
    return window


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    qtbot.keyClick(window.sidebar.list, key)


def choose(window: MainWindow, *path: str) -> None:
    """Chooses an entry of the first chat's menu."""
    chats = window.sidebar.list
    chats.customContextMenuRequested.emit(place_of(chats, "Trip"))
    menu = window.sidebar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)[-1]
    level = menu
    for name in path[:-1]:
        (level,) = [action.menu() for action in level.actions() if action.text() == name]
    (entry,) = [action for action in level.actions() if action.text() == path[-1]]
    entry.trigger()
    menu.close()
    # Without a window manager a menu takes this away.
    window.activateWindow()


def test_undo_brings_a_deleted_chat_and_its_tab_back(qtbot: QtBot, chat: MainWindow) -> None:
    press(qtbot, chat, Qt.Key.Key_Delete)
    assert texts(chat.sidebar.list) == []
    assert titles(chat) == ["New chat"]
    qtbot.mouseClick(chat.sidebar.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert texts(chat.sidebar.list) == ["Today", "Trip"]
    assert "Trip" in titles(chat)
    tab = chat.tabs.current_tab()
    assert tab is not None
    assert [message.text for message in tab.session.messages] == ["Trip", "To sea"]
    assert not chat.sidebar.undo_bar.isVisible()


def test_undo_puts_the_tab_where_it_was_and_the_caret_into_it(qtbot: QtBot, chat: MainWindow) -> None:
    for name in ("second", "third"):
        chat.tabs.open_chat(Session(title=name))
    assert titles(chat) == ["Trip", "second", "third"]
    deleted = chat.tabs.tabs()[0].session
    chat.chats.delete(deleted.id)
    chat.activateWindow()
    chat.sidebar.undo_bar.undo_button.setFocus()
    qtbot.mouseClick(chat.sidebar.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert titles(chat) == ["Trip", "second", "third"]
    tab = chat.tabs.current_tab()
    assert tab is not None
    assert tab.session.id == deleted.id
    assert chat.focusWidget() is tab.composer


def test_after_an_undo_that_opens_nothing_the_caret_is_in_the_chat_that_is_shown(
    qtbot: QtBot, chat: MainWindow
) -> None:
    bar = chat.sidebar.undo_bar
    for button in (bar.undo_button, bar.close_button):
        bar.show_offer("3 chats imported", "", lambda: None)
        chat.activateWindow()
        button.setFocus()
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert bar.isHidden()
        tab = chat.tabs.current_tab()
        assert tab is not None
        assert chat.focusWidget() is tab.composer


def test_the_offer_to_undo_goes_when_the_chat_is_taken_out_of_the_trash(qtbot: QtBot, chat: MainWindow) -> None:
    press(qtbot, chat, Qt.Key.Key_Delete)
    chat.chats.trash.show()
    panel = chat.sidebar.trash_panel
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(panel.list, "Trip"))
    assert "Trip" in titles(chat)
    assert chat.sidebar.undo_bar.isHidden()
    assert not chat.sidebar.undo_bar.deleted_at_s


def test_the_trash_outlives_the_window_and_gives_a_chat_back(
    qtbot: QtBot, chat: MainWindow, open_window: OpenWindow
) -> None:
    press(qtbot, chat, Qt.Key.Key_Delete)
    chat.close()
    again = open_window()
    assert texts(again.sidebar.list) == []
    (trash,) = [action for action in again.sidebar.more_menu.actions() if action.text() == "Trash"]
    trash.trigger()
    panel = again.sidebar.trash_panel
    qtbot.waitUntil(panel.isVisible)
    again.grab()
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(panel.list, "Trip"))
    assert texts(panel.list) == []
    assert texts(again.sidebar.list) == ["Today", "Trip"]
    # There is nothing left in it.
    assert again.sidebar.list.isVisible()


def test_the_trash_gives_single_messages_back(qtbot: QtBot, chat: MainWindow, open_window: OpenWindow) -> None:
    tab = chat.tabs.current_tab()
    assert tab is not None
    tab.message_actions.use(tab.session.messages[0], "delete_turn")
    chat.chats.new_chat()
    chat.tabs.close_tab(chat.tabs.indexOf(tab))
    chat.close()
    again = open_window()
    again.chats.trash.show()
    panel = again.sidebar.trash_panel
    (row,) = panel.list.rows.rows
    assert row.text == "Trip"
    assert " · 2 message" in row.detail
    assert row.detail.endswith(" of “Trip”")
    panel.list.delete_pressed.emit(row)
    assert panel.findChild(QMessageBox) is None
    again.grab()
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(panel.list, "Trip"))
    assert texts(panel.list) == []
    shown = again.tabs.current_tab()
    assert shown is not None
    assert [message.text for message in shown.session.messages] == ["Trip", "To sea"]
    stored = again._history.load(shown.session.id)
    assert stored is not None
    assert [message.text for message in stored.messages] == ["Trip", "To sea"]
    shown.undo_bar.undo_deletion()
    assert [message.text for message in shown.session.messages] == ["Trip", "To sea"]


@pytest.mark.parametrize("is_sure", [True, False])
def test_the_trash_is_emptied_only_after_a_yes(qtbot: QtBot, chat: MainWindow, is_sure: bool) -> None:
    press(qtbot, chat, Qt.Key.Key_Delete)
    question = chat.sidebar.trash_panel.ask_to_empty()
    role = QMessageBox.ButtonRole.AcceptRole if is_sure else QMessageBox.ButtonRole.RejectRole
    (button,) = [button for button in question.buttons() if question.buttonRole(button) == role]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert texts(chat.sidebar.trash_panel.list) == ([] if is_sure else ["Trip"])


def test_a_chat_that_was_deleted_is_not_reopened(qtbot: QtBot, chat: MainWindow) -> None:
    press(qtbot, chat, Qt.Key.Key_Delete)
    chat.chats.reopen()
    assert titles(chat) == ["New chat"]


def test_a_new_folder_takes_the_chat_and_asks_for_its_name(qtbot: QtBot, chat: MainWindow) -> None:
    choose(chat, "Move to", "New folder")
    assert texts(chat.sidebar.list) == ["Folders", "New folder", "Trip"]
    qtbot.waitUntil(lambda: chat.sidebar.list.findChild(QLineEdit) is not None)
    editor = chat.sidebar.list.findChild(QLineEdit)
    editor.setText("Travel")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: texts(chat.sidebar.list) == ["Folders", "Travel", "Trip"])


def test_a_chat_stays_in_its_folder_when_it_goes_on(qtbot: QtBot, chat: MainWindow, engine: FakeEngine) -> None:
    choose(chat, "Move to", "New folder")
    chat.chats.refresh()
    send(qtbot, chat, engine, "more")
    assert "Today" not in texts(chat.sidebar.list)
    choose(chat, "Move to", "No folder")
    qtbot.waitUntil(lambda: texts(chat.sidebar.list)[-2:] == ["Today", "Trip"])


def test_a_folder_collapses_by_key_and_goes_without_its_chats(qtbot: QtBot, chat: MainWindow) -> None:
    choose(chat, "Move to", "New folder")
    qtbot.waitUntil(lambda: chat.sidebar.list.findChild(QLineEdit) is not None)
    qtbot.keyClick(chat.sidebar.list.findChild(QLineEdit), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not chat.sidebar.list.is_editing)
    chats = chat.sidebar.list
    chats.setCurrentIndex(chats.rows.index(1))
    press(qtbot, chat, Qt.Key.Key_Left)
    assert texts(chats) == ["Folders", "New folder"]
    press(qtbot, chat, Qt.Key.Key_Right)
    assert texts(chats) == ["Folders", "New folder", "Trip"]
    press(qtbot, chat, Qt.Key.Key_Delete)
    assert texts(chats) == ["Today", "Trip"]


def test_what_is_done_to_one_chat_leaves_the_other_rows_alone(
    qtbot: QtBot, chat: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(chat, "Move to", "New folder")
    qtbot.waitUntil(lambda: chat.sidebar.list.findChild(QLineEdit) is not None)
    qtbot.keyClick(chat.sidebar.list.findChild(QLineEdit), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not chat.sidebar.list.is_editing)

    def read_all(history: History) -> None:
        raise AssertionError("all chats were read again")

    monkeypatch.setattr(History, "chats", read_all)
    assert texts(chat.sidebar.list) == ["Folders", "New folder", "Trip"]
    choose(chat, "Move to", "No folder")
    assert texts(chat.sidebar.list) == ["Folders", "New folder", "Today", "Trip"]
    choose(chat, "Pin")
    assert texts(chat.sidebar.list) == ["Pinned", "Trip", "Folders", "New folder"]
    tab = chat.tabs.current_tab()
    assert tab is not None
    chat.chats.rename(tab.session.id, "Voyage")
    assert texts(chat.sidebar.list) == ["Pinned", "Voyage", "Folders", "New folder"]
    chat.sidebar.list.setFocus()
    press(qtbot, chat, Qt.Key.Key_Delete)
    assert texts(chat.sidebar.list) == ["Folders", "New folder"]
    qtbot.mouseClick(chat.sidebar.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert texts(chat.sidebar.list) == ["Pinned", "Voyage", "Folders", "New folder"]

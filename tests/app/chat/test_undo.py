"""What was deleted is had back by a key, also when the line that offers it is gone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.tab import ChatTab
from app.main_window import MainWindow
from app.state import revisions
from app.state.message import Message
from app.state.session import Session
from tests.app.history.rows import texts

CONTROL = Qt.KeyboardModifier.ControlModifier


def opened(window: MainWindow) -> ChatTab:
    session = Session(title="Sea")
    for number in (1, 2):
        session.messages += [Message("user", f"q{number}"), Message("assistant", f"a{number}", end="stop")]
    window._history.save(session, session.messages)
    window.chats.refresh()
    window.chats.open(session.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    return tab


def shown(tab: ChatTab) -> str:
    return " ".join(message.text for message in tab.session.messages)


def undo(qtbot: QtBot, window: MainWindow) -> None:
    focus = window.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, Qt.Key.Key_Z, CONTROL)


def test_deleted_messages_come_back_one_deletion_after_the_other(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    tab.message_actions.use(tab.session.messages[0], "delete_turn")
    tab.message_actions.use(tab.session.messages[0], "delete")
    assert shown(tab) == "a2"
    tab.undo_bar.hide()
    undo(qtbot, window)
    assert shown(tab) == "q2 a2"
    undo(qtbot, window)
    assert shown(tab) == "q1 a1 q2 a2"
    undo(qtbot, window)
    assert shown(tab) == "q1 a1 q2 a2"


def test_deletions_of_an_earlier_start_come_back_too(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    tab.message_actions.use(tab.session.messages[0], "delete_turn")
    tab.message_actions.use(tab.session.messages[1], "delete")
    window.tabs.close_tab(window.tabs.indexOf(tab))
    window.chats.open(tab.session.id)
    again = window.tabs.current_tab()
    assert again is not None
    assert again is not tab
    assert (shown(again), again.undo_bar.isVisible()) == ("q2", False)
    undo(qtbot, window)
    assert shown(again) == "q2 a2"
    undo(qtbot, window)
    assert shown(again) == "q1 a1 q2 a2"


def test_what_is_being_written_is_taken_back_first(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    tab.message_actions.use(tab.session.messages[0], "delete_turn")
    qtbot.keyClicks(tab.composer, "x")
    undo(qtbot, window)
    assert (tab.composer.toPlainText(), shown(tab)) == ("", "q2 a2")
    undo(qtbot, window)
    assert shown(tab) == "q1 a1 q2 a2"


def test_a_deleted_chat_comes_back_by_the_key(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    window.chats.delete(tab.session.id)
    assert texts(window.sidebar.list) == []
    window.sidebar.undo_bar.hide()
    undo(qtbot, window)
    assert texts(window.sidebar.list) == ["Today", "Sea"]


def test_an_offer_that_is_no_deletion_is_not_taken_by_the_key(qtbot: QtBot, window: MainWindow) -> None:
    opened(window)
    taken: list[bool] = []
    window.sidebar.undo_bar.show_offer("Imported", "", lambda: taken.append(True))
    undo(qtbot, window)
    assert taken == []
    qtbot.mouseClick(window.sidebar.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert taken == [True]


def test_nothing_comes_back_out_of_an_emptied_trash(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    tab.message_actions.use(tab.session.messages[0], "delete_turn")
    window.chats.trash.emptied.emit()
    assert not tab.undo_bar.isVisible()
    undo(qtbot, window)
    assert shown(tab) == "q2 a2"


def test_an_emptied_chat_is_no_blank_one(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    revisions.delete(tab.session, list(tab.session.messages))
    assert not tab.is_blank
    qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    assert window.tabs.current_tab() is not tab


def test_deleting_one_version_shows_the_other(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    revisions.ask_anew(tab.session, tab.session.messages[2], "q2 anew", (), None)
    tab.session.answer.text, tab.session.answer.end = "a2 anew", "stop"
    tab.session.interrupt()
    tab.message_actions.use(tab.session.messages[2], "version_before")
    tab.message_actions.use(tab.session.messages[2], "delete_turn")
    assert [view.message.text for view in tab.transcript.views] == ["q1", "a1", "q2 anew", "a2 anew"]


def test_a_branch_is_in_the_list_under_a_name_of_its_own(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    tab.message_actions.use(tab.session.messages[1], "branch")
    chats = window.sidebar.list
    assert texts(chats) == ["Today", "Sea (branch)", "Sea"]
    row = chats.current_row()
    assert row is not None
    assert row.text == "Sea (branch)"


def test_a_chat_that_is_only_looked_at_keeps_its_place_in_the_list(qtbot: QtBot, window: MainWindow) -> None:
    tab = opened(window)
    actions, question = tab.message_actions, tab.session.messages[2]
    actions.edit(tab.session.messages[3], "a2 anew")
    newer = Session(title="Land", messages=[Message("user", "q")])
    window._history.save(newer, newer.messages)
    window.chats.refresh()
    actions.use(tab.session.messages[3], "version_before")
    assert actions.show_message(tab.session.aside[0].id)
    actions.use(question, "delete_turn")
    undo(qtbot, window)
    assert shown(tab) == "q1 a1 q2 a2 anew"
    tab.open_options().close_button.click()
    window.chats.show_change(tab.session.id)
    assert texts(window.sidebar.list) == ["Today", "Land", "Sea"]
    actions.edit(tab.session.messages[3], "a2 once more")
    window.chats.show_change(tab.session.id)
    assert texts(window.sidebar.list) == ["Today", "Sea", "Land"]

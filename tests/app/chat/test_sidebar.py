"""The list of chats: what stands where, and what a person can ask of it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QStyle,
    QStyleOptionFrame,
)
from pytestqt.qtbot import QtBot

from app.chat.sidebar import Sidebar, group_name
from app.state.history import ChatSummary
from app.theme import apply_theme, apply_zoom

TODAY = date(2025, 6, 15)


def at(day: date) -> float:
    return datetime(day.year, day.month, day.day, 12).timestamp()


def summary(title: str, *, days_ago: int = 0, is_pinned: bool = False, today: date | None = None) -> ChatSummary:
    day = (today or date.today()) - timedelta(days=days_ago)
    return ChatSummary(f"id of {title}", title, is_pinned, at(day))


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    result = Sidebar()
    qtbot.addWidget(result)
    result.resize(230, 600)
    result.show()
    return result


def rows(sidebar: Sidebar) -> list[str]:
    return [sidebar.list.item(row).text() for row in range(sidebar.list.count())]


@pytest.mark.parametrize(
    ("days_ago", "name"),
    [(0, "Today"), (1, "Yesterday"), (2, "Last 7 days"), (6, "Last 7 days"), (7, "Older"), (400, "Older")],
)
def test_chats_stand_under_their_day(days_ago: int, name: str) -> None:
    assert group_name(summary("x", days_ago=days_ago, today=TODAY), TODAY) == name


def test_pinned_chats_come_first_whatever_their_day(sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("New"), summary("Old", days_ago=1), summary("Kept", days_ago=90, is_pinned=True)])
    assert rows(sidebar) == ["Pinned", "Kept", "Today", "New", "Yesterday", "Old"]


def test_a_click_chooses_a_chat_and_a_heading_none(qtbot: QtBot, sidebar: Sidebar) -> None:
    chosen: list[str] = []
    sidebar.chat_chosen.connect(chosen.append)
    sidebar.show_chats([summary("New")])
    for row in (0, 1):
        place = sidebar.list.visualItemRect(sidebar.list.item(row)).center()
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen == ["id of New"]


def test_f2_renames_in_place(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("New")])
    sidebar.select("id of New")
    with qtbot.waitSignal(sidebar.chat_renamed) as renamed:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
        editor = sidebar.list.findChild(QLineEdit)
        assert editor is not None
        editor.setText("Better")
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert renamed.args == ["id of New", "Better"]


def test_the_delete_key_asks_first(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("Trip")])
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert sidebar.findChild(QMessageBox) is None
    sidebar.select("id of Trip")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    question = sidebar.findChild(QMessageBox)
    assert question is not None
    assert "Trip" in question.text()
    question.close()


def test_the_current_chat_stays_marked_when_the_list_changes(sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.select("id of B")
    sidebar.show_chats([summary("B"), summary("A")])
    assert sidebar.list.currentItem().text() == "B"
    sidebar.select(None)
    assert sidebar.list.currentItem() is None


def test_a_rename_under_way_outlives_a_change_of_the_list(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.select("id of B")
    renamed: list[tuple[str, str]] = []
    sidebar.chat_renamed.connect(lambda chat_id, title: renamed.append((chat_id, title)))
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Better")
    sidebar.show_chats([summary("C"), summary("B"), summary("A")])
    assert rows(sidebar) == ["Today", "A", "B"]
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: renamed == [("id of B", "Better")])
    qtbot.waitUntil(lambda: rows(sidebar) == ["Today", "C", "B", "A"])


def test_a_row_chosen_by_the_keys_stays_chosen_when_the_list_changes(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B"), summary("C")])
    sidebar.select("id of A")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Down)
    sidebar.show_chats([summary("New"), summary("C"), summary("B"), summary("A")])
    assert [item.text() for item in sidebar.list.selectedItems()] == ["B"]
    sidebar.show_chats([summary("New"), summary("A")])
    assert [item.text() for item in sidebar.list.selectedItems()] == ["A"]


def test_the_view_stays_where_it_was_scrolled_to_when_the_list_changes(qtbot: QtBot, sidebar: Sidebar) -> None:
    chats = [summary(f"chat {number}") for number in range(200)]
    sidebar.show_chats(chats)
    sidebar.select("id of chat 0")
    bar = sidebar.list.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    sidebar.show_chats([chats[150], *chats[:150], *chats[151:]])
    sidebar.grab()
    assert bar.value() == before > 0


def test_the_menu_acts_on_its_chat_although_the_list_has_changed(qtbot: QtBot, sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B")])
    item = sidebar.list.item(2)
    sidebar.list.customContextMenuRequested.emit(sidebar.list.visualItemRect(item).center())
    menu = sidebar.findChild(QMenu)
    assert menu is not None
    rename, _, _, delete = menu.actions()
    sidebar.show_chats([summary("A")])
    rename.trigger()
    assert sidebar.list.findChild(QLineEdit) is None
    delete.trigger()
    question = sidebar.findChild(QMessageBox)
    assert question is not None
    assert "“B”" in question.text()
    question.close()
    menu.close()


def test_search_waits_for_the_typing_to_pause(qtbot: QtBot, sidebar: Sidebar) -> None:
    searched: list[str] = []
    sidebar.search_changed.connect(searched.append)
    qtbot.keyClicks(sidebar.search_field, "trip")
    qtbot.waitUntil(lambda: bool(searched))
    assert searched == ["trip"]


@pytest.mark.parametrize("is_sure", [True, False])
def test_a_chat_is_deleted_only_after_a_yes(qtbot: QtBot, sidebar: Sidebar, is_sure: bool) -> None:
    deleted: list[str] = []
    sidebar.chat_deleted.connect(deleted.append)
    question = sidebar.ask_to_delete("id", "Trip")
    assert "Trip" in question.text()
    role = QMessageBox.ButtonRole.DestructiveRole if is_sure else QMessageBox.ButtonRole.RejectRole
    (button,) = [button for button in question.buttons() if question.buttonRole(button) == role]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert deleted == (["id"] if is_sure else [])


@pytest.mark.parametrize("zoom", [80, 100, 150, 200])
def test_the_editor_of_a_title_is_high_enough_for_its_text(
    qapp: QApplication, qtbot: QtBot, sidebar: Sidebar, zoom: int
) -> None:
    apply_theme(qapp, "light")
    apply_zoom(qapp, zoom)
    sidebar.show_chats([summary("A gjpqy")])
    sidebar.select("id of A gjpqy")
    sidebar.grab()
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    option = QStyleOptionFrame()
    editor.initStyleOption(option)
    room = editor.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, editor)
    needed = editor.fontMetrics().height()
    apply_zoom(qapp, 100)
    assert room.height() >= needed


def test_a_search_without_a_hit_says_so(qtbot: QtBot, sidebar: Sidebar) -> None:
    def is_said() -> bool:
        return any("No chat" in label.text() for label in sidebar.findChildren(QLabel) if label.isVisible())

    sidebar.show_chats([])
    assert not is_said()
    sidebar.search_field.setText("pears")
    sidebar.show_chats([])
    assert is_said()
    sidebar.show_chats([summary("pears")])
    assert not is_said()

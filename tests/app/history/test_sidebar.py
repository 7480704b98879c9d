"""The list of chats: what stands where, and what a person can ask of it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QCursor, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QStyle, QStyleOptionFrame, QToolButton
from pytestqt.qtbot import QtBot

from app.history.chat_list import ChatList
from app.history.chat_rows import chat_rows
from app.history.sidebar import Sidebar
from app.state.folders import Folder
from app.state.history import ChatSummary
from app.state.search import SearchHit
from app.theme import apply_theme, apply_zoom, current_theme
from tests.app.history.rows import place_of, selected, texts

TODAY = date(2025, 6, 15)


def at(day: date) -> float:
    return datetime(day.year, day.month, day.day, 12).timestamp()


def summary(
    title: str,
    *,
    days_ago: int = 0,
    is_pinned: bool = False,
    today: date | None = None,
    folder_id: str | None = None,
) -> ChatSummary:
    day = (today or date.today()) - timedelta(days=days_ago)
    return ChatSummary(f"id of {title}", title, is_pinned, at(day), folder_id)


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    result = Sidebar()
    qtbot.addWidget(result)
    result.resize(230, 600)
    result.show()
    return result


def rows(sidebar: Sidebar) -> list[str]:
    return texts(sidebar.list)


@pytest.mark.parametrize(
    ("days_ago", "name"),
    [(0, "Today"), (1, "Yesterday"), (2, "Last 7 days"), (6, "Last 7 days"), (7, "Last 30 days"), (400, "Older")],
)
def test_chats_stand_under_their_day(days_ago: int, name: str) -> None:
    shown = chat_rows([summary("x", days_ago=days_ago, today=TODAY)], [], TODAY)
    assert [row.text for row in shown] == [name, "x"]


def test_pinned_chats_come_first_whatever_their_day(sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("New"), summary("Old", days_ago=1), summary("Kept", days_ago=90, is_pinned=True)])
    assert rows(sidebar) == ["Pinned", "Kept", "Today", "New", "Yesterday", "Old"]


def test_a_click_chooses_a_chat_and_a_heading_none(qtbot: QtBot, sidebar: Sidebar) -> None:
    chosen: list[str] = []
    sidebar.chat_chosen.connect(chosen.append)
    sidebar.show_chats([summary("New")])
    for text in ("Today", "New"):
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(sidebar.list, text))
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


def test_the_delete_key_deletes_the_chosen_chat(qtbot: QtBot, sidebar: Sidebar) -> None:
    deleted: list[str] = []
    sidebar.chat_deleted.connect(deleted.append)
    sidebar.show_chats([summary("Trip")])
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted == []
    sidebar.select("id of Trip")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted == ["id of Trip"]


def test_enter_opens_the_chosen_chat(qtbot: QtBot, sidebar: Sidebar) -> None:
    chosen: list[str] = []
    sidebar.chat_chosen.connect(chosen.append)
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.select("id of A")
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Down)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert chosen == ["id of B"]


def test_the_current_chat_stays_marked_when_the_list_changes(sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.select("id of B")
    sidebar.show_chats([summary("B"), summary("A")])
    assert selected(sidebar.list) == ["B"]
    sidebar.select(None)
    assert sidebar.list.current_row() is None


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
    assert selected(sidebar.list) == ["B"]
    sidebar.show_chats([summary("New"), summary("A")])
    assert selected(sidebar.list) == ["A"]


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
    deleted: list[str] = []
    sidebar.chat_deleted.connect(deleted.append)
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.list.customContextMenuRequested.emit(place_of(sidebar.list, "B"))
    menu = sidebar.findChildren(QMenu)[-1]
    rename, *_, delete = menu.actions()
    sidebar.show_chats([summary("A")])
    rename.trigger()
    assert sidebar.list.findChild(QLineEdit) is None
    delete.trigger()
    assert deleted == ["id of B"]
    menu.close()


def test_search_waits_for_the_typing_to_pause(qtbot: QtBot, sidebar: Sidebar) -> None:
    searched: list[str] = []
    sidebar.search_changed.connect(searched.append)
    qtbot.keyClicks(sidebar.search_field, "trip")
    qtbot.waitUntil(lambda: bool(searched))
    assert searched == ["trip"]


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


def test_keys_lead_from_the_search_to_a_hit_and_back(qtbot: QtBot, sidebar: Sidebar) -> None:
    opened: list[str] = []
    left: list[bool] = []
    sidebar.hit_chosen.connect(lambda chat_id, _: opened.append(chat_id))
    sidebar.dialog_closed.connect(lambda: left.append(True))
    hits = [SearchHit("one", "Trip", "m", "a trip", 1), SearchHit("two", "Sea", "n", "the trip", 1)]
    qtbot.keyClicks(sidebar.search_field, "trip")
    qtbot.keyClick(sidebar.search_field, Qt.Key.Key_Return)
    assert opened == []
    sidebar.show_hits(hits, "trip")
    sidebar.show_hits(hits, "trip")
    assert opened == ["one"]
    qtbot.keyClick(sidebar.search_field, Qt.Key.Key_Return)
    assert opened == ["one", "one"]
    qtbot.keyClick(sidebar.search_field, Qt.Key.Key_Down)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Down)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert opened[2:] == ["two"]
    qtbot.keyClick(sidebar.search_field, Qt.Key.Key_Escape)
    assert (sidebar.search_field.text(), left) == ("", [True])


def test_a_search_without_a_hit_says_so(sidebar: Sidebar) -> None:
    def is_said() -> bool:
        return any("No chat" in label.text() for label in sidebar.findChildren(QLabel) if label.isVisible())

    sidebar.show_chats([])
    assert not is_said()
    sidebar.show_hits([], "pears")
    assert is_said()
    sidebar.show_hits([SearchHit("id", "pears", None, "", 0)], "pears")
    assert not is_said()


def test_a_hit_leads_to_its_message(qtbot: QtBot, sidebar: Sidebar) -> None:
    chosen: list[tuple[str, object]] = []
    sidebar.hit_chosen.connect(lambda chat_id, message_id: chosen.append((chat_id, message_id)))
    sidebar.show_hits([SearchHit("id", "Fruit", "m7", "two pears", 1)], "pears")
    sidebar.grab()
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(sidebar.list, "Fruit"))
    assert chosen == [("id", "m7")]


def test_a_folder_holds_its_chats_and_hides_them_when_collapsed(qtbot: QtBot, sidebar: Sidebar) -> None:
    toggled: list[tuple[str, bool]] = []
    sidebar.folder_toggled.connect(lambda folder_id, is_collapsed: toggled.append((folder_id, is_collapsed)))
    chats = [summary("A"), summary("B", folder_id="w"), summary("C", folder_id="gone")]
    sidebar.show_chats(chats, [Folder("w", "Work")])
    assert rows(sidebar) == ["Folders", "Work", "B", "Today", "A", "C"]
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(sidebar.list, "Work"))
    assert toggled == [("w", True)]
    sidebar.show_chats(chats, [Folder("w", "Work", is_collapsed=True)])
    assert rows(sidebar) == ["Folders", "Work", "Today", "A", "C"]


def drag_over(chats: ChatList, title: str, place: QPoint) -> bool:
    """Whether the chat can be dropped there."""
    data = chats.rows.mimeData([chats.rows.index(texts(chats).index(title))])
    action, button, keys = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragMoveEvent(place, action, data, button, keys)
    chats.dragMoveEvent(event)
    return event.isAccepted()


def drop(chats: ChatList, title: str, place: QPoint) -> bool:
    data = chats.rows.mimeData([chats.rows.index(texts(chats).index(title))])
    action, button, keys = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(place), action, data, button, keys)
    chats.dropEvent(event)
    return event.isAccepted()


@pytest.fixture
def foldered(sidebar: Sidebar) -> ChatList:
    """Pinned, P; Folders, Work with B and C, Empty; Today, A and D."""
    chats = [
        summary("P", is_pinned=True),
        summary("B", folder_id="w"),
        summary("C", folder_id="w"),
        summary("A"),
        summary("D"),
    ]
    sidebar.show_chats(chats, [Folder("w", "Work"), Folder("e", "Empty")])
    return sidebar.list


BELOW_ALL = "below all rows"


def spot(chats: ChatList, text: str) -> QPoint:
    if text == BELOW_ALL:
        return QPoint(50, chats.viewport().height() - 5)
    return place_of(chats, text)


@pytest.mark.parametrize(
    ("title", "onto", "folder_id"),
    [
        ("A", "Work", "w"),
        ("A", "C", "w"),
        ("A", "Empty", "e"),
        ("B", "Empty", "e"),
        ("B", "Today", None),
        ("B", "D", None),
        ("B", BELOW_ALL, None),
    ],
)
def test_a_chat_is_dropped_into_a_folder_or_beside_it(
    sidebar: Sidebar, foldered: ChatList, title: str, onto: str, folder_id: str | None
) -> None:
    moved: list[tuple[str, object]] = []
    sidebar.chat_moved.connect(lambda chat_id, folder_id: moved.append((chat_id, folder_id)))
    assert drag_over(foldered, title, spot(foldered, onto))
    assert drop(foldered, title, spot(foldered, onto))
    assert moved == [(f"id of {title}", folder_id)]
    assert foldered.drop_area().isEmpty()


def test_a_chat_is_dropped_between_two_rows_as_well(sidebar: Sidebar, foldered: ChatList) -> None:
    moved: list[tuple[str, object]] = []
    sidebar.chat_moved.connect(lambda chat_id, folder_id: moved.append((chat_id, folder_id)))
    edge = foldered.visualRect(foldered.rows.index(texts(foldered).index("D"))).topLeft() + QPoint(50, 0)
    assert drop(foldered, "B", edge)
    assert moved == [("id of B", None)]


@pytest.mark.parametrize(("title", "onto"), [("A", "D"), ("A", BELOW_ALL), ("B", "Work"), ("A", "P"), ("A", "Pinned")])
def test_where_a_chat_lies_already_or_nothing_can_lie_it_is_not_dropped(
    sidebar: Sidebar, foldered: ChatList, title: str, onto: str
) -> None:
    moved: list[str] = []
    sidebar.chat_moved.connect(lambda chat_id, _: moved.append(chat_id))
    assert not drag_over(foldered, title, spot(foldered, onto))
    assert foldered.drop_area().isEmpty()
    assert not drop(foldered, title, spot(foldered, onto))
    assert not moved


def test_the_place_of_the_drop_is_framed_while_a_chat_is_dragged(foldered: ChatList) -> None:
    def row(text: str) -> QRect:
        return foldered.visualRect(foldered.rows.index(texts(foldered).index(text)))

    drag_over(foldered, "A", spot(foldered, "C"))
    assert (foldered.drop_area().top(), foldered.drop_area().bottom()) == (row("Work").top(), row("C").bottom())
    frame = foldered.viewport().grab().toImage().pixelColor(50, row("Work").top())
    assert frame.name() == current_theme().color("accent").name()
    drag_over(foldered, "B", spot(foldered, BELOW_ALL))
    assert foldered.drop_area().top() == row("Today").top()
    assert foldered.drop_area().bottom() == foldered.viewport().rect().bottom()
    foldered.dragLeaveEvent(QDragLeaveEvent())
    assert foldered.drop_area().isEmpty()


def test_after_a_drag_the_open_chat_is_marked_and_not_the_dragged_one(sidebar: Sidebar) -> None:
    sidebar.show_chats([summary("A"), summary("B")])
    sidebar.select("id of A")
    sidebar.list.setCurrentIndex(sidebar.list.rows.index(2))
    sidebar.list.moved.emit("id of B", None)
    assert selected(sidebar.list) == ["A"]


def is_pointed_at(button: QToolButton) -> bool:
    return button.rect().contains(button.mapFromGlobal(QCursor.pos()))


def test_the_menus_button_is_let_go_with_its_menu(qtbot: QtBot, sidebar: Sidebar) -> None:
    button = sidebar.more_button
    sidebar.more_menu.addAction("New folder")
    sidebar.more_menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    button.setDown(True)
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, not is_pointed_at(button))
    sidebar.more_menu.close()
    qtbot.waitUntil(lambda: not button.isDown() and button.underMouse() == is_pointed_at(button))


def test_branches_of_a_long_title_are_told_apart_in_a_narrow_list(sidebar: Sidebar) -> None:
    title = "A very long title that no list can show " * 3
    names = [f"{title}(branch)", f"{title}(branch 2)"]
    sidebar.show_chats([summary("Its neighbour"), *map(summary, names)])
    viewport = sidebar.list.viewport()
    one, other = (
        viewport.grab(sidebar.list.visualRect(sidebar.list.rows.index(number))).toImage() for number in (2, 3)
    )
    assert rows(sidebar)[2:] == names
    assert one != other

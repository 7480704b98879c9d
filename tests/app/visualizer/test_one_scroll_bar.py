"""The memory view scrolls as a whole: none of its parts does, however narrow it is and however much they show."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication
from pytestqt.qtbot import QtBot

from app.theme import apply_zoom, current_theme
from app.visualizer.memory_panel import MemoryPanel
from app.visualizer.text_tree import TEXT, TOKENS, USERS
from engine.messages import ChatReport, PrefixNode, PrefixTree
from tests.app.visualizer.pools import MODEL, snapshot

CHATS = [f"chat {number}" for number in range(24)]


def node(number: int) -> PrefixNode:
    users = tuple(CHATS[: number % 6])
    digest = bytes([number])
    parent = None if number % 5 == 0 else number - 1
    text = f"{number} ways to tell a long story"
    return PrefixNode(parent, digest, digest, (number,), 16 * number, 1216, number, users, CHATS[number % 24], (), text)


@pytest.fixture
def panel(qtbot: QtBot) -> MemoryPanel:
    """With many chats, many texts, and more blocks than fit in cells of the usual size."""
    widget = MemoryPanel()
    qtbot.addWidget(widget)
    widget.resize(390, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.fold("")
    widget.show_model(MODEL)
    held = dict(enumerate(CHATS))
    reports = tuple(ChatReport(chat, "decode", 420, 400, 160, 3, 0, 25.2) for chat in CHATS)
    widget.show_snapshot(snapshot(6000, held=held, chats=reports))
    widget.show_event(PrefixTree("m", tuple(node(number) for number in range(30))))
    qtbot.waitUntil(lambda: widget.table.row(CHATS[-1]) is not None)
    return widget


def scrolling(panel: MemoryPanel) -> list[str]:
    """The parts that scroll by themselves."""
    parts: list[QAbstractScrollArea] = [panel.grid, panel.table, panel.chats, panel.tree.tree]
    return [
        part.accessibleName()
        for part in parts
        if part.verticalScrollBar().maximum() or part.horizontalScrollBar().maximum()
    ]


@pytest.mark.parametrize("width", [250, 300, 350, 390, 560])
def test_no_part_scrolls_by_itself(panel: MemoryPanel, qapp: QApplication, width: int) -> None:
    panel.resize(width, 700)
    qapp.processEvents()
    assert scrolling(panel) == []


def test_no_part_scrolls_by_itself_with_larger_text(panel: MemoryPanel, qtbot: QtBot, qapp: QApplication) -> None:
    panel.resize(300, 700)
    apply_zoom(qapp, 150)
    try:
        qtbot.waitUntil(lambda: scrolling(panel) == [])
    finally:
        apply_zoom(qapp, 100)


def test_no_part_scrolls_by_itself_when_rows_come_from_a_fold(panel: MemoryPanel, qapp: QApplication) -> None:
    tree = panel.tree.tree
    tree.collapseAll()
    panel.show_event(PrefixTree("m", panel.tree.nodes))
    folded_px = tree.height()
    tree.expandAll()
    for place in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(place)
        assert item is not None
        item.setExpanded(False)
        item.setExpanded(True)
    qapp.processEvents()
    assert tree.height() > folded_px
    assert scrolling(panel) == []


def test_the_keys_take_the_view_along(panel: MemoryPanel, qtbot: QtBot, qapp: QApplication) -> None:
    seen, bar = panel._scroll.viewport(), panel._scroll.verticalScrollBar()
    panel.activateWindow()
    for part in (panel.table, panel.tree.tree):
        part.setFocus()
        qtbot.waitUntil(part.hasFocus)
        first, last = part.topLevelItem(0), part.topLevelItem(part.topLevelItemCount() - 1)
        assert first is not None
        assert last is not None
        part.setCurrentItem(first)
        for item, key in ((last, Qt.Key.Key_End), (first, Qt.Key.Key_Home)):
            bar.setValue(0 if key == Qt.Key.Key_End else bar.maximum())
            qtbot.keyClick(part, key)
            end = part.currentItem()
            assert end is item or part.itemBelow(end) is None
            place = part.viewport().mapTo(seen, part.visualItemRect(end).center())
            assert seen.rect().contains(place)
    panel.grid.setFocus()
    qtbot.waitUntil(panel.grid.hasFocus)
    bar.setValue(0)
    qtbot.keyClick(panel.grid, Qt.Key.Key_End)
    assert seen.rect().contains(panel.grid.viewport().mapTo(seen, panel.grid.cell_rect(5999).center()))


@pytest.mark.parametrize("width", [250, 300, 350, 390])
def test_where_it_is_narrow_the_texts_have_the_room(panel: MemoryPanel, qapp: QApplication, width: int) -> None:
    panel.resize(width, 700)
    qapp.processEvents()
    tree = panel.tree.tree
    assert tree.is_narrow
    # What is no text takes what numbers and chips need, and no share of it.
    others = tree.columnWidth(TOKENS) + tree.columnWidth(USERS)
    assert tree.columnWidth(TEXT) == tree.viewport().width() - others
    assert tree.columnWidth(USERS) < 12 * tree.fontMetrics().averageCharWidth()


def test_who_uses_a_text_is_told_by_chips_where_there_is_no_room_for_names(
    panel: MemoryPanel, qapp: QApplication
) -> None:
    tree = panel.tree.tree
    theme = current_theme()

    def colors(number: int) -> set[str]:
        """Of the owners, in the row of this node."""
        item = panel.tree._items[bytes([number])]
        rect = tree.visualItemRect(item)
        rect.setLeft(tree.columnViewportPosition(USERS))
        image = tree.viewport().grab(rect).toImage()
        drawn = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        return drawn & {theme.owner_color(index).name() for index in range(8)}

    def color(chat: str) -> str:
        return theme.owner_color(panel.owner_color_index(chat)).name()

    panel.resize(300, 700)
    qapp.processEvents()
    assert colors(2) == {color(CHATS[0]), color(CHATS[1])}
    # The first two of five, and how many there are besides.
    assert colors(5) == {color(CHATS[0]), color(CHATS[1])}
    # Nobody now: who was last.
    assert colors(6) == {color(CHATS[6])}
    panel.resize(800, 700)
    qapp.processEvents()
    assert not colors(2)

"""The table of chats takes the height of its rows and rests, however narrow it is and however high the rows are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.visualizer.chat_rows import ChatRow
from app.visualizer.chats_table import ChatsTable
from app.visualizer.owners import Owners

ROWS = [ChatRow(name, "ended", 1234, 1200, 567, 12, 3, 4, 0, 61.0) for name in "abc"]
MOST_RESIZES = 100


class Counter(QObject):
    """Counts how often a widget was given another size; one that never rests is hidden."""

    def __init__(self, table: ChatsTable) -> None:
        super().__init__()
        self.num_resizes = 0
        table.installEventFilter(self)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.num_resizes += 1
            if self.num_resizes > MOST_RESIZES and isinstance(watched, QWidget):
                watched.window().hide()
        return False


class TallScript(QStyledItemDelegate):
    """Rows of a script that stands taller than the letters of the font."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return super().sizeHint(option, index) + QSize(0, 9)


@pytest.mark.parametrize("width_px", range(240, 420, 12))
def test_a_table_with_tall_rows_rests_and_shows_them_all(qtbot: QtBot, width_px: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    table = ChatsTable(Owners())
    table.setItemDelegate(TallScript(table))
    QVBoxLayout(window).addWidget(table)
    counter = Counter(table)
    window.resize(width_px, 400)
    with qtbot.waitExposed(window):
        window.show()
    for num_rows in (1, 3, 2, 3):
        table.show_rows(ROWS[:num_rows])
        qtbot.wait(1)
    assert counter.num_resizes <= MOST_RESIZES
    assert table.verticalScrollBar().maximum() == 0

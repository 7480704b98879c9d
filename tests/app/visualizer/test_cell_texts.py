"""Numbers that run in a list: what is painted again when they change."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.visualizer.cell_texts import write_cells


class _Painted(QObject):
    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self.region = QRegion()
        tree.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region = self.region.united(event.region())
        return False


def test_a_title_that_a_longer_number_cuts_is_painted_whole(qtbot: QtBot) -> None:
    tree = QTreeWidget()
    tree.setColumnCount(2)
    item = QTreeWidgetItem(tree, ["a long title", "9"])
    qtbot.addWidget(tree)
    tree.show()
    tree.grab()
    for number in ("8", "10"):
        painted = _Painted(tree)
        write_cells(tree, [(item, ["a long title", number])])
        title = tree.visualRect(tree.indexFromItem(item, 0))
        qtbot.waitUntil(lambda painted=painted, title=title: painted.region.contains(title.center()))

"""Owns drawing a list's title as far as the row's first number, so that a narrow list cuts as little of it as it must.

Knows nothing of what the rows say.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeWidget

_Index = QModelIndex | QPersistentModelIndex


class WideTitle(QStyledItemDelegate):
    """The first cell takes the empty ones behind it, and what the number behind those, at its right, does not need."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        num_columns = index.model().columnCount()
        filled = (column for column in range(1, num_columns) if index.sibling(index.row(), column).data())
        number = next(filled, num_columns)
        if index.column() > number:
            super().paint(painter, option, index)
            return
        end = self._tree.viewport().width()
        if number < num_columns:
            end = self._number_left(option, index.sibling(index.row(), number), number)
        cell = QRect(option.rect)
        title = QStyleOptionViewItem(option)
        title.rect = QRect(0, cell.y(), end, cell.height())
        # A cell may be painted without the others: each draws what of the title lies in it.
        painter.save()
        painter.setClipRect(title.rect.intersected(cell))
        super().paint(painter, title, index.sibling(index.row(), 0))
        painter.restore()
        if index.column() == number:
            option.rect.setLeft(end)
            super().paint(painter, option, index)

    def _number_left(self, option: QStyleOptionViewItem, index: _Index, column: int) -> int:
        """Where the number begins at most; x in the viewport."""
        spare = self._tree.columnWidth(column) - self.sizeHint(option, index).width()
        return self._tree.columnViewportPosition(column) + max(0, spare)

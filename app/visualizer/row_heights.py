"""Owns how high a list in the memory view is: as all its rows need it, as it is the view around it that scrolls.

Knows nothing of what the rows say.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from app.theme import icon_size_px, theme_signals

_ROW_PADDING_PX = 4


class RowHeights(QObject):
    """Child of a list that never scrolls by itself."""

    row_chosen = Signal(QTreeWidget, QRect)
    """The list, and where in it the row lies that the keys have gone to."""

    def __init__(self, tree: QTreeWidget, min_rows: int) -> None:
        super().__init__(tree)
        self._tree = tree
        self._min_rows = min_rows
        tree.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.itemExpanded.connect(self.fit)
        tree.itemCollapsed.connect(self.fit)
        tree.currentItemChanged.connect(self._on_current_changed)
        # Behind the others: only then are rows of another size laid out.
        theme_signals().theme_settled.connect(self.fit)

    def fit(self) -> None:
        """Makes the list as high as its header and its rows that are not folded away, or as so many rows."""
        tree = self._tree
        # Not by an iterator: PySide keeps each one that was moved on.
        item, num_rows = tree.topLevelItem(0), 0
        while item is not None:
            num_rows += 1
            item = tree.itemBelow(item)
        # Some scripts stand taller than the letters of the font.
        row_px = max(
            tree.fontMetrics().height() + _ROW_PADDING_PX, icon_size_px() + _ROW_PADDING_PX, tree.sizeHintForRow(0)
        )
        height = row_px * max(self._min_rows, num_rows) + tree.header().sizeHint().height() + _ROW_PADDING_PX
        if tree.height() != height or tree.minimumHeight() != height:
            tree.setFixedHeight(height)

    def _on_current_changed(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and self._tree.hasFocus():
            row = self._tree.visualItemRect(item)
            self.row_chosen.emit(self._tree, row.translated(self._tree.viewport().pos()))

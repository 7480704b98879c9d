"""Owns how high a list in the memory view is: as its rows need it, within limits.

Knows nothing of what the rows say.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget

from app.theme import icon_size_px

_ROW_PADDING_PX = 4


def fit_height(tree: QTreeWidget, min_rows: int, max_rows: int) -> None:
    """Make a list as high as its header and its rows that are not folded away; beyond `max_rows` it scrolls."""
    # Not by an iterator: PySide keeps each one that was moved on.
    item, num_rows = tree.topLevelItem(0), 0
    while item is not None and num_rows < max_rows:
        num_rows += 1
        item = tree.itemBelow(item)
    # Some scripts stand taller than the letters of the font.
    row_px = max(
        tree.fontMetrics().height() + _ROW_PADDING_PX, icon_size_px() + _ROW_PADDING_PX, tree.sizeHintForRow(0)
    )
    height = row_px * max(min_rows, num_rows) + tree.header().sizeHint().height() + _ROW_PADDING_PX
    # A bar that is never shown needs no room. With some the other bar would go, and with it the reason for this one.
    has_bar = tree.horizontalScrollBarPolicy() is not Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    if has_bar and tree.horizontalScrollBar().maximum() > 0:
        height += tree.horizontalScrollBar().sizeHint().height()
    if tree.height() != height or tree.minimumHeight() != height:
        tree.setFixedHeight(height)

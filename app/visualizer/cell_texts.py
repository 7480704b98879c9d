"""Owns writing texts into the cells of a list whose numbers run.

Knows nothing of what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

_NUMBER = re.compile(r"[\d,.\u202f ]*")


def write_cells(tree: QTreeWidget, rows: Iterable[tuple[QTreeWidgetItem, Sequence[str]]]) -> bool:
    """Writes those texts that differ; True if columns may need another width.

    Each change that the model tells of has all columns measured. Digits are of one width, so that while every number
    keeps its length they are only painted again. A title may reach into the cells of its numbers and be cut by them, so
    that the rows are painted whole.
    """
    changed = [
        (item, column, text) for item, texts in rows for column, text in enumerate(texts) if item.text(column) != text
    ]
    is_as_wide = all(_is_as_wide(item.text(column), text) for item, column, text in changed)
    model = tree.model()
    model.blockSignals(is_as_wide)
    for item, column, text in changed:
        item.setText(column, text)
    model.blockSignals(False)
    for item, _, _ in changed:
        row = tree.visualItemRect(item)
        tree.viewport().update(0, row.y(), tree.viewport().width(), row.height())
    return not is_as_wide


def _is_as_wide(before: str, after: str) -> bool:
    is_number = _NUMBER.fullmatch(before) is not None and _NUMBER.fullmatch(after) is not None
    return is_number and len(before) == len(after)

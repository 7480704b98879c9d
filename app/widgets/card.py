"""Owns the frame that sets one thing apart from its neighbours.

Knows nothing of its content.
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

PADDING_PX = 16
SPACING_PX = 8


class Card(QFrame):
    """A softly framed surface whose content stands in `column`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(PADDING_PX, PADDING_PX, PADDING_PX, PADDING_PX)
        self.column.setSpacing(SPACING_PX)

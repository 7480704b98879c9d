"""Owns the square beside the words of a legend that looks as a part of a memory bar, as large as the zoom has it.

Knows nothing of what the part is.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme import icon_size_px, theme_signals
from app.visualizer.memory_bar import paint_part


class PartChip(QWidget):
    """A square in a part's colour and pattern."""

    def __init__(self, role: str = "bar_free", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        theme_signals().theme_changed.connect(self._fit)
        self._fit()

    def set_role(self, role: str) -> None:
        self._role = role
        self.update()

    def _fit(self) -> None:
        edge = icon_size_px() * 5 // 8
        self.setFixedSize(edge, edge)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_part(QPainter(self), QRectF(self.rect()), self._role)

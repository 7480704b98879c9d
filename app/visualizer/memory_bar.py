"""Owns one bar that divides the engine's memory into its parts.

Knows only sizes and colours, not what they stand for.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import current_theme, theme_signals

_HEIGHT_PX = 10
_MIN_PART_PX = 2
_GAP_PX = 1
_PATTERNS = {
    "bar_workspace": Qt.BrushStyle.Dense6Pattern,
    "bar_pinned": Qt.BrushStyle.DiagCrossPattern,
    "bar_cached": Qt.BrushStyle.BDiagPattern,
    "bar_others": Qt.BrushStyle.VerPattern,
}
"""Parts are told apart without their colours too."""


def paint_part(painter: QPainter, rect: QRectF, role: str) -> None:
    """Fill a rectangle as the part of this colour role."""
    theme = current_theme()
    painter.fillRect(rect, theme.color(role))
    if role == "bar_free":
        # As free blocks have it: its colour alone would hardly be seen on the panel.
        painter.setPen(QPen(theme.color("block_free_line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    elif role in _PATTERNS:
        painter.fillRect(rect, QBrush(theme.color("page"), _PATTERNS[role]))


class MemoryBar(QWidget):
    """Parts side by side, each as wide as its share; a part that is not empty is always visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[str, int], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_signals().theme_changed.connect(self.update)

    def set_parts(self, parts: Sequence[tuple[str, int]]) -> None:
        """(colour role, size) from left to right."""
        if tuple(parts) != self._parts:
            self._parts = tuple(parts)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = [(role, size) for role, size in self._parts if size > 0]
        total = sum(size for _, size in shown)
        room = self.width() - len(shown) * (_MIN_PART_PX + _GAP_PX)
        painter = QPainter(self)
        left = 0.0
        for role, size in shown:
            width = _MIN_PART_PX + room * size / total
            paint_part(painter, QRectF(left, 0, width, self.height()), role)
            left += width + _GAP_PX

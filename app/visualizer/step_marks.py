"""Owns the marks of the step timeline, what became of chats in the queue: their shapes and colours.

Does not know when anything happened.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from app.theme import current_theme

Mark = Literal["resumed", "recomputed", "swapped"]

MARK_PX = 7
_HALF = MARK_PX / 2
_SHAPES: dict[Mark, tuple[str, tuple[tuple[float, float], ...]]] = {
    "resumed": ("ok", ((-_HALF, MARK_PX), (_HALF, MARK_PX), (0, 0))),
    "recomputed": ("error", ((-_HALF, 0), (_HALF, 0), (0, MARK_PX))),
    "swapped": ("warning", ((-_HALF, 0), (_HALF, 0), (_HALF, MARK_PX), (-_HALF, MARK_PX))),
}
"""A triangle up: back again; down: preempted and to be computed again; a square: swapped out."""


def paint_mark(painter: QPainter, mark: Mark, middle: float, top: float = 0.0) -> None:
    """`MARK_PX` high and wide, with its middle at the x `middle`."""
    role, points = _SHAPES[mark]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(current_theme().color(role))
    painter.drawPolygon(QPolygonF([QPointF(middle + x, top + y) for x, y in points]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

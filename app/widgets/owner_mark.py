"""Owns what tells owners of the same colour apart: a corner of another tone, the same in the grid, lists and tabs.

Does not know who owns what, nor the shape that it is drawn on.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from app.theme import Theme

CORNER_PART = 0.55
"""Of a side that the corner takes; the middle stays free for what else is drawn there."""
_MARKED_RADIUS = 1.0
"""Of a chip with corners, which rounding would take away."""


def mark_color(theme: Theme, fill: QColor) -> QColor:
    """The tone of the two there are that has the higher contrast to this colour; at least 4.5:1."""
    dark, bright = theme.color("block_mark"), theme.color("block_bright")
    return max(dark, bright, key=lambda tone: contrast(tone, fill))


def paint_corners(painter: QPainter, rect: QRectF, corners: int, color: QColor) -> None:
    """`corners` are the theme's for the owner: 1 marks the upper left one, 2 the lower left one, 3 both."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    side = CORNER_PART * rect.width()
    for bit, corner, down in ((1, rect.topLeft(), side), (2, rect.bottomLeft(), -side)):
        if corners & bit:
            painter.drawPolygon(QPolygonF([corner, corner + QPointF(side, 0), corner + QPointF(0, down)]))


def paint_chip(painter: QPainter, rect: QRectF, radius: float, theme: Theme, owner_index: int, outline: QColor) -> None:
    """A chip of the owner's colour; a rounded one if the owner is the first of this colour."""
    fill, corners = theme.owner_color(owner_index), theme.owner_corners(owner_index)
    path = QPainterPath()
    radius = _MARKED_RADIUS if corners else radius
    path.addRoundedRect(rect, radius, radius)
    painter.fillPath(path, fill)
    painter.save()
    painter.setClipPath(path)
    paint_corners(painter, rect, corners, mark_color(theme, fill))
    painter.restore()
    painter.setPen(QPen(outline, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of WCAG 2, from 1 to 21."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def luminance(color: QColor) -> float:
    """Relative luminance of WCAG 2."""
    levels = (color.redF(), color.greenF(), color.blueF())
    parts = [level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

"""Owns the small mark of a tab: what its chat is doing, on a chip of its owner's colour.

Does not know the tab.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from app.state.session import Phase
from app.theme import Theme, icon_size_px
from app.widgets.icons import drawn_once
from app.widgets.owner_mark import mark_color, paint_chip

_EDGE = 16.0
_IDLE_INSET = 4.0


def tab_mark(phase: Phase, theme: Theme, owner_index: int, pixel_ratio: float) -> QIcon:
    """● streaming, ◐ prefill, ‖ waiting, ⇅ swapped out, ! failed; an idle chat has a smaller chip without a mark."""
    edge_px = icon_size_px()
    chip, corners = theme.owner_color(owner_index), theme.owner_corners(owner_index)
    key = ("tab mark", phase, chip.rgba(), corners, theme.name, edge_px, pixel_ratio)
    return drawn_once(key, lambda: _drawn(phase, theme, owner_index, edge_px, pixel_ratio))


def _drawn(phase: Phase, theme: Theme, owner_index: int, edge_px: int, pixel_ratio: float) -> QIcon:
    chip = theme.owner_color(owner_index)
    pixmap = QPixmap(round(edge_px * pixel_ratio), round(edge_px * pixel_ratio))
    pixmap.setDevicePixelRatio(pixel_ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(edge_px / _EDGE, edge_px / _EDGE)
    inset = _IDLE_INSET if phase is Phase.IDLE else 0.5
    rect = QRectF(inset, inset, _EDGE - 2 * inset, _EDGE - 2 * inset)
    paint_chip(painter, rect, 3, theme, owner_index, theme.color("muted"))
    _draw_mark(painter, phase, mark_color(theme, chip))
    painter.end()
    return QIcon(pixmap)


def _draw_mark(painter: QPainter, phase: Phase, color: QColor) -> None:
    center = QPointF(_EDGE / 2, _EDGE / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    match phase:
        case Phase.STREAMING | Phase.THINKING:
            painter.drawEllipse(center, 4, 4)
        case Phase.PREFILL | Phase.SENT:
            painter.drawPie(QRectF(4, 4, 8, 8), 90 * 16, 180 * 16)
            painter.setPen(QPen(color, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(center, 4, 4)
        case Phase.WAITING:
            painter.drawRect(QRectF(5, 4, 2, 8))
            painter.drawRect(QRectF(9, 4, 2, 8))
        case Phase.SWAPPED:
            painter.drawPolygon([QPointF(5, 4), QPointF(7.5, 8), QPointF(2.5, 8)])
            painter.drawRect(QRectF(4.2, 8, 1.6, 4))
            painter.drawPolygon([QPointF(11, 12), QPointF(13.5, 8), QPointF(8.5, 8)])
            painter.drawRect(QRectF(10.2, 4, 1.6, 4))
        case Phase.FAILED:
            painter.drawRect(QRectF(7, 3, 2, 6))
            painter.drawRect(QRectF(7, 11, 2, 2))

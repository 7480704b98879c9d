"""Owns the small mark of a tab: what its chat is doing, on a chip of its owner's colour.

Does not know the tab.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from app.state.session import Phase
from app.widgets.icons import drawn_once

_EDGE = 16.0
_MIN_LUMINANCE_FOR_BLACK = 0.18
"""Above this relative luminance black has more contrast than white."""
_DARK_MARK = Qt.GlobalColor.black
_LIGHT_MARK = Qt.GlobalColor.white


def tab_mark(phase: Phase, chip: QColor, outline: QColor, edge_px: int, pixel_ratio: float) -> QIcon:
    """● streaming, ◐ prefill, ‖ waiting, ⇅ swapped out, ! failed; an idle chat has a smaller chip without a mark."""
    key = ("tab mark", phase, chip.rgba(), outline.rgba(), edge_px, pixel_ratio)
    return drawn_once(key, lambda: _drawn(phase, chip, outline, edge_px, pixel_ratio))


def _drawn(phase: Phase, chip: QColor, outline: QColor, edge_px: int, pixel_ratio: float) -> QIcon:
    pixmap = QPixmap(round(edge_px * pixel_ratio), round(edge_px * pixel_ratio))
    pixmap.setDevicePixelRatio(pixel_ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(edge_px / _EDGE, edge_px / _EDGE)
    inset = 4.5 if phase is Phase.IDLE else 0.5
    painter.setPen(QPen(outline, 1))
    painter.setBrush(chip)
    painter.drawRoundedRect(QRectF(inset, inset, _EDGE - 2 * inset, _EDGE - 2 * inset), 3, 3)
    color = QColor(_DARK_MARK if _luminance(chip) > _MIN_LUMINANCE_FOR_BLACK else _LIGHT_MARK)
    _draw_mark(painter, phase, color)
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


def _luminance(color: QColor) -> float:
    """Relative luminance of WCAG 2."""
    levels = (color.redF(), color.greenF(), color.blueF())
    parts = [level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

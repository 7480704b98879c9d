"""Owns how a cell of the block grid is drawn: one small picture per look, made once.

Knows neither where cells lie nor what blocks are for.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.theme import Theme
from app.visualizer.block_model import BlockKind

_STRIPE_PART = 0.4
_BRIGHTER = 0.45
_DIMMER = 0.82
_LIGHT = 0.4
_SMALLEST_WITH_LOCK_PX = 9


@dataclass(frozen=True, slots=True)
class CellLook:
    """All that decides a cell's picture; owners as colour indexes."""

    kind: BlockKind
    owner_indexes: tuple[int, ...] = ()
    is_bright: bool = False
    is_dimmed: bool = False
    is_pinned: bool = False


class CellTiles:
    """Pictures of cells with an edge of `edge_px` device pixels in one theme."""

    def __init__(self, theme: Theme, edge_px: int, scale: float = 1.0) -> None:
        self.edge_px = edge_px
        self._theme = theme
        self._line_px = max(1, round(scale * (2 if edge_px >= 10 * scale else 1)))
        self._tiles: dict[CellLook, QPixmap] = {}

    def tile(self, look: CellLook) -> QPixmap:
        found = self._tiles.get(look)
        if found is None:
            found = self._tiles[look] = self._draw(look)
        return found

    def _draw(self, look: CellLook) -> QPixmap:
        edge = self.edge_px
        pixmap = QPixmap(edge, edge)
        ground = self._theme.color("block_free")
        pixmap.fill(ground)
        if look.kind is BlockKind.FREE:
            return pixmap
        colors = [self._color(index, look) for index in look.owner_indexes]
        if not colors:
            colors = [self._shade(self._theme.color("block_plain"), look)]
        painter = QPainter(pixmap)
        if look.kind is BlockKind.SHARED:
            self._draw_stripes(painter, colors)
        elif look.kind is BlockKind.SWAPPED:
            self._draw_hatch(painter, colors[0])
        else:
            painter.fillRect(0, 0, edge, edge, colors[0])
            if look.kind is BlockKind.CACHED:
                line = self._line_px
                painter.fillRect(line, line, edge - 2 * line, edge - 2 * line, ground)
            for index in look.owner_indexes[:1]:
                self._draw_pattern(painter, index, colors[0], look.kind)
        if look.is_pinned:
            self._draw_lock(painter)
        painter.end()
        return pixmap

    def _draw_stripes(self, painter: QPainter, colors: list[QColor]) -> None:
        """Diagonals x + y = constant; narrow enough that every owner has one."""
        width = max(1, min(round(_STRIPE_PART * self.edge_px), (2 * self.edge_px - 1) // len(colors)))
        for y in range(self.edge_px):
            for x in range(self.edge_px):
                painter.fillRect(x, y, 1, 1, colors[(x + y) // width % len(colors)])

    def _draw_hatch(self, painter: QPainter, color: QColor) -> None:
        """Thin diagonals of both directions."""
        step = max(3, round(self.edge_px / 3))
        for y in range(self.edge_px):
            for x in range(self.edge_px):
                if (x + y) % step == 0 or (x - y) % step == 0:
                    painter.fillRect(x, y, 1, 1, color)

    def _draw_lock(self, painter: QPainter) -> None:
        """A padlock in the lower right corner, set off from whatever is beneath it; in small cells a corner."""
        width = max(4, round(self.edge_px * 0.46))
        body, bow = max(2, round(width * 0.6)), max(2, round(width * 0.5))
        left, top = self.edge_px - width, self.edge_px - body
        mark, ground = self._theme.color("block_mark"), self._theme.color("block_bright")
        if self.edge_px < _SMALLEST_WITH_LOCK_PX:
            corner = max(2, self.edge_px // 3)
            painter.fillRect(self.edge_px - corner - 1, self.edge_px - corner - 1, corner + 1, corner + 1, ground)
            painter.fillRect(self.edge_px - corner, self.edge_px - corner, corner, corner, mark)
            return
        painter.fillRect(left - 1, top - bow - 1, width + 1, body + bow + 1, ground)
        painter.fillRect(left, top, width, body, mark)
        thickness = max(1, width // 5)
        painter.fillRect(left + thickness, top - bow, thickness, bow, mark)
        painter.fillRect(self.edge_px - 2 * thickness, top - bow, thickness, bow, mark)
        painter.fillRect(left + thickness, top - bow, width - 2 * thickness, thickness, mark)

    def _draw_pattern(self, painter: QPainter, index: int, fill: QColor, kind: BlockKind) -> None:
        """Tell apart the owners that share a colour: a bar above, a bar at the left, or both; clear of the centre."""
        round_ = index // len(self._theme.owners)
        offset, thickness = self.edge_px // 5, max(1, self.edge_px // 7)
        opposite = self._theme.color("block_mark" if fill.lightnessF() > _LIGHT else "block_bright")
        mark = fill if kind is BlockKind.CACHED else opposite
        if round_ % 4 in (1, 3):
            painter.fillRect(QRect(0, offset, self.edge_px, thickness), mark)
        if round_ % 4 in (2, 3):
            painter.fillRect(QRect(offset, 0, thickness, self.edge_px), mark)

    def _color(self, index: int, look: CellLook) -> QColor:
        return self._shade(self._theme.owner_color(index), look)

    def _shade(self, color: QColor, look: CellLook) -> QColor:
        if look.is_bright:
            color = _mixed(color, self._theme.color("block_bright"), _BRIGHTER)
        return _mixed(color, self._theme.color("block_free"), _DIMMER) if look.is_dimmed else color


def _mixed(color: QColor, other: QColor, part: float) -> QColor:
    return QColor.fromRgbF(
        color.redF() + (other.redF() - color.redF()) * part,
        color.greenF() + (other.greenF() - color.greenF()) * part,
        color.blueF() + (other.blueF() - color.blueF()) * part,
    )

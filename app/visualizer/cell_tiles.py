"""Owns how a cell of the block grid is drawn: one small picture per look, made once.

Knows neither where cells lie nor what blocks are for.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.theme import Theme
from app.visualizer.block_model import BlockKind
from app.widgets.owner_mark import mark_color, paint_corners

_STRIPE_PART = 0.4
_BRIGHTER = 0.45
_DIMMER = 0.82
_DASH_PX = 2
_SMALLEST_WITH_LOCK_PX = 9
_FREE_DOT_PART = 0.25


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
        self._thin_px = max(1, round(scale))
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
            self._draw_free(pixmap, self._shade(self._theme.color("block_free_line"), look))
            return pixmap
        colors = [self._color(index, look) for index in look.owner_indexes]
        if not colors:
            colors = [self._shade(self._theme.color("block_plain"), look)]
        painter = QPainter(pixmap)
        if look.kind is BlockKind.SHARED:
            self._draw_stripes(painter, colors, look)
        elif look.kind is BlockKind.SWAPPED:
            self._draw_hatch(painter, colors[0])
        else:
            painter.fillRect(0, 0, edge, edge, colors[0])
            if look.kind is BlockKind.CACHED:
                line = self._line_px
                painter.fillRect(line, line, edge - 2 * line, edge - 2 * line, ground)
        if look.kind is not BlockKind.SHARED:
            for index in look.owner_indexes[:1]:
                self._draw_corners(painter, index, colors[0], look)
        if look.is_pinned:
            self._draw_lock(painter)
        painter.end()
        return pixmap

    def _draw_free(self, pixmap: QPixmap, color: QColor) -> None:
        """A dot: thousands of outlines would be louder than the blocks that are held."""
        dot = max(self._thin_px, round(self.edge_px * _FREE_DOT_PART))
        painter = QPainter(pixmap)
        painter.fillRect((self.edge_px - dot) // 2, (self.edge_px - dot) // 2, dot, dot, color)
        painter.end()

    def _draw_stripes(self, painter: QPainter, colors: list[QColor], look: CellLook) -> None:
        """Diagonals x + y = constant; narrow enough that every owner has one. Those of marked owners are dashed."""
        marks = [self._stripe_mark(index, color, look) for index, color in zip(look.owner_indexes, colors, strict=True)]
        width = max(1, min(round(_STRIPE_PART * self.edge_px), (2 * self.edge_px - 1) // len(colors)))
        for y in range(self.edge_px):
            for x in range(self.edge_px):
                owner = (x + y) // width % len(colors)
                mark, corners = marks[owner]
                is_dash = corners and (x - y) // _DASH_PX % (corners + 1) == 0
                painter.fillRect(x, y, 1, 1, mark if is_dash else colors[owner])

    def _stripe_mark(self, index: int, fill: QColor, look: CellLook) -> tuple[QColor, int]:
        return self._mark(fill, look), self._theme.owner_corners(index)

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

    def _draw_corners(self, painter: QPainter, index: int, fill: QColor, look: CellLook) -> None:
        """Tell apart the owners that share a colour; on what is hollow in that colour itself."""
        mark = self._mark(fill, look) if look.kind is BlockKind.HELD else fill
        rect = QRectF(0, 0, self.edge_px, self.edge_px)
        paint_corners(painter, rect, self._theme.owner_corners(index), mark)

    def _mark(self, fill: QColor, look: CellLook) -> QColor:
        mark = mark_color(self._theme, fill)
        return _mixed(mark, self._theme.color("block_free"), _DIMMER) if look.is_dimmed else mark

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

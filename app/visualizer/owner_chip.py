"""Owns the small picture by which a list shows whose cells are meant, or of what kind.

Knows neither lists nor the grid.
"""

from __future__ import annotations

from PySide6.QtGui import QIcon

from app.theme import current_theme, icon_size_px
from app.visualizer.block_model import BlockKind
from app.visualizer.cell_tiles import CellLook, CellTiles
from app.widgets.icons import drawn_once

_PART_OF_ICON = 0.75


def owner_chip(color_index: int, scale: float) -> QIcon:
    """A cell of an owner, as an icon for a screen with `scale` device pixels per pixel."""
    return look_chip(CellLook(BlockKind.HELD, (color_index,)), scale)


def look_chip(look: CellLook, scale: float) -> QIcon:
    """A cell of this look as an icon."""
    edge_px = round(icon_size_px() * _PART_OF_ICON * scale)
    return drawn_once((look, edge_px, scale), lambda: _drawn(look, edge_px, scale))


def _drawn(look: CellLook, edge_px: int, scale: float) -> QIcon:
    pixmap = CellTiles(current_theme(), edge_px, scale).tile(look).copy()
    pixmap.setDevicePixelRatio(scale)
    icon = QIcon(pixmap)
    # A selected row keeps the chip's true colour.
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon

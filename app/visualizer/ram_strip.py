"""Owns the strip of blocks that are not in the pool: swapped-out chats' blocks, which lie in other memory meanwhile.

Knows nothing of the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.i18n import translate
from app.theme import current_theme, theme_signals
from app.visualizer.block_model import BlockKind
from app.visualizer.cell_tiles import CellLook, CellTiles
from app.visualizer.owners import Owners
from app.widgets.text_label import TextLabel

_CELL_PX = 10
_GAP_PX = 1
_MAX_ROWS = 3


class RamStrip(QWidget):
    """Hidden while nothing is swapped out."""

    def __init__(self, owners: Owners, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = owners
        self._swapped: tuple[tuple[str, int], ...] = ()
        self.label = TextLabel("", "muted")
        self._cells = _Cells(owners.color_index)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.label)
        column.addWidget(self._cells)
        self.hide()

    def show_swapped(self, swapped: Sequence[tuple[str, int]]) -> None:
        """(owner, number of blocks) of each sequence that is swapped out."""
        self._swapped = tuple(swapped)
        self._cells.show_owners([owner for owner, num_blocks in swapped for _ in range(num_blocks)])
        self.label.setText(self.text())
        self._cells.setAccessibleName(self.text())
        self.setVisible(bool(swapped))

    def text(self) -> str:
        """`In RAM: Trip plan 12, Regex help 4 blocks`; empty while nothing is swapped out."""
        if not self._swapped:
            return ""
        num_blocks = sum(count for _, count in self._swapped)
        chats = ", ".join(f"{self._owners.title(owner)} {count:,}" for owner, count in self._swapped)
        return translate("app", "Swapped out, in RAM: {chats} of %n block(s)", None, num_blocks).format(chats=chats)


class _Cells(QWidget):
    """One cell a block; what does not fit some rows is left out, its number stands above."""

    def __init__(self, color_index: Callable[[str], int]) -> None:
        super().__init__()
        self._color_index = color_index
        self._blocks: list[str] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme_signals().theme_changed.connect(self.update)

    def show_owners(self, blocks: list[str]) -> None:
        if blocks != self._blocks:
            self._blocks = blocks
            self.updateGeometry()
            self.update()

    def _num_columns(self, width: int) -> int:
        return max(1, (width + _GAP_PX) // (_CELL_PX + _GAP_PX))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        num_rows = min(_MAX_ROWS, -(-max(1, len(self._blocks)) // self._num_columns(width)))
        return num_rows * (_CELL_PX + _GAP_PX)

    def sizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(120, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        scale = self.devicePixelRatioF()
        tiles = CellTiles(current_theme(), round(_CELL_PX * scale), scale)
        painter = QPainter(self)
        num_columns = self._num_columns(self.width())
        for place, owner in enumerate(self._blocks[: num_columns * _MAX_ROWS]):
            row, column = divmod(place, num_columns)
            tile = tiles.tile(CellLook(BlockKind.SWAPPED, (self._color_index(owner),))).copy()
            tile.setDevicePixelRatio(scale)
            painter.drawPixmap(column * (_CELL_PX + _GAP_PX), row * (_CELL_PX + _GAP_PX), tile)

"""Owns the block grid: one cell per block in physical order, its cursor, its hover text and its filter.

Knows neither the engine nor the sums over the pool; what a block is comes from `block_model`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.i18n import translate
from app.theme import current_theme, theme_signals
from app.visualizer.block_model import BlockCell, BlockKind, BlockTable, changed_blocks
from app.visualizer.block_text import describe_block
from app.visualizer.cell_tiles import CellLook, CellTiles
from app.visualizer.grid_geometry import GridGeometry, choose_geometry, whole_geometry
from app.visualizer.owners import Owners
from app.widgets.motion import prefers_reduced_motion
from app.widgets.screen_change import redraw_on_other_screen
from engine.messages import BlockSnapshot

BRIGHT_MS = 140
_MANY_CELLS = 256
_MIN_HEIGHT_PX = 32

BlockFilter = str | BlockKind
"""What stands out: the blocks of one owner, or those of one kind."""


class BlockGrid(QAbstractScrollArea):
    """Paints only cells that changed, into a picture of the visible part."""

    described = Signal(str)
    """The words for the block under the cursor or the mouse; empty when there is none."""
    pointed = Signal(object)
    """The block under the cursor or the mouse has changed; None when there is none."""
    cursor_moved = Signal(QRect)
    """Where the cell lies that the keys have gone to."""
    opened = Signal(int)
    """A block was clicked, or Enter was pressed on it: what is known of it should stay in sight."""

    def __init__(self, owners: Owners | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = owners if owners is not None else Owners()
        self._table: BlockTable | None = None
        self._filter: BlockFilter | None = None
        self._cursor: int | None = None
        self._pointed: int | None = None
        self._bright: set[int] = set()
        self._max_height_px: int | None = None
        self._geometry = GridGeometry(0, 1, 1, 1)
        self._tiles = CellTiles(current_theme(), 1)
        self._picture = QPixmap()
        self._calm_timer = QTimer(self, singleShot=True, interval=BRIGHT_MS)
        self._calm_timer.timeout.connect(self._on_calmed)
        self._height_timer = QTimer(self, singleShot=True, interval=0)
        self._height_timer.timeout.connect(self._lay_out)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(translate("app", "Block grid"))
        self.setAccessibleDescription(
            translate("app", "One cell for each memory block. The arrow keys go from block to block, Enter opens one.")
        )
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._repaint_all)
        theme_signals().theme_changed.connect(self._lay_out)
        redraw_on_other_screen(self, self._lay_out)

    def show_snapshot(self, snapshot: BlockSnapshot) -> None:
        """Show a newer state of the pool."""
        before, self._table = self._table, BlockTable(snapshot)
        changed = changed_blocks(before, self._table)
        was_bright, self._bright = self._bright, self._written_blocks()
        if self._bright:
            self._calm_timer.start()
        if before is None or len(before) != len(self._table):
            self._cursor = None
            self._lay_out()
            if self.hasFocus():
                self._start_cursor()
            return
        self._repaint({*changed, *(was_bright ^ self._bright)})
        if self._cursor is not None:
            self._describe(self._cursor)

    def limit_height(self, height_px: int) -> None:
        """Let the grid take no more height than this, if that can be, and no more than it needs."""
        if height_px != self._max_height_px:
            self._max_height_px = height_px
            self._lay_out()

    def clear(self) -> None:
        """Show no pool."""
        self._table = None
        self._cursor = self._pointed = None
        self._bright = set()
        self._lay_out()

    def set_filter(self, shown: BlockFilter | None) -> None:
        """Let the blocks of one owner or kind stand out; None shows all alike."""
        if shown != self._filter:
            self._filter = shown
            self._repaint_all()

    def description(self, block_id: int) -> str:
        """The words for a block, as hover and the arrow keys give them."""
        assert self._table is not None, "no snapshot is shown"
        return describe_block(self._table, block_id, self._owners.title)

    def cell_rect(self, block_id: int) -> QRect:
        """Where a block's cell lies in the viewport, in logical pixels (outside of it when scrolled away)."""
        x_px, y_px = self._geometry.position(block_id)
        scale, edge_px = self.devicePixelRatioF(), self._geometry.cell_px
        left, top = x_px / scale, (y_px - self._scroll_px()) / scale
        return QRect(QPoint(int(left), int(top)), QPoint(int(left + edge_px / scale), int(top + edge_px / scale)))

    def block_at(self, point: QPoint) -> int | None:
        """The block at a point of the viewport."""
        scale = self.devicePixelRatioF()
        return self._geometry.block_at(int(point.x() * scale), int(point.y() * scale) + self._scroll_px())

    def _written_blocks(self) -> set[int]:
        assert self._table is not None
        written = self._table.snapshot.written
        if not any(written) or prefers_reduced_motion():
            return set()
        return {block for block, is_written in enumerate(written) if is_written}

    def _on_calmed(self) -> None:
        calmed, self._bright = self._bright, set()
        self._repaint(calmed)

    def _scroll_px(self) -> int:
        return self.verticalScrollBar().value() * self._geometry.pitch_px

    def _lay_out(self) -> None:
        """Choose the size of cells anew: the pool, the room or the look has changed."""
        if self._max_height_px is not None:
            self._fix_height(self._max_height_px)
        # Only now: another height lays out the cells from inside.
        self._lay_out_cells()

    def _num_blocks(self) -> int:
        return 0 if self._table is None else len(self._table)

    def _lay_out_cells(self) -> None:
        scale, num_blocks, room = self.devicePixelRatioF(), self._num_blocks(), self.viewport().size()
        self._geometry = choose_geometry(num_blocks, room.width(), room.height(), scale)
        self._tiles = CellTiles(current_theme(), self._geometry.cell_px, scale)
        self._picture = QPixmap(round(room.width() * scale), round(room.height() * scale))
        self._picture.setDevicePixelRatio(1.0)
        num_visible_rows = self._picture.height() // self._geometry.pitch_px
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, num_visible_rows))
        bar.setRange(0, max(0, self._geometry.num_rows - num_visible_rows))
        self._repaint_all()

    def _fix_height(self, max_height_px: int) -> None:
        """As high as the whole pool in the largest cells with which it keeps the limit, or in the smallest there are.

        Never to be scrolled by itself: whoever sets the limit scrolls it, together with what stands below.
        """
        scale, num_blocks, width_px = self.devicePixelRatioF(), self._num_blocks(), self.viewport().width()
        whole_px = math.ceil(whole_geometry(num_blocks, width_px, max_height_px, scale).height_px / scale)
        self.setFixedHeight(max(whole_px, _MIN_HEIGHT_PX))

    def _repaint_all(self) -> None:
        if self._picture.isNull():
            return
        self._picture.fill(current_theme().color("panel"))
        if self._table is not None:
            visible, pool = self._visible_blocks(), self._table.snapshot
            self._paint_free(visible)
            self._paint_cells(block for block in visible if pool.ref_counts[block] or pool.is_cached[block])
        self.viewport().update()

    def _paint_free(self, blocks: range) -> None:
        """Whole rows at once, as if all were free: most of a large pool is."""
        if not blocks:
            return
        geometry, theme = self._geometry, current_theme()
        cell = QPixmap(geometry.pitch_px, geometry.pitch_px)
        cell.fill(theme.color("panel"))
        painter = QPainter(cell)
        painter.drawPixmap(0, 0, self._tiles.tile(self._look(BlockCell(BlockKind.FREE), False)))
        painter.end()
        top = geometry.position(blocks.start)[1] - self._scroll_px()
        num_rows, num_over = divmod(len(blocks), geometry.num_columns)
        pitch = geometry.pitch_px
        painter = QPainter(self._picture)
        painter.drawTiledPixmap(0, top, geometry.num_columns * pitch, num_rows * pitch, cell)
        painter.drawTiledPixmap(0, top + num_rows * pitch, num_over * pitch, pitch, cell)
        painter.end()

    def _repaint(self, blocks: Iterable[int]) -> None:
        visible = self._visible_blocks()
        shown = [block for block in blocks if block in visible]
        self._paint_cells(shown)
        if len(shown) > _MANY_CELLS:
            self.viewport().update()
            return
        for block in shown:
            self.viewport().update(self.cell_rect(block))

    def _visible_blocks(self) -> range:
        if self._table is None:
            return range(0)
        top = self._scroll_px()
        return self._geometry.blocks_between(top, top + self._picture.height())

    def _paint_cells(self, blocks: Iterable[int]) -> None:
        if self._table is None or self._picture.isNull():
            return
        painter = QPainter(self._picture)
        scroll_px, table = self._scroll_px(), self._table
        # Few distinct states stand for many blocks.
        tiles: dict[object, QPixmap] = {}
        for block in blocks:
            is_bright = block in self._bright
            state = (table.state(block), is_bright)
            if (tile := tiles.get(state)) is None:
                tile = tiles[state] = self._tiles.tile(self._look(table.cell(block), is_bright))
            x_px, y_px = self._geometry.position(block)
            painter.drawPixmap(x_px, y_px - scroll_px, tile)
        painter.end()

    def _look(self, cell: BlockCell, is_bright: bool) -> CellLook:
        indexes = tuple(self._owners.color_index(owner) for owner in cell.owners)
        return CellLook(cell.kind, indexes, is_bright, not self._stands_out(cell), cell.is_pinned)

    def _stands_out(self, cell: BlockCell) -> bool:
        if self._filter is None:
            return True
        if self._filter is BlockKind.PINNED:
            return cell.is_pinned
        return cell.kind is self._filter if isinstance(self._filter, BlockKind) else self._filter in cell.owners

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        scale = self.devicePixelRatioF()
        self._picture.setDevicePixelRatio(scale)
        painter.drawPixmap(0, 0, self._picture)
        self._picture.setDevicePixelRatio(1.0)
        if self._cursor is not None and self.hasFocus():
            # Two tones, so that it is seen on a cell of any colour.
            for role, width in (("page", 4), ("text", 2)):
                painter.setPen(QPen(current_theme().color(role), width))
                painter.drawRect(self.cell_rect(self._cursor))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out_cells()
        if event.size().width() != event.oldSize().width():
            # A height that changed within this event would leave the viewport with the former one.
            self._height_timer.start()

    def sizeHint(self) -> QSize:
        return QSize(280, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, _MIN_HEIGHT_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        num_columns = self._geometry.num_columns
        page = num_columns * self.verticalScrollBar().pageStep()
        last = self._geometry.num_blocks - 1
        moves = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -num_columns,
            Qt.Key.Key_Down: num_columns,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -last,
            Qt.Key.Key_End: last,
        }
        move = moves.get(Qt.Key(event.key()))
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._cursor is not None:
            self.opened.emit(self._cursor)
            return
        if move is None or last < 0:
            super().keyPressEvent(event)
            return
        if self._cursor is None:
            self._start_cursor()
        elif abs(move) < num_columns or event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._move_cursor(max(0, min(last, self._cursor + move)))
        elif 0 <= self._cursor + move <= last:
            self._move_cursor(self._cursor + move)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._start_cursor()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._describe(self.block_at(event.position().toPoint()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        block = self.block_at(event.position().toPoint())
        if block is not None:
            self._move_cursor(block)
            self.opened.emit(block)

    def leaveEvent(self, event: QEvent) -> None:
        self._describe(self._cursor)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            block = self.block_at(event.pos())
            QToolTip.showText(event.globalPos(), "" if block is None else self.description(block), self.viewport())
            return True
        return super().viewportEvent(event)

    def _start_cursor(self) -> None:
        if self._cursor is None and (visible := self._visible_blocks()):
            self._move_cursor(visible.start)

    def _move_cursor(self, block_id: int) -> None:
        self._cursor = block_id
        row, bar = block_id // self._geometry.num_columns, self.verticalScrollBar()
        bar.setValue(max(row - bar.pageStep() + 1, min(row, bar.value())))
        if self.hasFocus():
            self.cursor_moved.emit(self.cell_rect(block_id))
        self._describe(block_id)
        self.viewport().update()

    def _describe(self, block_id: int | None) -> None:
        text = "" if block_id is None else self.description(block_id)
        if block_id is not None and block_id == self._cursor and text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.described.emit(text)
        if block_id != self._pointed:
            self._pointed = block_id
            self.pointed.emit(block_id)

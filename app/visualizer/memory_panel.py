"""Owns the memory view: sums, block grid and legend of the loaded model's pool.

Knows the engine only by its messages; shows what they hold and nothing beyond.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from app.visualizer.block_grid import BlockGrid
from app.visualizer.block_model import BlockTable, PoolCounts
from app.visualizer.memory_numbers import MemoryNumbers, MemorySums
from app.visualizer.owner_table import OwnerTable
from app.visualizer.owners import Owners
from app.widgets.text_label import TextLabel
from engine.messages import BlockSnapshot, EngineStats, ModelLoaded

TEXT_INTERVAL_MS = 200
"""Cells follow every snapshot; numbers change no faster than they can be read."""
_NO_MODEL = "No model is loaded. Load one to see where its memory goes."
_EXPLANATION = "Each square is a block of {size} tokens of a chat's memory."
_HINT = "Point at a block, or go through them with the arrow keys."


class MemoryPanel(QWidget):
    """Give it every `ModelLoaded`, `EngineStats` and `BlockSnapshot`; ask for snapshots while it is watched."""

    watch_changed = Signal(bool)
    """The view became visible or hidden: turn block snapshots on or off."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = Owners()
        self._model: ModelLoaded | None = None
        self._stats: EngineStats | None = None
        self._snapshot: BlockSnapshot | None = None
        self._open_owners: frozenset[str] = frozenset()
        self.numbers = MemoryNumbers()
        self.grid = BlockGrid(self._owners)
        self.table = OwnerTable(self._owners)
        self._explanation = TextLabel("", "muted")
        self._detail = TextLabel(_HINT, "muted")
        self._text_timer = QTimer(self, singleShot=True, interval=TEXT_INTERVAL_MS)
        self._text_timer.timeout.connect(self._show_texts)
        self.grid.described.connect(self._on_block_described)
        self.table.filter_changed.connect(self.grid.set_filter)
        self._build()

    def show_model(self, model: ModelLoaded | None) -> None:
        """The model that is loaded now, or None. What was known of another one's pool is dropped."""
        self._model = model
        self._stats = None
        self._snapshot = None
        self._text_timer.stop()
        self.grid.clear()
        self.table.show_counts(PoolCounts(0, 0, 0, 0, {}))
        self._pages.setCurrentIndex(0 if model is None else 1)
        self._show_texts()

    def show_stats(self, stats: EngineStats) -> None:
        self._stats = stats
        self._ask_for_texts()

    def show_snapshot(self, snapshot: BlockSnapshot) -> None:
        """Repaint the changed cells now, the numbers a little later; not if it is of another model than is loaded."""
        if self._model is None or snapshot.model_id != self._model.model_id:
            return
        self._snapshot = snapshot
        self.grid.show_snapshot(snapshot)
        self._ask_for_texts()

    def set_owner_titles(self, titles: dict[str, str]) -> None:
        """Owner id -> chat title."""
        self._owners.set_titles(titles)
        self._ask_for_texts()

    def set_open_owners(self, owners: Iterable[str]) -> None:
        """The owners that have a tab: they keep their colours whether or not they have blocks."""
        self._open_owners = frozenset(owners)
        self._ask_for_texts()

    def owner_color_index(self, owner: str) -> int:
        """The index for `Theme.owner_color` of this owner, the same for as long as it has a tab or blocks."""
        return self._owners.color_index(owner)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.watch_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.watch_changed.emit(False)

    def sizeHint(self) -> QSize:
        # Wide enough for rows of 32 cells.
        return QSize(400, 720)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fix_detail_height()

    def _fix_detail_height(self) -> None:
        # Two lines always, so that the grid does not jump while the mouse goes over it; some scripts stand taller.
        self._detail.setFixedHeight(round(2.5 * self.fontMetrics().lineSpacing()))

    def _build(self) -> None:
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        nothing = TextLabel(_NO_MODEL, "muted")
        nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._fix_detail_height()
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._explanation)
        column.addWidget(self.numbers)
        column.addWidget(_line())
        column.addWidget(self.grid, 3)
        column.addWidget(self._detail)
        column.addWidget(_line())
        column.addWidget(self.table, 2)
        self._pages = QStackedWidget()
        self._pages.addWidget(nothing)
        self._pages.addWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(12, 12, 12, 12)
        outer.addWidget(self._pages)

    def _ask_for_texts(self) -> None:
        if not self._text_timer.isActive():
            self._text_timer.start()

    def _show_texts(self) -> None:
        counts = None if self._snapshot is None else BlockTable(self._snapshot).counts()
        self._owners.forget_all_but(self._open_owners.union(() if counts is None else counts.by_owner))
        if self._model is None:
            return
        model, stats = self._model, self._stats
        self._explanation.setText(_EXPLANATION.format(size=model.block_size))
        if counts is not None:
            self.table.show_counts(counts)
        block_bytes = model.block_size * model.kv_bytes_per_token
        if stats is not None:
            used, cached, free = stats.num_referenced_blocks, stats.num_cached_blocks, stats.num_free_blocks
        elif counts is not None:
            used, cached, free = counts.num_used, counts.num_cached, counts.num_free
        else:
            used, cached, free = 0, 0, model.num_blocks
        self.numbers.show_sums(MemorySums(model.weight_bytes, block_bytes, used, cached, free))

    def _on_block_described(self, text: str) -> None:
        self._detail.setText(text or _HINT)


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("kind", "line")
    return line

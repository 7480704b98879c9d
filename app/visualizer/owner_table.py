"""Owns the legend: a row per chat with its colour and its blocks, rows for cached and free, and the choice among them.

Knows neither the grid nor where the counts come from.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.i18n import translate
from app.theme import theme_signals
from app.visualizer.block_model import BlockKind, OwnerCounts, PoolCounts
from app.visualizer.cell_texts import write_cells
from app.visualizer.cell_tiles import CellLook
from app.visualizer.memory_numbers import cached_words
from app.visualizer.owner_chip import look_chip
from app.visualizer.owners import Owners
from app.visualizer.row_heights import RowHeights
from app.visualizer.wide_title import WideTitle
from app.widgets.screen_change import redraw_on_other_screen

_NUM_COLUMNS = 4
_KEY_ROLE = Qt.ItemDataRole.UserRole
_MIN_ROWS = 3


class OwnerTable(QTreeWidget):
    """The chosen row's blocks stand out; a second click or the space bar takes the choice back."""

    filter_changed = Signal(object)
    """An owner's id, a `BlockKind`, or None for all blocks."""

    def __init__(self, owners: Owners, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = owners
        self._rows: dict[str | BlockKind, QTreeWidgetItem] = {}
        self._chosen: str | BlockKind | None = None
        self.setProperty("kind", "dense")
        self.setAccessibleName(translate("app", "Blocks of each chat"))
        self.setColumnCount(_NUM_COLUMNS)
        self.setHeaderLabels(self.headers())
        self.setItemDelegate(WideTitle(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.heights = RowHeights(self, _MIN_ROWS)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(16)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionsMovable(False)
        notes = (
            translate("app", "Blocks that only this chat uses now"),
            translate("app", "Blocks that this chat uses now together with others"),
            translate("app", "{words}; the sum stands below").format(words=cached_words()),
        )
        for column in range(1, _NUM_COLUMNS):
            self.headerItem().setToolTip(column, notes[column - 1])
            self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.itemSelectionChanged.connect(self._on_selection_changed)
        theme_signals().theme_changed.connect(self._redraw_chips)
        redraw_on_other_screen(self, self._redraw_chips)

    @staticmethod
    def headers() -> list[str]:
        return [
            translate("app", "chat"),
            translate("app", "own"),
            translate("app", "shared"),
            translate("app", "cached"),
        ]

    def text(self) -> str:
        """Header and rows, columns parted by tabs."""
        items = sorted(self._rows.values(), key=self.indexOfTopLevelItem)
        rows = [[item.text(column) for column in range(_NUM_COLUMNS)] for item in items]
        return "\n".join("\t".join(row) for row in [self.headers(), *rows])

    def show_counts(self, counts: PoolCounts) -> None:
        """Show the blocks of every owner in the pool, those in use first; rows of owners that are gone go too."""
        owners = [owner for owner, _ in sorted(counts.by_owner.items(), key=self._rank)]
        # That of pinned blocks too, so that what stands below does not move when there are some.
        kinds = (BlockKind.SHARED, BlockKind.CACHED, BlockKind.PINNED, BlockKind.FREE)
        keys: list[str | BlockKind] = [*owners, *kinds]
        was_blocked = self.blockSignals(True)
        for gone in self._rows.keys() - set(keys):
            self.takeTopLevelItem(self.indexOfTopLevelItem(self._rows.pop(gone)))
        for place, key in enumerate(keys):
            self._put(place, key)
        cells = []
        for owner in owners:
            blocks = counts.by_owner[owner]
            numbers = blocks.num_own, blocks.num_shared, blocks.num_cached
            cells.append(self._cells(owner, self._owners.title(owner), *numbers))
        cells += [
            self._cells(BlockKind.SHARED, translate("app", "shared by chats"), None, counts.num_shared, None),
            self._cells(BlockKind.CACHED, translate("app", "cached, all chats"), None, None, counts.num_cached),
            self._cells(BlockKind.PINNED, translate("app", "pinned, %n block(s)", None, counts.num_pinned_blocks)),
            self._cells(BlockKind.FREE, translate("app", "free")),
        ]
        write_cells(self, cells)
        # Taking a row out moves the selection to a neighbour.
        self.clearSelection()
        if self._chosen in self._rows:
            self._rows[self._chosen].setSelected(True)
        self.blockSignals(was_blocked)
        self.heights.fit()
        self._on_selection_changed()

    def row(self, key: str | BlockKind) -> QTreeWidgetItem | None:
        """The row of an owner's id or of a kind."""
        return self._rows.get(key)

    def _rank(self, entry: tuple[str, OwnerCounts]) -> tuple[int, int]:
        owner, blocks = entry
        # By colour index, so that rows do not jump while numbers run.
        return (0 if blocks.num_own or blocks.num_shared else 1, self._owners.color_index(owner))

    def _put(self, place: int, key: str | BlockKind) -> None:
        """Bring the row of `key` to its place, making it if need be."""
        item = self._rows.get(key)
        if item is None:
            item = self._rows[key] = QTreeWidgetItem()
            item.setData(0, _KEY_ROLE, key)
            item.setIcon(0, self._chip(key))
            for column in range(1, _NUM_COLUMNS):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.insertTopLevelItem(place, item)
        elif (now := self.indexOfTopLevelItem(item)) != place:
            self.takeTopLevelItem(now)
            self.insertTopLevelItem(place, item)

    def _cells(self, key: str | BlockKind, title: str, *numbers: int | None) -> tuple[QTreeWidgetItem, list[str]]:
        item = self._rows[key]
        item.setToolTip(0, title)
        return item, [title, *("" if number is None else f"{number:,}" for number in numbers)]

    def _on_selection_changed(self) -> None:
        selected = self.selectedItems()
        key = selected[0].data(0, _KEY_ROLE) if selected else None
        if key != self._chosen:
            self._chosen = key
            self.filter_changed.emit(key)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        if item is None or item.isSelected():
            self.clearSelection()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.selectedItems():
            self.clearSelection()
        else:
            super().keyPressEvent(event)

    def _redraw_chips(self) -> None:
        for key, item in self._rows.items():
            item.setIcon(0, self._chip(key))

    def _chip(self, key: str | BlockKind) -> QIcon:
        if key is BlockKind.SHARED:
            look = CellLook(key, (0, 1))
        elif key is BlockKind.PINNED:
            look = CellLook(BlockKind.CACHED, is_pinned=True)
        elif isinstance(key, BlockKind):
            look = CellLook(key)
        else:
            look = CellLook(BlockKind.HELD, (self._owners.color_index(key),))
        return look_chip(look, self.devicePixelRatioF())

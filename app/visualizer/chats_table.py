"""Owns the table of chats as the engine sees them: state, tokens, blocks, what the cache saved, and the pace.

Knows neither where the numbers come from nor the block grid.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.i18n import translate
from app.theme import icon_size_px, theme_signals
from app.visualizer.cell_texts import write_cells
from app.visualizer.chat_rows import ChatRow
from app.visualizer.owner_chip import owner_chip
from app.visualizer.owners import Owners
from app.visualizer.row_heights import RowHeights
from app.widgets.screen_change import redraw_on_other_screen

_KEY_ROLE = Qt.ItemDataRole.UserRole
_NUM_COLUMNS = 7
_MIN_ROWS = 1
_MIN_TITLE_CHARACTERS = 14
_LEAST_FIRST = (6, 5, 4, 3)
"""Columns that give way to the title where the table is narrow; the legend of the blocks has the first two as well."""


class ChatsTable(QTreeWidget):
    """A row keeps its place for as long as its chat keeps its state. Narrow, it leaves out what matters least."""

    def __init__(self, owners: Owners, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = owners
        self._rows: list[ChatRow] = []
        self.setProperty("kind", "dense")
        self.setAccessibleName(translate("app", "Chats in the engine"))
        self.setColumnCount(_NUM_COLUMNS)
        # Short ones: seven columns are to fit a panel of the usual width.
        short = {2: translate("app", "t/s", "tokens per second"), 3: translate("app", "tok", "tokens")}
        self.setHeaderLabels([short.get(column, words) for column, words in enumerate(self.headers())])
        notes = (
            "",
            translate("app", "What the engine does with it now"),
            translate("app", "Tokens per second of this answer"),
            translate("app", "Tokens of prompt and answer"),
            translate("app", "Tokens of the prompt that were in memory already, so that they were not computed again"),
            translate("app", "Blocks that only this chat uses now"),
            translate("app", "Blocks that this chat uses now together with others"),
        )
        for column, note in enumerate(notes):
            self.headerItem().setToolTip(column, note)
            if column > 1:
                self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.heights = RowHeights(self, _MIN_ROWS)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(16)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        theme_signals().theme_changed.connect(self._redraw_chips)
        redraw_on_other_screen(self, self._redraw_chips)

    @staticmethod
    def headers() -> list[str]:
        return [
            translate("app", "chat"),
            translate("app", "state"),
            translate("app", "tok/s"),
            translate("app", "tokens"),
            translate("app", "saved"),
            translate("app", "own"),
            translate("app", "shared"),
        ]

    def show_rows(self, rows: Sequence[ChatRow]) -> None:
        while self.topLevelItemCount() > len(rows):
            self.takeTopLevelItem(self.topLevelItemCount() - 1)
        cells = []
        for place, row in enumerate(rows):
            item = self.topLevelItem(place)
            if item is None:
                item = QTreeWidgetItem(self)
                for column in range(2, _NUM_COLUMNS):
                    item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if item.data(0, _KEY_ROLE) != row.owner:
                item.setData(0, _KEY_ROLE, row.owner)
                item.setIcon(0, self._chip(row.owner))
            cells.append((item, self._texts(row)))
            item.setToolTip(0, self._owners.title(row.owner))
            item.setToolTip(1, state_note(row))
        are_others = len(rows) != len(self._rows)
        self._rows = list(rows)
        if write_cells(self, cells) or are_others:
            self._share_width()
        self.heights.fit()

    def text(self) -> str:
        """Header and rows, columns parted by tabs."""
        return "\n".join("\t".join(line) for line in [self.headers(), *map(self._texts, self._rows)])

    def _texts(self, row: ChatRow) -> list[str]:
        return [
            self._owners.title(row.owner),
            state_words(row),
            "" if row.tokens_per_s is None else f"{row.tokens_per_s:.0f}",
            f"{row.num_tokens:,}",
            f"{row.num_saved_tokens:,}",
            f"{row.num_own:,}",
            f"{row.num_shared:,}",
        ]

    def _chip(self, owner: str) -> QIcon:
        return owner_chip(self._owners.color_index(owner), self.devicePixelRatioF())

    def _redraw_chips(self) -> None:
        for place in range(self.topLevelItemCount()):
            item = self.topLevelItem(place)
            assert item is not None, f"no row {place} of {self.topLevelItemCount()}"
            item.setIcon(0, self._chip(item.data(0, _KEY_ROLE)))

    def _min_title_px(self) -> int:
        return icon_size_px() + _MIN_TITLE_CHARACTERS * self.fontMetrics().averageCharWidth()

    def _share_width(self) -> None:
        """The title gets what the others leave; there are as many of those as leave it enough."""
        # Rows that are not laid out yet count for nothing.
        self.executeDelayedItemsLayout()
        header = self.header()
        for column in _LEAST_FIRST:
            # A hidden one would be measured without its header.
            self.setColumnHidden(column, False)
        widths = {
            column: max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in range(1, _NUM_COLUMNS)
        }
        hidden: set[int] = set()
        left_px = self.viewport().width() - sum(widths.values())
        for column in _LEAST_FIRST:
            if left_px >= self._min_title_px():
                break
            hidden.add(column)
            left_px += widths[column]
        for column in hidden:
            self.setColumnHidden(column, True)
        for column, width_px in widths.items():
            self.setColumnWidth(column, width_px)
        self.setColumnWidth(0, max(self._min_title_px(), left_px))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self.heights.fit()


def state_words(row: ChatRow) -> str:
    """What the engine does with a chat."""
    match row.state:
        case "decode":
            return translate("app", "writing")
        case "prefill":
            return translate("app", "reading")
        case "swapped":
            return translate("app", "swapped")
        case "waiting":
            return translate("app", "waiting")
        case "ended":
            return translate("app", "at rest")


def state_note(row: ChatRow) -> str:
    """More of it, where there is more to say."""
    if row.state != "swapped":
        return ""
    return translate("app", "%n block(s) lie in RAM until there is room again", None, row.num_ram_blocks)

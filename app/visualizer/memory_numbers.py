"""Owns the sums of the memory view: weights, workspace and the KV pool's parts, in bytes and blocks, as one bar.

Knows nothing of single blocks or of chats.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.i18n import translate
from app.theme import icon_size_px, theme_signals
from app.visualizer.memory_bar import MemoryBar, paint_part
from app.widgets.screen_change import redraw_on_other_screen
from app.widgets.units import memory_size, with_digits_grouped

_ROLES = ("bar_weights", "bar_workspace", "bar_used", "bar_pinned", "bar_cached", "bar_free")


def cached_words() -> str:
    """What cached blocks are."""
    return translate("app", "Kept from earlier, and reused if a chat begins the same")


@dataclass(frozen=True, slots=True)
class MemorySums:
    """What is to be shown. Blocks are all of `block_bytes`; `num_pinned` ones are cached, and not counted there."""

    weight_bytes: int
    workspace_bytes: int
    block_bytes: int
    num_used: int
    num_pinned: int
    num_cached: int
    num_free: int


class MemoryNumbers(QWidget):
    """A bar and a row for each of its parts, so that what stands below never moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(translate("app", "Memory"))
        self._words = (
            translate("app", "weights"),
            translate("app", "workspace"),
            translate("app", "KV used"),
            translate("app", "KV pinned"),
            translate("app", "KV cached"),
            translate("app", "KV free"),
        )
        kv = translate("app", "KV: what the model keeps of the texts that it has read, so as not to read them again")
        pinned = translate(
            "app",
            "Pinned: kept until you unpin it or unload the model, also where room is short; used ones count as used",
        )
        notes = (
            translate("app", "The model itself"),
            translate("app", "Room to compute in: what a step needs besides, at most"),
            f"{kv}\n{translate('app', 'Used: blocks of answers that run')}",
            f"{kv}\n{pinned}",
            f"{kv}\n{cached_words()}",
            f"{kv}\n{translate('app', 'Free: room for more text of chats')}",
        )
        self._bar = MemoryBar()
        self._cells: list[tuple[QLabel, QLabel, QLabel, QLabel]] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, (word, note) in enumerate(zip(self._words, notes, strict=True)):
            chip, label, size, blocks = QLabel(), QLabel(word), QLabel(), QLabel()
            blocks.setProperty("kind", "muted")
            grid.addWidget(chip, row, 0)
            grid.addWidget(label, row, 1)
            grid.addWidget(size, row, 2, right)
            grid.addWidget(blocks, row, 3, right)
            for cell in (chip, label, size, blocks):
                cell.setToolTip(note)
            self._cells.append((chip, label, size, blocks))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._bar)
        column.addLayout(grid)
        theme_signals().theme_changed.connect(self._draw_chips)
        redraw_on_other_screen(self, self._draw_chips)
        self._draw_chips()

    def show_sums(self, sums: MemorySums) -> None:
        numbers = (None, None, sums.num_used, sums.num_pinned, sums.num_cached, sums.num_free)
        fixed = iter((sums.weight_bytes, sums.workspace_bytes))
        sizes = [next(fixed) if number is None else number * sums.block_bytes for number in numbers]
        self._bar.set_parts(list(zip(_ROLES, sizes, strict=True)))
        for cells, number, size in zip(self._cells, numbers, sizes, strict=True):
            cells[2].setText(memory_size(size))
            words = "" if number is None else translate("app", "%n block(s)", None, number)
            cells[3].setText(words if number is None else with_digits_grouped(words, number))
        self.setAccessibleDescription(", ".join(self.texts()))

    def texts(self) -> list[str]:
        """The rows as a person reads them: `KV used 12 MiB 24 blocks`."""
        return [f"{word.text()} {size.text()} {blocks.text()}".rstrip() for _, word, size, blocks in self._cells]

    def _draw_chips(self) -> None:
        scale = self.devicePixelRatioF()
        edge = round(icon_size_px() * 0.6 * scale)
        for (chip, *_), role in zip(self._cells, _ROLES, strict=True):
            pixmap = QPixmap(edge, edge)
            painter = QPainter(pixmap)
            paint_part(painter, QRectF(0, 0, edge, edge), role)
            painter.end()
            pixmap.setDevicePixelRatio(scale)
            chip.setPixmap(pixmap)

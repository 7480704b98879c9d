"""Owns the sums of the memory view: weights and the KV pool's parts, as one bar and in bytes and blocks.

Knows nothing of single blocks or of chats.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.theme import current_theme, icon_size_px, theme_signals
from app.visualizer.memory_bar import MemoryBar
from app.widgets.units import count, memory_size

_ROWS = (
    ("weights", "bar_weights"),
    ("KV used", "bar_used"),
    ("KV cached", "bar_cached"),
    ("KV free", "bar_free"),
)


CACHED_WORDS = "Kept from earlier, and reused if a chat begins the same"
_NOTES = {"weights": "The model itself", "KV cached": CACHED_WORDS}


@dataclass(frozen=True, slots=True)
class MemorySums:
    """What is to be shown. Blocks are all of `block_bytes`."""

    weight_bytes: int
    block_bytes: int
    num_used: int
    num_cached: int
    num_free: int


class MemoryNumbers(QWidget):
    """A bar and a row for each of its parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Memory")
        self._bar = MemoryBar()
        self._chips: list[QLabel] = []
        self._sizes: list[QLabel] = []
        self._blocks: list[QLabel] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (word, _) in enumerate(_ROWS):
            chip, size, blocks = QLabel(), QLabel(), QLabel()
            blocks.setProperty("kind", "muted")
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(chip, row, 0)
            label = QLabel(word)
            for cell in (label, size, blocks):
                cell.setToolTip(_NOTES.get(word, ""))
            grid.addWidget(label, row, 1)
            grid.addWidget(size, row, 2, right)
            grid.addWidget(blocks, row, 3, right)
            self._chips.append(chip)
            self._sizes.append(size)
            self._blocks.append(blocks)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._bar)
        column.addLayout(grid)
        theme_signals().theme_changed.connect(self._draw_chips)
        self._draw_chips()

    def show_sums(self, sums: MemorySums) -> None:
        numbers = (None, sums.num_used, sums.num_cached, sums.num_free)
        sizes = [sums.weight_bytes if number is None else number * sums.block_bytes for number in numbers]
        self._bar.set_parts([(role, size) for (_, role), size in zip(_ROWS, sizes, strict=True)])
        for row, (number, size) in enumerate(zip(numbers, sizes, strict=True)):
            self._sizes[row].setText(memory_size(size))
            self._blocks[row].setText("" if number is None else count(number, "block"))
        self.setAccessibleDescription(", ".join(self.texts()))

    def texts(self) -> list[str]:
        """The rows as a person reads them: `KV used 12 MiB 24 blocks`."""
        words = [word for word, _ in _ROWS]
        rows = zip(words, self._sizes, self._blocks, strict=True)
        return [f"{word} {size.text()} {blocks.text()}".rstrip() for word, size, blocks in rows]

    def _draw_chips(self) -> None:
        scale = self.devicePixelRatioF()
        edge = round(icon_size_px() * 0.6 * scale)
        for chip, (_, role) in zip(self._chips, _ROWS, strict=True):
            pixmap = QPixmap(edge, edge)
            pixmap.fill(current_theme().color(role))
            pixmap.setDevicePixelRatio(scale)
            chip.setPixmap(pixmap)

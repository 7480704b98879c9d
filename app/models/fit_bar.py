"""Owns the bar that divides this machine's free memory between a model and its tabs, with its legend in words.

Knows nothing of plans; it is given parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.models.fit import FitPart
from app.visualizer.memory_bar import MemoryBar
from app.visualizer.part_chip import PartChip
from app.widgets.flow import Flow
from app.widgets.units import memory_size


class FitBar(QWidget):
    """`weights | 3 chats of 8,192 tokens | workspace | free`, each part named beneath with its size."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = MemoryBar()
        self._legend = Flow()
        self._entries: list[_Entry] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._bar)
        column.addWidget(self._legend)

    def set_parts(self, parts: Sequence[FitPart]) -> None:
        """From left to right; none hides the bar."""
        self._bar.set_parts([(part.role, part.size_bytes) for part in parts])
        while len(self._entries) < len(parts):
            self._entries.append(_Entry())
            self._legend.add(self._entries[-1])
        for place, entry in enumerate(self._entries):
            entry.setVisible(place < len(parts))
            if place < len(parts):
                entry.show_part(parts[place])
        self._legend.refresh()
        self.setVisible(bool(parts))
        self.setAccessibleName(self.text())

    def text(self) -> str:
        """The bar in words."""
        return " · ".join(entry.text() for entry in self._entries if not entry.isHidden())


class _Entry(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._chip = PartChip()
        self._label = QLabel()
        self._label.setProperty("kind", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._chip)
        row.addWidget(self._label)

    def show_part(self, part: FitPart) -> None:
        self._chip.set_role(part.role)
        self._label.setText(f"{part.words} {memory_size(part.size_bytes)}")

    def text(self) -> str:
        return self._label.text()

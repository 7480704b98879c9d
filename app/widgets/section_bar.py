"""Owns the row of words at the head of a page, of which one is chosen.

Knows nothing of what they stand for.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget


class SectionBar(QWidget):
    """`chosen` is emitted only for what a person chose."""

    chosen = Signal(int)

    def __init__(self, words: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for place, word in enumerate(words):
            button = QToolButton()
            button.setCheckable(True)
            button.setText(word)
            button.setAccessibleName(word)
            self._group.addButton(button, place)
            row.addWidget(button)
        row.addStretch(1)
        self._group.idClicked.connect(self.chosen)

    def button(self, place: int) -> QToolButton:
        button = self._group.button(place)
        assert isinstance(button, QToolButton), f"no section {place}"
        return button

    def take_focus(self) -> None:
        """Puts the focus on the section that is shown."""
        if (button := self._group.checkedButton()) is not None:
            button.setFocus()

    def show_current(self, place: int) -> None:
        self.button(place).setChecked(True)

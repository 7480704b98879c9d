"""Owns cards of equal width side by side, or one below the other where there is no room.

Knows nothing of the cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.theme import theme_signals

_MIN_CARD_CHARACTERS = 32
_SPACING_PX = 16


class CardRow(QWidget):
    """A row that becomes a column when it is narrow."""

    def __init__(self, cards: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = cards
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(_SPACING_PX)
        for card in cards:
            self._box.addWidget(card, 1)
        theme_signals().theme_changed.connect(self._arrange)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        # A card that needs more than its share would take it from the others.
        widest = max(card.minimumSizeHint().width() for card in self._cards)
        share = max(widest, _MIN_CARD_CHARACTERS * self.fontMetrics().averageCharWidth()) + _SPACING_PX
        narrow = self.width() + _SPACING_PX < len(self._cards) * share
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

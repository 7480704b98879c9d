"""Owns the ground on which a chat's messages stand, made so that growing and scrolling paint no more than is new.

Does not know the messages.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpacerItem, QVBoxLayout, QWidget

from app.theme import current_theme

MARGIN_PX = 16
_MESSAGE_GAP_PX = 24


class TranscriptPage(QWidget):
    """Fills itself: nothing below it is painted, and Qt moves its pixels when it is scrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        keep_pixels(self)
        self.content = QWidget()
        keep_pixels(self.content)
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(0, MARGIN_PX, 0, MARGIN_PX)
        self.column.setSpacing(_MESSAGE_GAP_PX)
        self._tail = QSpacerItem(0, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Expanding)
        row = self.row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
        row.addStretch(1)
        # The column takes all there is up to its maximum; only what is over goes to the sides.
        row.addWidget(self.content, 10_000)
        row.addStretch(1)

    def end_column(self) -> None:
        """What is over goes below all that stands in the column by now."""
        self.column.addItem(self._tail)

    def leave_below(self, height_px: int) -> None:
        """Leaves at least so much empty below the messages."""
        self._tail.changeSize(0, max(0, height_px), QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Expanding)
        self.column.invalidate()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), current_theme().color("page"))


def keep_pixels(widget: QWidget) -> None:
    """Lets a widget that got higher paint only what it gained: else all of it would be painted again."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)

"""Owns the ground on which a chat's messages stand, made so that growing and scrolling paint no more than is new.

Does not know the messages.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme import current_theme


class TranscriptPage(QWidget):
    """Fills itself: nothing below it is painted, and Qt moves its pixels when it is scrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        keep_pixels(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), current_theme().color("page"))


def keep_pixels(widget: QWidget) -> None:
    """Lets a widget that got higher paint only what it gained: else all of it would be painted again."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)

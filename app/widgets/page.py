"""Owns a page of the centre: one scrolling column of readable width.

Knows nothing of its content.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.theme import theme_signals

_MARGIN_PX = 24
_SPACING_PX = 8
_MAX_CHARACTERS = 110


class Page(QWidget):
    """Content goes into `column`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = QWidget()
        self.column = QVBoxLayout(self._content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_SPACING_PX)
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        row.addStretch(1)
        row.addWidget(self._content, 1000)
        row.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(middle)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        theme_signals().theme_changed.connect(self._limit_width)
        self._limit_width()

    def _limit_width(self) -> None:
        self._content.setMaximumWidth(self.fontMetrics().averageCharWidth() * _MAX_CHARACTERS)

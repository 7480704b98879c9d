"""Owns a paragraph of plain text that wraps.

Knows nothing of the text; its look is a kind of the stylesheet (`title`, `heading`, `muted`, `error` …).
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.units import with_good_breaks

_MIN_CHARACTERS = 12


class TextLabel(QLabel):
    """Plain text that wraps within the width it is given, not between a number and its unit, and can be copied."""

    def __init__(self, text: str = "", kind: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        # Before the wrapping, which adds that the height follows the width.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if kind is not None:
            self.setProperty("kind", kind)

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        self._text = text
        super().setText(with_good_breaks(text))

    def text(self) -> str:
        """As it was given."""
        return self._text

    def minimumSizeHint(self) -> QSize:
        # One long word must not widen the whole page.
        whole = super().minimumSizeHint()
        return QSize(min(whole.width(), self.fontMetrics().averageCharWidth() * _MIN_CHARACTERS), whole.height())

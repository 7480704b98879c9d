"""Owns a paragraph of plain text that wraps.

Knows nothing of the text; its look is a kind of the stylesheet (`title`, `heading`, `muted`, `error` …).
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_MIN_CHARACTERS = 12


class TextLabel(QLabel):
    """Plain text that wraps within the width it is given and can be selected and copied."""

    def __init__(self, text: str = "", kind: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        # Before the wrapping, which adds that the height follows the width.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if kind is not None:
            self.setProperty("kind", kind)

    def minimumSizeHint(self) -> QSize:
        # One long word must not widen the whole page.
        whole = super().minimumSizeHint()
        return QSize(min(whole.width(), self.fontMetrics().averageCharWidth() * _MIN_CHARACTERS), whole.height())

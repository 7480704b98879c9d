"""Owns a muted line that says something for a moment.

Does not know what it says.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.widgets.text_label import TextLabel

_SHOWN_MS = 6000


class Hint(TextLabel):
    """Hidden but for the moment."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "muted", parent)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def show_words(self, words: str) -> None:
        self.setText(words)
        self.setVisible(bool(words))
        self._timer.start()

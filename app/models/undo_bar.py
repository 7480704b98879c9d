"""Owns the line that says what was done and takes it back.

Does not know what was done.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from app.i18n import translate
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel


class UndoBar(QFrame):
    """Hidden until there is something to take back; the next thing replaces it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._undo: Callable[[], None] | None = None
        self.label = TextLabel()
        self.button = QPushButton(translate("app", "Undo"))
        self.button.clicked.connect(self._on_pressed)
        close = QToolButton()
        close.setAccessibleName(translate("app", "Hide this message"))
        close.setToolTip(translate("app", "Hide this message"))
        show_icon(close, "close")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        row.addWidget(close)
        self.hide()

    def offer(self, text: str, undo: Callable[[], None] | None = None) -> None:
        """`undo` None: it is only told."""
        self._undo = undo
        self.label.setText(text)
        self.button.setVisible(undo is not None)
        self.show()

    def _on_pressed(self) -> None:
        self.hide()
        if self._undo is not None:
            self._undo()

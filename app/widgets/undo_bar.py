"""Owns the line that says what was just taken away, and brings it back.

Does not know what it was; it is given words and an action.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from app.i18n import translate
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel

_SHOWN_MS = 15_000
_MARGIN_PX = 8


class UndoBar(QFrame):
    """Shows one message for a while; the next one replaces it. Hidden while there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._undo: Callable[[], object] | None = None
        self.label = TextLabel()
        self.undo_button = QPushButton(translate("app", "Undo"))
        self.undo_button.clicked.connect(self._on_undo)
        close = QToolButton()
        close.setToolTip(translate("app", "Hide this message"))
        close.setAccessibleName(translate("app", "Hide this message"))
        show_icon(close, "close")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, _MARGIN_PX // 2)
        row.addWidget(self.label, 1)
        row.addWidget(self.undo_button)
        row.addWidget(close)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self._on_time)
        self.hide()

    def show_message(self, words: str, what: str, undo: Callable[[], object]) -> None:
        """`what` was taken away stands in the tip: there is little room."""
        self.label.setText(words)
        self.label.setToolTip(what)
        self.undo_button.setAccessibleName(f"{translate('app', 'Undo')}: {words}, {what}")
        self._undo = undo
        self.undo_button.show()
        self.show()
        self._timer.start()

    def show_note(self, words: str, what: str) -> None:
        """Of what needs no undoing."""
        self.show_message(words, what, lambda: None)
        self.undo_button.hide()

    def show_progress(self, words: str) -> None:
        """Of what goes on; stays until another message comes or it is hidden."""
        self.show_note(words, "")
        self._timer.stop()

    def _on_undo(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()

    def _on_time(self) -> None:
        # Not while a person is about to press it.
        if self.undo_button.hasFocus() or self.underMouse():
            self._timer.start()
        else:
            self.hide()

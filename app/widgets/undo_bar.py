"""Owns the line that says what was just taken away, and brings it back.

Does not know what it was; it is given words and an action. What was taken away can be had back after the line is gone,
by the window's key for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from app.i18n import translate
from app.widgets.focus import holds_focus
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel

_SHOWN_MS = 120_000
_NOTE_SHOWN_MS = 15_000
_MARGIN_PX = 8


class UndoBar(QFrame):
    """Shows one message for a while; the next one replaces it. Hidden while there is none.

    Deletions are taken back one after the other, the last one first.
    """

    focus_freed = Signal()
    """It goes and had the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._undo: Callable[[], object] | None = None
        """Of the message that is shown."""
        self._deletions: list[tuple[float, Callable[[], object]]] = []
        """The times, on the monotonic clock, and how they are taken back."""
        self.label = TextLabel()
        self.undo_button = QPushButton(translate("app", "Undo"))
        self.undo_button.clicked.connect(self._on_undo)
        close = self.close_button = QToolButton()
        close.setToolTip(translate("app", "Hide this message"))
        close.setAccessibleName(translate("app", "Hide this message"))
        show_icon(close, "close")
        close.clicked.connect(self._go)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, _MARGIN_PX // 2)
        row.addWidget(self.label, 1)
        row.addWidget(self.undo_button)
        row.addWidget(close)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_time)
        self.hide()

    @property
    def deleted_at_s(self) -> float:
        """When the last deletion was that can be taken back, on the monotonic clock; 0 if there is none."""
        return self._deletions[-1][0] if self._deletions else 0.0

    def show_message(self, words: str, what: str, undo: Callable[[], object]) -> None:
        """`what` was taken away stands in the tip: there is little room."""
        self._deletions.append((time.monotonic(), undo))
        self.show_offer(words, what, undo)
        self.undo_button.setToolTip(translate("app", "Undo (Ctrl+Z)"))

    def show_offer(self, words: str, what: str, undo: Callable[[], object]) -> None:
        """Of what was no deletion: only the button here takes it back."""
        self._show(words, what, _SHOWN_MS)
        self.undo_button.setAccessibleName(f"{translate('app', 'Undo')}: {words}, {what}")
        self.undo_button.setToolTip("")
        self._undo = undo
        self.undo_button.show()

    def show_note(self, words: str, what: str) -> None:
        """Of what needs no undoing."""
        self._show(words, what, _NOTE_SHOWN_MS)
        self._undo = None
        self.undo_button.hide()

    def show_progress(self, words: str) -> None:
        """Of what goes on; stays until another message comes or it is hidden."""
        self.show_note(words, "")
        self._timer.stop()

    def remember(self, seconds_ago: float, undo: Callable[[], object]) -> None:
        """Of a deletion of an earlier start: nothing is shown, but it can be had back."""
        self._deletions.append((time.monotonic() - seconds_ago, undo))

    def undo_deletion(self) -> None:
        """Takes the last deletion back, if there is one."""
        if self._deletions:
            self._take_back(self._deletions[-1][1])

    def withdraw(self, undo: Callable[[], object]) -> None:
        """What it would take back is settled in another way."""
        self._deletions = [deletion for deletion in self._deletions if deletion[1] is not undo]
        if undo is self._undo:
            self._undo = None
            self._go()

    def forget(self) -> None:
        """Nothing can be had back any more."""
        self._deletions.clear()
        self._undo = None
        self._go()

    def _go(self) -> None:
        if holds_focus(self):
            # Else Qt gives it to whatever comes next.
            self.focus_freed.emit()
        self.hide()

    def _show(self, words: str, what: str, shown_ms: int) -> None:
        self.label.setText(words)
        self.label.setToolTip(what)
        self.show()
        self._timer.start(shown_ms)

    def _on_undo(self) -> None:
        if self._undo is not None:
            self._take_back(self._undo)

    def _take_back(self, undo: Callable[[], object]) -> None:
        self.withdraw(undo)
        undo()

    def _on_time(self) -> None:
        # Not while a person is about to press it.
        if self.undo_button.hasFocus() or self.underMouse():
            self._timer.start()
        else:
            self._go()

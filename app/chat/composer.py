"""Owns the field in which a message is written.

Does not know what happens to the text: it emits it, and whoever takes it clears the field.
"""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.i18n import translate

MAX_LINES = 8
MAX_PASTED_CHARACTERS = 4000
MAX_PASTED_LINES = 60
"""A longer pasted text becomes an attachment."""
_DOCUMENT_MARGIN_PX = 4
_SEND_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class Composer(QPlainTextEdit):
    """Enter sends, Shift+Enter breaks the line. Grows with its text up to eight lines, or a part of the window."""

    submitted = Signal(str)
    files_given = Signal(list)
    """Paths of files and folders that were dropped or pasted, whatever is in them."""
    long_text_given = Signal(str)
    """A pasted text that would fill the field many times over."""

    def __init__(self, window_part: float = 0.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._window_part = window_part
        self.can_be_empty = False
        """Whether a message without text may be sent, as something goes with it."""
        self._preedit = ""
        """What an input method is composing: on the screen, but not in the text."""
        self.setPlaceholderText(translate("app", "Message"))
        self.setAccessibleName(translate("app", "Message"))
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(_DOCUMENT_MARGIN_PX)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(self._fit)
        self._fit()

    def submit(self) -> None:
        """Emits the text, unless there is none or an input method has not finished its part."""
        if self._preedit:
            QGuiApplication.inputMethod().commit()
        text = _without_blank_ends(self.toPlainText())
        if (text or self.can_be_empty) and not self._preedit:
            self.submitted.emit(text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_undo = event.matches(QKeySequence.StandardKey.Undo)
            if is_undo and not self.document().isUndoAvailable():
                # Nothing here can be taken back, so the key is the window's.
                event.ignore()
                return False
        return super().event(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._preedit = event.preeditString()
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _SEND_KEYS and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            # While an input method composes, Enter is its own key: it chooses a candidate.
            if not self._preedit:
                self.submit()
            event.accept()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802 - Qt's name
        return bool(files_in(source)) or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's name
        text = source.text()
        if files := files_in(source):
            self.files_given.emit(files)
        elif len(text) > MAX_PASTED_CHARACTERS or text.count("\n") >= MAX_PASTED_LINES:
            self.long_text_given.emit(text)
        elif text:
            self.insertPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        # Measured, not counted: a line with characters of another script is higher.
        last = self.blockBoundingGeometry(self.document().lastBlock())
        # The offset has the upper margin in it.
        wanted_px = math.ceil(last.bottom() - self.contentOffset().y()) + 2 * _DOCUMENT_MARGIN_PX
        most_px = MAX_LINES * self.fontMetrics().lineSpacing() + 2 * _DOCUMENT_MARGIN_PX
        most_px = max(most_px, round(self._window_part * self.window().height()))
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted_px > most_px else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        outside = self.height() - self.viewport().height()
        self.setFixedHeight(min(wanted_px, most_px) + max(outside, 0))


def files_in(source: QMimeData) -> list[Path]:
    """The files and folders of this computer in what is dropped or pasted."""
    paths = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
    return [path for path in paths if path.exists()]


def _without_blank_ends(text: str) -> str:
    """The text without blank lines before and behind it; its first line keeps the indentation that code may need."""
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""

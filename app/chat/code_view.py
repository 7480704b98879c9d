"""Owns a block of code: its language, its text in a monospaced font, and the button that copies it.

Does not know Markdown; it is given a `CodeBlock` and told when that is final.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.highlight import MAX_HIGHLIGHTED_LENGTH, Highlighter, lex
from app.chat.markdown import CodeBlock
from app.i18n import translate
from app.widgets.icons import confirm_by_icon, show_icon

_MARGIN_PX = 8


class CodeView(QFrame):
    """Code that grows while it streams. Lines do not wrap; a long one scrolls sideways."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "code")
        self._text = ""
        self._language = ""
        self._label = QLabel()
        self._label.setProperty("kind", "muted")
        self.copy_button = QToolButton()
        self.copy_button.setToolTip(translate("app", "Copy this code"))
        self.copy_button.setAccessibleName(translate("app", "Copy this code"))
        show_icon(self.copy_button, "copy", "muted")
        self.copy_button.clicked.connect(self.copy)
        self._edit = _CodeEdit()
        self._highlighter = Highlighter(self._edit.document())
        self._num_coloured = 0
        """Whole lines, which have got their colours. What seemed to be closed may go on in its last line."""
        header = QHBoxLayout()
        header.setContentsMargins(_MARGIN_PX, 2, 2, 0)
        header.addWidget(self._label)
        header.addStretch(1)
        header.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(self._edit)

    @property
    def text(self) -> str:
        return self._text

    def show_code(self, code: CodeBlock) -> None:
        """Shows the code; what is already there stays untouched if the new text continues it."""
        self._label.setText(code.language)
        self._language = code.language
        if code.text.startswith(self._text):
            self._edit.append_text(code.text[len(self._text) :])
        else:
            self._edit.setPlainText("")
            self._edit.append_text(code.text)
            self._highlighter.show_lines([])
            self._num_coloured = 0
        self._text = code.text
        self._highlight(code.is_open)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        confirm_by_icon(self.copy_button)

    def _highlight(self, is_open: bool) -> None:
        if not self._language or len(self._text) > MAX_HIGHLIGHTED_LENGTH:
            return
        if is_open:
            # New whole lines are coloured on their own: lexing all of it each time would cost more and more. What that
            # gets wrong, such as a string of several lines, is put right at the end.
            done = self._num_coloured
            lines = self._text.split("\n")[done:-1]
            if lines:
                self._highlighter.show_lines(lex("\n".join(lines), self._language), done)
        else:
            self._highlighter.show_lines(lex(self._text, self._language))
        self._num_coloured = self._text.count("\n")


class _CodeEdit(QPlainTextEdit):
    """Plain text that is as high as its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(translate("app", "Code"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(_MARGIN_PX)
        self.setUndoRedoEnabled(False)
        self._take_font()
        self.horizontalScrollBar().rangeChanged.connect(self._fit)

    def append_text(self, text: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Takes sideways movement; up and down belong to the transcript."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._take_font()
            self._fit()

    def _take_font(self) -> None:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(QGuiApplication.font().pointSizeF())
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))

    def _fit(self) -> None:
        bar = self.horizontalScrollBar()
        bar_height = bar.sizeHint().height() if bar.maximum() > 0 else 0
        # Measured, not counted: a line with characters of another script is higher.
        last = self.blockBoundingGeometry(self.document().lastBlock())
        self.setFixedHeight(math.ceil(last.bottom() + _MARGIN_PX + bar_height))

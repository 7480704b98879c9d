"""Owns the place where a message that was sent is written anew.

Does not know what becomes of the text.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.chat.composer import Composer
from app.i18n import translate
from app.widgets.text_label import TextLabel

_GAP_PX = 4
_WINDOW_PART = 0.5


class MessageEditor(QWidget):
    """The text in a field with a button that takes it. Enter takes it, Esc leaves it as it was."""

    taken = Signal(str)
    left = Signal()

    def __init__(self, text: str, words: str, can_be_empty: bool = False, parent: QWidget | None = None) -> None:
        """`words` are those of the button. A message with attachments `can_be_empty`."""
        super().__init__(parent)
        self._can_be_empty = can_be_empty
        self.field = Composer(_WINDOW_PART)
        self.field.setAccessibleName(translate("app", "Text of this message"))
        self.field.setPlainText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)
        self.field.submitted.connect(self.taken)
        # There is no place for it beside the text here.
        self.field.long_text_given.connect(self.field.insertPlainText)
        words_for_files = translate("app", "Files cannot be added here: attach them to a new message.")
        self.refusal_label = TextLabel(words_for_files, "muted")
        self.refusal_label.hide()
        self.field.files_given.connect(lambda _: self.refusal_label.show())
        self.take_button = QPushButton(words)
        self.take_button.setProperty("kind", "primary")
        self.take_button.clicked.connect(self._take)
        self.leave_button = QPushButton(translate("app", "Cancel"))
        self.leave_button.clicked.connect(self.left)
        self.field.textChanged.connect(self._show_can_take)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.leave_button)
        row.addWidget(self.take_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, _GAP_PX, 0, _GAP_PX)
        column.addWidget(self.field)
        column.addWidget(self.refusal_label)
        column.addLayout(row)
        self.setFocusProxy(self.field)
        self._show_can_take()

    def text(self) -> str:
        """As it was written, also if it is not taken yet."""
        return self.field.toPlainText()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _take(self) -> None:
        if self.field.toPlainText().strip():
            self.field.submit()
        else:
            self.taken.emit("")

    def _show_can_take(self) -> None:
        self.take_button.setEnabled(self._can_be_empty or bool(self.field.toPlainText().strip()))

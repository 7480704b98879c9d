"""Owns how an attached text looks: its name, how long it is, a way to read it, and one to take it off.

Does not know the message that it goes with.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.chat_words import tokens_text
from app.chat.document_writer import monospaced_family
from app.i18n import translate
from app.state.message import Attachment
from app.widgets.icons import show_icon

_PADDING_PX = 4
_MAX_NAME_CHARACTERS = 32
_DIALOG_PX = (640, 480)


class AttachmentCard(QFrame):
    """`notes.txt · 1,204 tokens ✕`. Its name is a button that shows the text."""

    remove_requested = Signal()

    def __init__(self, attachment: Attachment, can_remove: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self.setProperty("kind", "card")
        self.open_button = QToolButton()
        self.open_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.open_button.setText(_shortened(attachment.name))
        show_icon(self.open_button, "attach", "muted")
        self.open_button.setToolTip(translate("app", "Read {name}").format(name=attachment.name))
        self.open_button.setAccessibleName(translate("app", "Read {name}").format(name=attachment.name))
        self.open_button.clicked.connect(self.open)
        self.size_label = QLabel()
        self.size_label.setProperty("kind", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(_PADDING_PX, 0, 2 * _PADDING_PX, 0)
        row.setSpacing(_PADDING_PX)
        row.addWidget(self.open_button)
        row.addWidget(self.size_label)
        if can_remove:
            self.remove_button = QToolButton()
            self.remove_button.setProperty("kind", "small")
            words = translate("app", "Take {name} off").format(name=attachment.name)
            self.remove_button.setToolTip(words)
            self.remove_button.setAccessibleName(words)
            show_icon(self.remove_button, "close", "muted")
            self.remove_button.clicked.connect(self.remove_requested)
            row.addWidget(self.remove_button)
        self.show_size(attachment.num_tokens)

    def show_size(self, num_tokens: int | None) -> None:
        """None: they are not counted yet."""
        self.size_label.setText(translate("app", "not counted yet") if num_tokens is None else tokens_text(num_tokens))

    def open(self) -> QDialog:
        """Shows the text in a window of its own."""
        dialog = QDialog(self.window())
        dialog.setWindowTitle(self.attachment.name)
        dialog.finished.connect(dialog.deleteLater)
        field = QPlainTextEdit()
        field.setReadOnly(True)
        field.setAccessibleName(self.attachment.name)
        field.setStyleSheet(f"font-family: '{monospaced_family()}'")
        field.setPlainText(self.attachment.text)
        column = QVBoxLayout(dialog)
        column.addWidget(field)
        close = QPushButton(translate("app", "Close"))
        close.clicked.connect(dialog.accept)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        dialog.resize(*_DIALOG_PX)
        dialog.open()
        return dialog


def _shortened(name: str) -> str:
    """Cut in the middle, as the beginning and the ending tell most."""
    if len(name) <= _MAX_NAME_CHARACTERS:
        return name
    half = _MAX_NAME_CHARACTERS // 2
    return f"{name[:half]}…{name[-half:]}"

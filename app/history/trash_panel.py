"""Owns the view of the trash: what lies in it, bringing a chat back, and emptying it.

Does not know the history; what a person asks for is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QMessageBox, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.history.chat_list import ChatList
from app.history.chat_rows import Row, RowKind, deleted_message_rows, deleted_rows
from app.i18n import translate
from app.state.trash import DeletedChat, DeletedMessages
from app.widgets.icons import show_icon
from app.widgets.question import ask_before_loss
from app.widgets.text_label import TextLabel

_GAP_PX = 8


class TrashPanel(QWidget):
    """What was deleted. Enter or a click brings a chat or messages back; Delete takes a chat away for good."""

    restore_requested = Signal(str)
    messages_restore_requested = Signal(str)
    """The id of the first of what was deleted together."""
    destroy_requested = Signal(str)
    empty_requested = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.list = ChatList(translate("app", "What is in the trash"))
        self.list.setDragEnabled(False)
        self.list.chosen.connect(self._on_chosen)
        self.list.menu_requested.connect(self._open_menu)
        self.list.delete_pressed.connect(self._on_delete_pressed)
        title = QLabel(translate("app", "Trash"))
        title.setProperty("kind", "author")
        close = QToolButton()
        close.setToolTip(translate("app", "Back to the chats (Esc)"))
        close.setAccessibleName(translate("app", "Back to the chats"))
        show_icon(close, "close")
        close.clicked.connect(self.closed)
        self.close_button = close
        self.words = TextLabel("", "muted")
        self.empty_button = QPushButton(translate("app", "Empty trash"))
        self.empty_button.clicked.connect(self.ask_to_empty)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP_PX)
        column.addLayout(head)
        column.addWidget(self.words)
        column.addWidget(self.list, 1)
        column.addWidget(self.empty_button)

    def show_deleted(self, chats: Sequence[DeletedChat], messages: Sequence[DeletedMessages]) -> None:
        """What lies in the trash: whole chats, and single messages of others."""
        self.list.show_rows([*deleted_rows(chats), *deleted_message_rows(messages)])
        self.empty_button.setEnabled(bool(chats or messages))
        if messages:
            words = translate("app", "Choose a chat or a message to bring it back.")
        elif chats:
            words = translate("app", "Choose a chat to bring it back.")
        else:
            words = translate("app", "The trash is empty.")
        self.words.setText(words)

    @property
    def is_empty(self) -> bool:
        return not self.list.rows.rows

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _on_chosen(self, row: Row) -> None:
        is_chat = row.kind is RowKind.DELETED
        (self.restore_requested if is_chat else self.messages_restore_requested).emit(row.key)

    def _on_delete_pressed(self, row: Row) -> None:
        # Single messages go for good with all the rest only.
        if row.kind is RowKind.DELETED:
            self.ask_to_destroy(row.key, row.text)

    def _open_menu(self, row: Row | None, place: QPoint) -> None:
        if row is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(translate("app", "Restore"), lambda: self._on_chosen(row))
        if row.kind is RowKind.DELETED:
            menu.addAction(translate("app", "Delete for good…"), lambda: self.ask_to_destroy(row.key, row.text))
        menu.popup(place)

    def ask_to_destroy(self, chat_id: str, title: str) -> QMessageBox:
        """Opens the question; the chat is deleted only after a yes."""
        words = translate("app", "Delete “{title}” for good?").format(title=title)
        question = ask_before_loss(self, translate("app", "Delete chat"), words, translate("app", "Delete"))
        question.accepted.connect(lambda: self.destroy_requested.emit(chat_id))
        return question

    def ask_to_empty(self) -> QMessageBox:
        """Opens the question; the trash is emptied only after a yes."""
        words = translate("app", "Delete all that is in the trash for good?")
        question = ask_before_loss(self, translate("app", "Empty trash"), words, translate("app", "Empty trash"))
        question.accepted.connect(self.empty_requested)
        return question

"""Owns the view of the trash: what lies in it, bringing a chat back, and emptying it.

Does not know the history; what a person asks for is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QMessageBox, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.history.chat_list import ChatList
from app.history.chat_rows import Row, deleted_rows
from app.i18n import sentences, translate
from app.state.trash import DeletedChat
from app.widgets.icons import show_icon
from app.widgets.question import ask_before_loss
from app.widgets.text_label import TextLabel

_GAP_PX = 8


class TrashPanel(QWidget):
    """The chats that were deleted. Enter or a click brings one back; Delete takes it away for good."""

    restore_requested = Signal(str)
    destroy_requested = Signal(str)
    empty_requested = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.list = ChatList(translate("app", "Chats in the trash"))
        self.list.setDragEnabled(False)
        self.list.chosen.connect(self._on_chosen)
        self.list.menu_requested.connect(self._open_menu)
        self.list.delete_pressed.connect(lambda row: self.ask_to_destroy(row.key, row.text))
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

    def show_deleted(self, chats: Sequence[DeletedChat], num_messages: int) -> None:
        """What lies in the trash: whole chats, and how many single messages of others."""
        self.list.show_rows(deleted_rows(chats))
        self.empty_button.setEnabled(bool(chats) or num_messages > 0)
        words = translate("app", "Choose a chat to bring it back.") if chats else translate("app", "No chat is in it.")
        if num_messages:
            also = translate("app", "%n deleted message(s) of other chats lie here too.", None, num_messages)
            words = sentences(words, also)
        self.words.setText(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _on_chosen(self, row: Row) -> None:
        self.restore_requested.emit(row.key)

    def _open_menu(self, row: Row | None, place: QPoint) -> None:
        if row is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(translate("app", "Restore"), lambda: self.restore_requested.emit(row.key))
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

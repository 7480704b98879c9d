"""Owns deleting chats and bringing them back: the trash, and the undo right after.

Does not know how a chat is opened; it tells which came back.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.history.sidebar import Sidebar
from app.i18n import translate
from app.state.history import History, HistoryError


class TrashController(QObject):
    """Connects the history's trash with the sidebar."""

    failed = Signal(str)
    chat_changed = Signal(str)
    """A chat is in the trash now, or no longer."""
    restored = Signal(str)
    """A chat is back."""
    messages_wanted = Signal(str, str)
    """Of a chat, by its id: the messages that were deleted together with this one, by its id."""
    emptied = Signal()
    """What was deleted, messages too, is gone for good."""

    def __init__(self, history: History, sidebar: Sidebar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._sidebar = sidebar
        self._panel = sidebar.trash_panel
        self._chat_of: dict[str, str] = {}
        """Of the messages in the panel, by their ids."""
        self._undos: dict[str, Callable[[], object]] = {}
        """Of the chats that were deleted since the start, by their ids."""
        sidebar.more_menu.addAction(translate("app", "Trash"), self.show)
        self._panel.restore_requested.connect(self.restore)
        self._panel.messages_restore_requested.connect(self._restore_messages)
        self._panel.destroy_requested.connect(self._destroy)
        self._panel.empty_requested.connect(self._empty)

    def show(self) -> None:
        """Shows what is in the trash in the list's place."""
        self._show_content()
        self._sidebar.show_trash()

    def put(self, chat_id: str, title: str, undo: Callable[[], object]) -> None:
        """Deletes a chat; for a while it can be had back at once."""
        if self._change(lambda: self._history.trash.put_chat(chat_id)):
            self.chat_changed.emit(chat_id)
            self._undos[chat_id] = undo
            self._sidebar.undo_bar.show_message(translate("app", "Chat moved to the trash"), title, undo)

    def restore(self, chat_id: str) -> None:
        if self._change(lambda: self._history.trash.restore_chat(chat_id)):
            self._withdraw_undo(chat_id)
            self.chat_changed.emit(chat_id)
            self.restored.emit(chat_id)
            if self._panel.is_empty and self._panel.isVisible():
                # Nothing more to do there.
                self._sidebar.show_list()

    def _restore_messages(self, message_id: str) -> None:
        self.messages_wanted.emit(self._chat_of[message_id], message_id)
        self._show_content()

    def _destroy(self, chat_id: str) -> None:
        if self._change(lambda: self._history.trash.destroy([chat_id])):
            self._withdraw_undo(chat_id)

    def _withdraw_undo(self, chat_id: str) -> None:
        undo = self._undos.pop(chat_id, None)
        if undo is not None:
            self._sidebar.undo_bar.withdraw(undo)

    def _empty(self) -> None:
        if self._change(self._history.trash.empty):
            self._undos.clear()
            self._sidebar.undo_bar.forget()
            self.emptied.emit()

    def _change(self, change: Callable[[], None]) -> bool:
        try:
            change()
        except HistoryError as error:
            self.failed.emit(str(error))
            return False
        self._show_content()
        return True

    def _show_content(self) -> None:
        try:
            chats, messages = self._history.trash.chats(), self._history.trash.messages()
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        self._chat_of = {group.id: group.chat_id for group in messages}
        self._panel.show_deleted(chats, messages)

"""Owns what happens to folders: making, renaming, removing and collapsing them, and putting chats into them.

Does not know how the list of chats is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu

from app.history.chat_rows import Row, RowKind
from app.history.sidebar import Sidebar
from app.i18n import translate
from app.state.history import History, HistoryError

# A menu that closes gives the focus back a little later, and an editor that loses it is gone.
_FOCUS_MS = 50


class FolderController(QObject):
    """Connects the history's folders with the sidebar."""

    failed = Signal(str)
    changed = Signal()
    """Folders are others now, and with them the whole list."""
    chat_moved = Signal(str, object)
    """A chat, and the folder (or None) in which it lies now."""

    def __init__(self, history: History, sidebar: Sidebar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._sidebar = sidebar
        sidebar.more_menu.addAction(translate("app", "New folder"), self.add)
        sidebar.menu_opening.connect(self._extend_menu)
        sidebar.folder_renamed.connect(self.rename)
        sidebar.folder_removed.connect(self.remove)
        sidebar.folder_toggled.connect(self._collapse)
        sidebar.chat_moved.connect(self.move)

    def add(self, chat_id: str | None = None) -> None:
        """A new folder, with this chat in it; its name is then asked for in place."""
        try:
            folder = self._history.folders.add(translate("app", "New folder"))
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        self.changed.emit()
        if chat_id is not None:
            self.move(chat_id, folder.id)
        # After a menu has given the focus back.
        QTimer.singleShot(_FOCUS_MS, self, lambda: self._sidebar.list.edit_row(folder.id))

    def rename(self, folder_id: str, name: str) -> None:
        """An empty name leaves the old one."""
        name = " ".join(name.split())
        if name:
            self._change(lambda: self._history.folders.rename(folder_id, name))

    def remove(self, folder_id: str) -> None:
        self._change(lambda: self._history.folders.remove(folder_id))

    def move(self, chat_id: str, folder_id: str | None) -> None:
        if self._try(lambda: self._history.folders.move(chat_id, folder_id)):
            self.chat_moved.emit(chat_id, folder_id)

    def _collapse(self, folder_id: str, is_collapsed: bool) -> None:
        self._change(lambda: self._history.folders.set_collapsed(folder_id, is_collapsed))

    def _extend_menu(self, menu: QMenu, row: Row) -> None:
        if row.kind is not RowKind.CHAT:
            return
        try:
            folders = self._history.folders.all()
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        places = menu.addMenu(translate("app", "Move to"))
        for folder in folders:
            entry = places.addAction(folder.name.replace("&", "&&"), partial(self.move, row.key, folder.id))
            entry.setEnabled(folder.id != row.folder_id)
        if row.folder_id is not None:
            places.addAction(translate("app", "No folder"), lambda: self.move(row.key, None))
        places.addSeparator()
        places.addAction(translate("app", "New folder"), lambda: self.add(row.key))

    def _change(self, change: Callable[[], None]) -> None:
        if self._try(change):
            self.changed.emit()

    def _try(self, change: Callable[[], None]) -> bool:
        try:
            change()
        except HistoryError as error:
            self.failed.emit(str(error))
            return False
        return True

"""Owns how a test's program uses the list of chats: its rows, their menus, and the dialogs for files.

Does not know what comes of it.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox

from app.history.chat_list import ChatList
from app.main_window import MainWindow
from tests.e2e.window_user import WindowUser


class HistoryUser(WindowUser):
    def __init__(self, window: MainWindow, home: Path) -> None:
        super().__init__(window)
        self._home = home
        self._sidebar = window.sidebar
        self._list = window.sidebar.list

    def _texts(self) -> list[str]:
        return [row.text for row in self._list.rows.rows]

    async def _click_chat(self, chats: ChatList, text: str) -> None:
        place = self._place(chats, text)
        await self._in_qt_loop(lambda: QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place))

    def _place(self, chats: ChatList, text: str) -> QPoint:
        return chats.visualRect(self._index(chats, text)).center()

    def _index(self, chats: ChatList, text: str) -> QModelIndex:
        number = next(number for number, row in enumerate(chats.rows.rows) if row.text == text)
        return chats.rows.index(number)

    async def _row_menu(self, text: str, *path: str) -> None:
        self._list.customContextMenuRequested.emit(self._place(self._list, text))
        *outer, last = path
        menu = self._open_menu()
        for name in outer:
            await self._choose_entry(menu, name)
            await self._wait(name, lambda name=name: self._open_menu().title() == name)  # type: ignore[misc]
            menu = self._open_menu()
        await self._choose_entry(menu, last)

    async def _more_menu(self, words: str) -> None:
        await self._choose_under(self._sidebar.more_button, self._sidebar.more_menu, words)

    async def _name_row(self, name: str) -> None:
        """Writes into the editor that is open in the list."""
        await self._wait("the editor", lambda: self._list.findChild(QLineEdit) is not None)
        editor = self._list.findChild(QLineEdit)
        assert editor is not None, "the editor is gone"
        editor.selectAll()
        await self._type(editor, name)
        await self._key(editor, Qt.Key.Key_Return)
        await self._wait("the name", lambda: name in self._texts())

    async def _choose_files(self, *paths: Path) -> None:
        """Writes the files' names into the dialog that is open."""
        await self._wait("the dialog", lambda: len(self._dialogs()) == 1)
        line = self._dialogs()[0].findChild(QLineEdit)
        assert line is not None, "the dialog has no line"
        line.selectAll()
        await self._paste(line, " ".join(f'"{path}"' for path in paths) if len(paths) > 1 else str(paths[0]))
        await self._key(line, Qt.Key.Key_Return)
        await self._wait("the dialog's end", lambda: not self._dialogs())

    def _dialogs(self) -> list[QFileDialog]:
        return [one for one in self._window.findChildren(QFileDialog) if one.isVisible()]

    async def _say_yes(self) -> None:
        """Answers the question that comes."""

        boxes = [box for box in self._window.findChildren(QMessageBox) if box.isVisible()]
        (yes,) = [one for one in boxes[0].buttons() if boxes[0].buttonRole(one) is QMessageBox.ButtonRole.AcceptRole]
        await self._click(yes)

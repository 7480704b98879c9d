"""Clicks through the history of the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.history_driver HOME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu

from app.history.chat_list import ChatList
from app.history.finder import finder_of
from app.main_window import MainWindow
from app.state import options
from tests.e2e.window_user import WindowUser, use_window

QUESTIONS = ("What is a lighthouse?", "What is a harbour?")


class Clicker(WindowUser):
    def __init__(self, window: MainWindow, home: Path) -> None:
        super().__init__(window)
        self._home = home
        self._sidebar = window.sidebar
        self._list = window.sidebar.list

    async def _use(self) -> None:
        await self._model()
        self._window.change_setting(options.MAX_TOKENS, 24)
        for question in QUESTIONS:
            await self._click(self._sidebar.new_chat_button)
            tab = self._window.tabs.current_tab()
            assert tab is not None, "no tab is open"
            await self._type(tab.composer, question)
            await self._key(tab.composer, Qt.Key.Key_Return)
            await self._wait("an answer", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]
        await self._search_and_find()
        await self._delete_and_bring_back()
        await self._sort()
        await self._export_and_import()

    async def _search_and_find(self) -> None:
        await self._type(self._sidebar.search_field, "LIGHTHOUSE?")
        await self._wait("a hit", lambda: self._texts() == [QUESTIONS[0]])
        await self._click_chat(self._list, QUESTIONS[0])
        tab = self._window.tabs.current_tab()
        assert tab is not None, "no tab is open"
        finder = finder_of(tab)
        await self._wait("the place of the hit", lambda: finder.bar.count_label.text().startswith("1 of"))
        self.report["found_in"] = tab.session.title
        await self._key(finder.bar.field, Qt.Key.Key_Escape)
        self.report["find_is_open"] = finder.bar.isVisible()
        self._sidebar.search_field.clear()
        await self._wait("all chats", lambda: len(self._texts()) == 3)

    async def _delete_and_bring_back(self) -> None:
        await self._key(self._list, Qt.Key.Key_Delete)
        await self._wait("one chat fewer", lambda: QUESTIONS[0] not in self._texts())
        await self._click(self._sidebar.undo_bar.undo_button)
        self.report["after_undo"] = sorted(self._texts()[1:])
        await self._key(self._list, Qt.Key.Key_Delete)
        await self._menu(self._sidebar.more_menu, "Trash")
        panel = self._sidebar.trash_panel
        await self._click_chat(panel.list, QUESTIONS[0])
        await self._click(panel.close_button)
        self.report["after_trash"] = sorted(self._texts()[1:])

    async def _sort(self) -> None:
        await self._row_menu(QUESTIONS[1], "Pin")
        self.report["pinned"] = self._texts()[:2]
        await self._row_menu(QUESTIONS[0], "Move to", "New folder")
        self.report["in_folder"] = self._texts()[2:]
        await self._wait("the editor of its name", lambda: self._list.findChild(QLineEdit) is not None)
        editor = self._list.findChild(QLineEdit)
        editor.setText("Sea")
        await self._key(editor, Qt.Key.Key_Return)
        await self._wait("the name", lambda: "Sea" in self._texts())

    async def _export_and_import(self) -> None:
        bar = self._sidebar.undo_bar
        for name in ("chats.json", "chats.md", "chats.html"):
            dialog = self._window.chats.transfer.ask_for_all()
            dialog.hide()
            dialog.fileSelected.emit(str(self._home / name))
            await self._wait(name, (self._home / name).is_file)
            num_rows = len(self._texts())
            dialog = self._window.chats.transfer.ask_for_import()
            dialog.hide()
            dialog.filesSelected.emit([str(self._home / name)])
            await self._wait("the import", lambda: "imported" in bar.label.text() and bar.undo_button.isVisible())
            self.report[name] = len(self._texts()) - num_rows
            await self._click(bar.undo_button)
        self.report["num_dialogs"] = len([one for one in self._window.findChildren(QFileDialog) if one.isVisible()])

    def _texts(self) -> list[str]:
        return [row.text for row in self._list.rows.rows]

    async def _click_chat(self, chats: ChatList, text: str) -> None:
        place = self._place(chats, text)
        await self._in_qt_loop(lambda: QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place))

    def _place(self, chats: ChatList, text: str) -> QPoint:
        number = next(number for number, row in enumerate(chats.rows.rows) if row.text == text)
        return chats.visualRect(chats.rows.index(number)).center()

    async def _row_menu(self, text: str, *path: str) -> None:
        self._list.customContextMenuRequested.emit(self._place(self._list, text))
        menu = next(menu for menu in self._sidebar.findChildren(QMenu) if menu.isVisible())
        await self._menu(menu, *path)
        menu.close()

    async def _menu(self, menu: QMenu, *path: str) -> None:
        *outer, last = path
        for name in outer:
            inner = next(action for action in menu.actions() if action.text() == name).menu()
            assert isinstance(inner, QMenu), f"{name} has no menu"
            menu = inner
        next(action for action in menu.actions() if action.text() == last).trigger()


if __name__ == "__main__":
    data_folder = Path(sys.argv[1])
    sys.exit(use_window(data_folder, lambda window: Clicker(window, data_folder)))

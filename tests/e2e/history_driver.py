"""Clicks through the history of the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.history_driver HOME`. Any fault ends it with a traceback and a code
other than zero.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import qasync
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QWidget

from app.application import engine_factory, make_window
from app.history.chat_list import ChatList
from app.history.finder import finder_of
from app.main_window import MainWindow
from app.state import options
from app.state.settings import Settings
from engine.api import EngineConfig

TIMEOUT_S = 240.0
QUESTIONS = ("What is a lighthouse?", "What is a harbour?")


class Clicker:
    def __init__(self, window: MainWindow, home: Path) -> None:
        self._window = window
        self._home = home
        self._sidebar = window.sidebar
        self._list = window.sidebar.list
        self.report: dict[str, object] = {}

    async def run(self) -> None:
        try:
            await self._use()
        finally:
            # Outside of this task: closing the window must not run inside a coroutine.
            asyncio.get_running_loop().call_soon(self._window.close)

    async def _use(self) -> None:
        await self._wait("the model", lambda: self._window.models.loaded is not None)
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
        await self._click_row(self._list, QUESTIONS[0])
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
        await self._click_row(panel.list, QUESTIONS[0])
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

    async def _click_row(self, chats: ChatList, text: str) -> None:
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

    async def _type(self, widget: QWidget, text: str) -> None:
        await self._in_qt_loop(lambda: QTest.keyClicks(widget, text))

    async def _key(self, widget: QWidget, key: Qt.Key) -> None:
        await self._in_qt_loop(lambda: QTest.keyClick(widget, key))

    async def _click(self, widget: QWidget) -> None:
        await self._in_qt_loop(lambda: QTest.mouseClick(widget, Qt.MouseButton.LeftButton))

    async def _in_qt_loop(self, action: Callable[[], None]) -> None:
        # QTest may run a nested loop, in which a task that wakes would be lost: never call it inside a coroutine.
        await qasync.asyncWrap(action)

    async def _wait(self, name: str, holds: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        end_s = loop.time() + TIMEOUT_S
        while not holds():
            if loop.time() > end_s:
                raise TimeoutError(name)
            await asyncio.sleep(0.02)


def main(home: Path) -> int:
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    faults: list[BaseException] = []
    loop.set_exception_handler(lambda _, context: faults.append(context.get("exception") or Exception(str(context))))
    factory = engine_factory(lambda: EngineConfig(home=home))
    window = make_window(home, loop, factory, Settings(home / "settings.json"))
    window.change_setting(options.MAX_TOKENS, 24)
    window.closed.connect(loop.stop)
    sys.excepthook = lambda _, fault, __: faults.append(fault)
    clicker = Clicker(window, home)
    task = loop.create_task(clicker.run())
    window.show()
    loop.run_forever()
    loop.close()
    sys.excepthook = sys.__excepthook__
    task.result()
    if faults:
        raise faults[0]
    print(json.dumps(clicker.report))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

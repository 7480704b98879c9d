"""Clicks through the memory view of the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.memory_view_driver HOME`. Any fault ends it with a traceback and a
code other than zero.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import qasync
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeWidget, QTreeWidgetItem, QWidget

from app.application import engine_factory, make_window
from app.main_window import MainWindow
from app.state import options
from app.state.settings import Settings
from engine.api import EngineConfig

TIMEOUT_S = 240.0
SYSTEM_PROMPT = (
    "You answer in one short sentence, and you never use more than ten words for it, whatever you are asked."
)
QUESTIONS = ("What is a lighthouse?", "What is a harbour?")


class Clicker:
    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._panel = window.memory_panel
        self.report: dict[str, object] = {}

    async def run(self) -> None:
        try:
            await self._use()
        finally:
            # Outside of this task: closing the window must not run inside a coroutine.
            asyncio.get_running_loop().call_soon(self._window.close)

    async def _use(self) -> None:
        panel = self._panel
        await self._wait("the model", lambda: self._window.models.loaded is not None)
        await self._ask_questions()
        for key in ("tree", "steps", "fit"):
            await self._click(panel.sections[key].fold_button)
        self.report["folded"] = [key for key, section in panel.sections.items() if section.is_folded]
        await self._wait("the cached texts", lambda: bool(panel.tree.nodes))
        self.report["tree"] = panel.tree.text()
        await self._use_grid()
        await self._use_tree()
        slider = panel.planner.chats_slider
        await self._in_qt_loop(lambda: QTest.keyClick(slider, Qt.Key.Key_End))
        self.report["planner"] = panel.planner.text()
        await self._in_qt_loop(lambda: QTest.keyClick(panel.timeline, Qt.Key.Key_Left))
        self.report["timeline"] = panel.timeline.accessibleDescription()
        await self._click(panel.copy_button)
        self.report["copied"] = QGuiApplication.clipboard().text()

    async def _ask_questions(self) -> None:
        for question in QUESTIONS:
            tab = self._window.tabs.current_tab()
            if tab is None or tab.session.messages:
                self._window.new_chat()
                tab = self._window.tabs.current_tab()
            assert tab is not None, "no tab is open"
            tab.session.system_prompt = SYSTEM_PROMPT
            tab.submit(question)
            await self._wait("an answer", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]

    async def _use_grid(self) -> None:
        panel = self._panel
        node = panel.tree.nodes[0]
        first, second = panel.grid.cell_rect(node.blocks[0]).center(), panel.card.label.text
        await self._in_qt_loop(lambda: QTest.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=first))
        await self._wait("what is in the block", lambda: "“" in second())
        self.report["clicked_block"] = second()
        await self._in_qt_loop(lambda: QTest.keyClick(panel.grid, Qt.Key.Key_End))
        await self._in_qt_loop(lambda: QTest.keyClick(panel.grid, Qt.Key.Key_Return))
        self.report["last_block"] = second()
        await self._in_qt_loop(lambda: QTest.keyClick(panel.grid, Qt.Key.Key_Escape))
        self.report["kept_after_escape"] = panel.card.is_kept_open
        chosen: list[object] = []
        panel.table.filter_changed.connect(chosen.append)
        await self._wait("the chat in the legend", lambda: panel.table.row(node.last_owner) is not None)
        for _ in range(2):
            row = panel.table.row(node.last_owner)
            assert row is not None, "the legend lost the chat"
            await self._click_row(panel.table, row)
        self.report["filter"] = [chosen[0] == node.last_owner, chosen[1] is None]

    async def _use_tree(self) -> None:
        view, answers = self._panel.tree, []
        for button, begins in (
            (view.pin_button, "Pinned"),
            (view.unpin_button, "Unpinned"),
            (view.drop_button, "Drop"),
        ):
            item = view.tree.topLevelItem(0)
            assert item is not None, "nothing is cached"
            await self._click_row(view.tree, item)
            await self._wait(f"the button for {begins}", button.isEnabled)
            await self._click(button)
            await self._wait(begins, lambda begins=begins: view.answer.text().startswith(begins))  # type: ignore[misc]
            answers.append(view.answer.text())
            if begins == "Pinned":
                await self._wait("a locked block", lambda: "pinned" in self._panel.table.text())
        self.report["answers"] = answers

    async def _click_row(self, tree: QTreeWidget, item: QTreeWidgetItem) -> None:
        at = tree.visualItemRect(item).center()
        await self._in_qt_loop(lambda: QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at))

    async def _click(self, widget: QWidget) -> None:
        await self._in_qt_loop(lambda: QTest.mouseClick(widget, Qt.MouseButton.LeftButton))

    async def _in_qt_loop(self, action: Callable[[], None]) -> None:
        # QTest may run a nested loop, in which a task that wakes would be lost.
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
    window.change_setting(options.TEMPERATURE, 0.0)
    window.change_setting(options.MAX_TOKENS, 24)
    window.closed.connect(loop.stop)
    sys.excepthook = lambda _, fault, __: faults.append(fault)
    clicker = Clicker(window)
    task = loop.create_task(clicker.run())
    # A screen as small as the one of no screen hides it at first.
    window.resize(1280, 800)
    window.memory_dock.show()
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

"""Owns how a test's program uses the real window: clicks, keys, waiting, and the program's beginning and end.

Knows nothing of what is clicked. What such a program saw it prints as JSON; any fault, also one of a slot or of the
loop, ends it with a traceback and a code other than zero.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from app.application import engine_factory, make_window
from app.bridge.engine_client import EngineFactory
from app.main_window import MainWindow
from app.state.settings import Settings
from engine.api import EngineConfig

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 240.0
_POLL_S = 0.02


class WindowUser(ABC):
    """Does in `_use` what a person would, and keeps in `report` what came of it."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.report: dict[str, Any] = {}

    async def run(self) -> None:
        try:
            await self._use()
        finally:
            # Outside of this task: closing the window must not run inside a coroutine.
            asyncio.get_running_loop().call_soon(self._window.close)

    def result(self) -> dict[str, Any]:
        """What was seen, told after the window has closed."""
        return self.report

    @abstractmethod
    async def _use(self) -> None: ...

    async def _model(self) -> None:
        await self._wait("the model", lambda: self._window.models.loaded is not None)

    async def _click(self, widget: QWidget) -> None:
        await self._in_qt_loop(lambda: QTest.mouseClick(widget, Qt.MouseButton.LeftButton))

    async def _click_row(self, tree: QTreeWidget, item: QTreeWidgetItem) -> None:
        place = tree.visualItemRect(item).center()
        await self._in_qt_loop(lambda: QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place))

    async def _type(self, widget: QWidget, text: str) -> None:
        await self._in_qt_loop(lambda: QTest.keyClicks(widget, text))

    async def _key(
        self, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        if QApplication.activeWindow() is None and not isinstance(widget, QMenu):
            # Offscreen there is no desktop that makes it the active one again when a menu or a dialog has closed.
            self._window.activateWindow()
        await self._in_qt_loop(lambda: QTest.keyClick(widget, key, modifier))

    async def _paste(self, widget: QWidget, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        await self._key(widget, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    async def _drop(self, widget: QWidget, data: QMimeData, place: QPoint, action: Qt.DropAction) -> None:
        """Lets go of this over a widget, which must want it; there is no pointer offscreen that could drag it there."""
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

        def deliver() -> None:
            enter = QDragEnterEvent(place, action, data, left, none)
            QApplication.sendEvent(widget, enter)
            assert enter.isAccepted(), f"{widget!r} does not want {data.formats()}"
            QApplication.sendEvent(widget, QDropEvent(QPointF(place), action, data, left, none))

        await self._in_qt_loop(deliver)

    async def _choose_entry(self, menu: QMenu, words: str) -> None:
        """Clicks the entry of an open menu that begins with these words."""
        await self._wait(f"the menu with “{words}”", menu.isVisible)
        entry = next(action for action in menu.actions() if action.text().startswith(words))
        place = menu.actionGeometry(entry).center()
        await self._in_qt_loop(lambda: QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place))

    def _open_menu(self) -> QMenu:
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, QMenu), f"what is open is {popup!r}"
        return popup

    async def _choose_under(self, button: QWidget, menu: QMenu, words: str) -> None:
        """Opens the menu that a button has, and clicks an entry of it."""
        # Such a button returns from the press only when its menu has closed.
        opening = asyncio.ensure_future(self._click(button))
        await self._choose_entry(menu, words)
        await opening

    async def _answer_question(self, parent: QWidget, text: str) -> None:
        """Writes this into the line that the window asks for, in the place of what is in it, and takes it by Enter."""

        def line() -> QLineEdit | None:
            dialogs = [dialog for dialog in parent.findChildren(QInputDialog) if dialog.isVisible()]
            return dialogs[0].findChild(QLineEdit) if dialogs else None

        await self._wait("the question", lambda: line() is not None)
        field = line()
        assert field is not None, "the question is gone"
        field.selectAll()
        await self._type(field, text)
        await self._key(field, Qt.Key.Key_Return)

    async def _in_qt_loop(self, action: Callable[[], None]) -> None:
        # QTest may run a nested loop, in which a task that wakes would be lost: never call it inside a coroutine.
        await qasync.asyncWrap(action)

    async def _wait(self, name: str, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            if time.monotonic() - started_s > TIMEOUT_S:
                raise TimeoutError(name)
            await asyncio.sleep(_POLL_S)


def use_window(
    home: Path, make_user: Callable[[MainWindow], WindowUser], make_engine: EngineFactory | None = None
) -> int:
    """Open the window on a data folder, let the user use it until he closes it, and print his report; the exit code.

    Raises what ended his use of it, or else the first fault of a slot or of the loop.
    """
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    faults: list[BaseException] = []
    sys.excepthook = lambda _, fault, __: faults.append(fault)
    loop.set_exception_handler(lambda _, context: faults.append(context.get("exception") or Exception(str(context))))
    home.mkdir(parents=True, exist_ok=True)
    factory = make_engine or engine_factory(lambda: EngineConfig(home=home))
    window = make_window(home, loop, factory, Settings(home / "settings.json"))
    window.closed.connect(loop.stop)
    user = make_user(window)
    task = loop.create_task(user.run())
    # A screen as small as the one of no screen hides the memory view at first; snapshots come only while it shows.
    window.resize(1280, 800)
    window.memory_dock.show()
    window.show()
    loop.run_forever()
    loop.close()
    sys.excepthook = sys.__excepthook__
    task.result()
    report = user.result()
    if faults:
        raise faults[0]
    print(json.dumps(report))
    return 0


def report_of(module: str, home: Path, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run one of these programs offscreen, in English and in a process of its own; what it printed."""
    result = subprocess.run(
        [sys.executable, "-m", module, str(home)],
        cwd=ROOT,
        env=english(os.environ if environment is None else environment),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S + 60,
    )
    assert result.returncode == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return report


def english(environment: Mapping[str, str]) -> dict[str, str]:
    return {**environment, "QT_QPA_PLATFORM": "offscreen", "LANGUAGE": "en", "LC_ALL": "C.UTF-8"}

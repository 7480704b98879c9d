"""Fills a small pool with chats in the real window with the real engine, and prints as JSON how their tabs told it.

Marks of tabs, the row of more tabs than it has room for, two chats side by side, a chat that is full, and an engine
that is taken away while chats answer. Run as a program of its own: `python -m tests.e2e.crowd_driver HOME`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.chat.tab import ChatTab
from app.commands.command_palette import CommandPalette
from app.state import options
from app.state.session import Phase
from engine.api import EngineConfig, list_models
from engine.messages import ModelLoaded, RequestPreempted
from tests.e2e.desk_driver import CTRL, CTRL_SHIFT
from tests.e2e.window_driver import Driver, main

# The engine takes no fewer blocks than 64, of 16 tokens each.
NUM_BLOCKS = 64
LONG = {
    "first": "Once more, please: the ferry leaves at noon. " * 34,
    "second": "A train goes to the harbour every hour. " * 40,
}
SHORT = {"third": "Name a colour.", "fourth": "Name a bird."}
MAX_TOKENS = 240
"""Of each of the long ones: so many that the two do not fit, whenever the second one begins beside the first."""
FEW_TOKENS = 40
TOO_MUCH = "And once more: the ferry leaves at noon. " * 54


class CrowdDriver(Driver):
    async def _use(self) -> None:
        await self._model()
        self._window.change_setting(options.MAX_TOKENS, MAX_TOKENS)
        self._window.change_setting(options.TEMPERATURE, 0.0)
        self._words: dict[str, list[str]] = defaultdict(list)
        self._icons: dict[str, dict[Phase, bytes]] = defaultdict(dict)
        await self._fill()
        await self._use_a_narrow_row()
        await self._see_two()
        await self._rename_and_close()
        await self._overfill()
        await self._lose_engine()
        events = [
            event for engine in self._engines for batch in engine.log if isinstance(batch, list) for event in batch
        ]
        # Which way a chat gives way is for the engine to choose: the one that takes less time.
        self.report["preempted"] = [event.how for event in events if isinstance(event, RequestPreempted)]
        self.report["words"] = self._words
        self.report["phases"] = {name: [phase.value for phase in icons] for name, icons in self._icons.items()}
        # One that is sent and one that is read have the same mark, which has a percentage behind it or not.
        marks = [
            {phase: icon for phase, icon in icons.items() if phase is not Phase.SENT} for icons in self._icons.values()
        ]
        self.report["marks_differ"] = all(len(set(icons.values())) == len(icons) for icons in marks)

    async def _fill(self) -> None:
        """Two chats that do not fit together, and two that wait behind them."""
        for name, text in (LONG | SHORT).items():
            await self._key(self._window, Qt.Key.Key_T, CTRL)
            tab = self._tabs[name] = self._current()
            tab.changed.connect(lambda name=name, tab=tab: self._note(name, tab))
            await self._paste(tab.composer, text)
            await self._key(tab.composer, Qt.Key.Key_Return)
        for tab in self._tabs.values():
            await self._wait("all answers", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]
        self._window.change_setting(options.MAX_TOKENS, FEW_TOKENS)
        self.report["answered"] = [bool(tab.session.answer.text) for tab in self._tabs.values()]

    def _note(self, name: str, tab: ChatTab) -> None:
        """What the row tells of a tab, whenever its chat is in another state."""
        tabs = self._window.tabs
        index, phase = tabs.indexOf(tab), tab.session.phase
        if index >= 0:
            words = tabs.tabText(index).split("  ")[1:]
            self._words[name] += [word for word in words if word not in self._words[name]]
            image = tabs.tabIcon(index).pixmap(tabs.iconSize()).toImage()
            self._icons[name][phase] = bytes(image.constBits())

    async def _use_a_narrow_row(self) -> None:
        """More tabs than there is room for: the list of all of them leads to the first."""
        window, tabs = self._window, self._window.tabs
        await self._key(window, Qt.Key.Key_M, CTRL)
        self.report["memory_is_hidden"] = not window.memory_dock.isVisible()
        window.resize(window.minimumSize())
        await self._key(window, Qt.Key.Key_A, CTRL_SHIFT)
        menu = tabs.buttons.findChild(QMenu)
        assert menu is not None, "no list of tabs came"
        await self._key(menu, Qt.Key.Key_Down)
        await self._key(menu, Qt.Key.Key_Return)
        await self._wait("the first tab", lambda: tabs.currentIndex() == 0)
        bar = tabs.tabBar()
        self.report["first_is_in_sight"] = bar.rect().contains(bar.tabRect(0))
        await self._key(window, Qt.Key.Key_Tab, CTRL)
        self.report["after_ctrl_tab"] = tabs.currentIndex()
        window.resize(1280, 800)
        await self._key(window, Qt.Key.Key_M, CTRL)

    async def _see_two(self) -> None:
        window, tabs = self._window, self._window.tabs
        beside = self._current()
        await self._key(window, Qt.Key.Key_Backslash, CTRL)
        await self._wait("two chats", lambda: tabs.beside.tab is beside)
        front = tabs.currentWidget()
        self.report["both_in_sight"] = front.isVisible() and beside.isVisible() and front is not beside
        await self._type(beside.composer, "Right.")
        await self._key(beside.composer, Qt.Key.Key_Return)
        await self._wait("an answer beside", lambda: not beside.session.is_busy)
        self.report["beside"] = beside.session.messages[-2].text
        await self._key(window, Qt.Key.Key_Backslash, CTRL)
        self.report["split_is_over"] = tabs.beside.tab is None and not tabs.beside.isVisible()

    async def _rename_and_close(self) -> None:
        tabs, bar = self._window.tabs, self._window.tabs.tabBar()
        index = tabs.indexOf(self._tabs["third"])
        await self._in_qt_loop(
            lambda: QTest.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center())
        )
        await self._answer_question(tabs, "Colours")
        await self._wait("the title", lambda: self._tabs["third"].session.title == "Colours")
        self.report["title"] = tabs.tabText(index).strip()
        bar.customContextMenuRequested.emit(bar.tabRect(index).center())
        await self._choose_entry(self._open_menu(), "Show beside")
        await self._wait("the split", lambda: tabs.beside.tab is self._tabs["third"])
        bar.customContextMenuRequested.emit(bar.tabRect(index).center())
        await self._choose_entry(self._open_menu(), "End the split")
        await self._wait("its end", lambda: tabs.beside.tab is None)

    async def _overfill(self) -> None:
        """A message that the chat has no room for stays, until the chat may forget its beginning."""
        tab = self._tabs["first"]
        self._window.tabs.setCurrentWidget(tab)
        await self._paste(tab.composer, TOO_MUCH)
        await self._wait("the refusal", lambda: tab.panel.refusal_label.isVisible())
        self.report["refusal"] = tab.panel.refusal_label.text()
        await self._key(tab.composer, Qt.Key.Key_Return)
        self.report["stayed"] = tab.composer.toPlainText() == TOO_MUCH and not tab.send_button.isEnabled()
        await self._choose_under(tab.full_choice, tab.full_choice.menu(), "Forget")
        await self._wait("the way to send", tab.send_button.isEnabled)
        await self._click(tab.send_button)
        await self._wait("an answer", lambda: bool(tab.session.answer.text) and not tab.session.is_busy)
        self.report["forgotten"] = self._answer(tab).notice_label.text()

    async def _lose_engine(self) -> None:
        """The engine is started anew while a chat answers: the chat says so, and is answered when asked again."""
        tab, window = self._tabs["second"], self._window
        window.change_setting(options.MAX_TOKENS, MAX_TOKENS)
        window.tabs.setCurrentWidget(tab)
        await self._type(tab.composer, "Go on.")
        await self._key(tab.composer, Qt.Key.Key_Return)
        await self._wait("an answer's begin", lambda: bool(tab.session.answer.text))
        loaded: list[ModelLoaded | None] = []
        window.models.loaded_changed.connect(loaded.append)
        await self._key(window, Qt.Key.Key_K, CTRL)
        await self._wait("the commands", lambda: window.findChild(CommandPalette) is not None)
        palette = window.findChild(CommandPalette)
        assert palette is not None, "the commands are gone"
        await self._type(palette.line, "restart")
        await self._key(palette.line, Qt.Key.Key_Return)
        await self._wait("the failure", lambda: tab.session.phase is Phase.FAILED)
        panel = self._answer(tab).error_panel
        await self._wait("the button", panel.retry_button.isVisible)
        self.report["failure"] = panel.note.text()
        await self._click(panel.note.copy_button)
        # Details follow.
        self.report["copied_failure"] = QGuiApplication.clipboard().text().splitlines()[0]
        # As the window knows it: what the engine has told is not yet told to the tabs.
        await self._wait("the model", lambda: any(model is not None for model in loaded))
        await self._click(self._answer(tab).error_panel.retry_button)
        await self._wait("the answer", lambda: not tab.session.is_busy)
        self.report["retried"] = [tab.session.phase.value, bool(tab.session.answer.text)]


def small_config(home: Path) -> EngineConfig:
    (entry,) = list_models(home)
    num_bytes = NUM_BLOCKS * 16 * entry.spec.kv_bytes_per_token(element_size_bytes=2)
    return EngineConfig(home=home, kv_budget_bytes=num_bytes)


if __name__ == "__main__":
    data_folder = Path(sys.argv[1])
    sys.exit(main(data_folder, CrowdDriver, small_config(data_folder)))

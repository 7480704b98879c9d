"""Owns the actions of the window as a whole: their words, their keys, and the buttons that show and hide the sides.

Does not know what they do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDockWidget, QStackedWidget, QToolButton

from app.actions import Actions
from app.chat.stop_key import StopKey
from app.i18n import translate
from app.widgets.icons import show_icon

if TYPE_CHECKING:
    from app.chat.chat_controller import ChatController
    from app.chat.chat_tabs import ChatTabs
    from app.commands.commands_controller import CommandsController
    from app.desktop.diagnostics_controller import DiagnosticsController
    from app.models.model_page import ModelPage
    from app.visualizer.memory_panel import MemoryPanel
    from app.widgets.status_line import StatusLine

_ZOOM_STEP_PERCENT = 10


class _Window(Protocol):
    """What the actions need of the window."""

    action_list: Actions
    pages: QStackedWidget
    chats: ChatController
    tabs: ChatTabs
    commands: CommandsController
    diagnostics: DiagnosticsController
    status_line: StatusLine
    sidebar_dock: QDockWidget
    memory_dock: QDockWidget
    memory_panel: MemoryPanel
    model_page: ModelPage

    def new_chat(self) -> None: ...

    def show_chats(self) -> None: ...

    def show_home(self) -> None: ...

    def show_models(self) -> None: ...

    def show_settings(self) -> None: ...

    def zoom_by(self, percent: int) -> None: ...

    def reset_zoom(self) -> None: ...

    def restart_engine(self) -> None: ...

    def quit(self) -> None: ...


def add_window_actions(window: _Window) -> None:
    StopKey(window.tabs)
    add = window.action_list.add
    # The first ones are what the list of commands begins with.
    add(translate("app", "New chat"), window.new_chat, ["Ctrl+T"])
    add(translate("app", "Models"), window.show_models)
    add(translate("app", "Settings"), window.show_settings, ["Ctrl+,"])
    add(translate("app", "Search all chats"), lambda: _search_chats(window), ["Ctrl+Shift+F"])
    add(translate("app", "Find in this chat"), _in_chats(window, window.chats.find_in_chat), ["Ctrl+F"])
    add(translate("app", "Take the last deletion back"), window.chats.undo, ["Ctrl+Z"])
    add(translate("app", "Reopen the tab closed last"), window.chats.reopen, ["Ctrl+Shift+T"])
    add(translate("app", "Close tab"), lambda: _close_tab(window), ["Ctrl+W"])
    beside_words = translate("app", "Show this chat beside, or end the split")
    add(beside_words, _in_chats(window, window.tabs.toggle_beside), ["Ctrl+\\"])
    add(translate("app", "Next tab"), _in_chats(window, lambda: window.tabs.step(1)), ["Ctrl+Tab"])
    add(translate("app", "Previous tab"), _in_chats(window, lambda: window.tabs.step(-1)), ["Ctrl+Shift+Tab"])
    add(translate("app", "All open tabs"), _in_chats(window, window.tabs.buttons.open_list), ["Ctrl+Shift+A"])
    add(translate("app", "New folder"), window.chats.folders.add)
    add(translate("app", "Trash"), lambda: _show_trash(window))
    add(translate("app", "Import chats…"), window.chats.transfer.ask_for_import)
    add(translate("app", "Export this chat…"), window.chats.export_current)
    add(translate("app", "Export all chats…"), window.chats.transfer.ask_for_all)
    add(translate("app", "Larger text"), lambda: window.zoom_by(_ZOOM_STEP_PERCENT), ["Ctrl++", "Ctrl+="])
    add(translate("app", "Smaller text"), lambda: window.zoom_by(-_ZOOM_STEP_PERCENT), ["Ctrl+-"])
    add(translate("app", "Text of the usual size"), window.reset_zoom, ["Ctrl+0"])
    _add_dock_actions(window)
    add(translate("app", "How many chats fit"), lambda: _show_planner(window))
    window.model_page.planner_requested.connect(lambda: _show_planner(window))
    add(translate("app", "Keys"), window.commands.show_keys, ["F1"])
    add(translate("app", "Save diagnostics"), window.diagnostics.ask)
    add(translate("app", "Restart the engine"), window.restart_engine)
    add(translate("app", "Quit"), window.quit, ["Ctrl+Q"])


def _in_chats(window: _Window, act: Callable[[], object]) -> Callable[[], None]:
    """What is done in the row of tabs: from another page the chats are shown first."""

    def run() -> None:
        if window.pages.currentWidget() is not window.tabs:
            window.show_chats()
        act()

    return run


def _close_tab(window: _Window) -> None:
    """Closes the tab in sight; a page in the chats' place only goes, as the chat behind it may be answering."""
    if window.pages.currentWidget() is window.tabs:
        window.tabs.close_current()
    else:
        window.show_home()


def _search_chats(window: _Window) -> None:
    window.sidebar_dock.show()
    window.chats.search_chats()


def _show_trash(window: _Window) -> None:
    window.sidebar_dock.show()
    window.chats.trash.show()


def _show_planner(window: _Window) -> None:
    window.memory_dock.show()
    window.memory_panel.show_planner()


def _add_dock_actions(window: _Window) -> None:
    """With a button each at the end of the status line."""
    for dock, words, keys, icon_name in (
        (window.sidebar_dock, translate("app", "Show or hide the chats"), "Ctrl+B", "chats"),
        (window.memory_dock, translate("app", "Show or hide the memory"), "Ctrl+M", "memory"),
    ):
        toggle = dock.toggleViewAction()
        toggle.setText(words)
        toggle.setShortcut(QKeySequence(keys))
        toggle.setToolTip(f"{words} ({keys})")
        window.action_list.add_action(toggle)
        button = QToolButton()
        button.setDefaultAction(toggle)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setAccessibleName(words)
        show_icon(toggle, icon_name, "muted")
        window.status_line.addPermanentWidget(button)

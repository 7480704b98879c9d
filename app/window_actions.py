"""Owns the actions of the window as a whole: their words, their keys, and the buttons that show and hide the sides.

Does not know what they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton

from app.i18n import translate
from app.widgets.icons import show_icon

if TYPE_CHECKING:
    from app.main_window import MainWindow

_ZOOM_STEP_PERCENT = 10


def add_window_actions(window: MainWindow) -> None:
    add = window.action_list.add
    add(translate("app", "New chat"), window.new_chat, ["Ctrl+T"])
    add(translate("app", "Reopen the tab closed last"), window.chats.reopen, ["Ctrl+Shift+T"])
    add(translate("app", "Close tab"), window.tabs.close_current, ["Ctrl+W"])
    add(translate("app", "Next tab"), lambda: window.tabs.step(1), ["Ctrl+Tab"])
    add(translate("app", "Previous tab"), lambda: window.tabs.step(-1), ["Ctrl+Shift+Tab"])
    add(translate("app", "Models"), window.show_models)
    add(translate("app", "Settings"), window.show_settings, ["Ctrl+,"])
    add(translate("app", "Larger text"), lambda: window.zoom_by(_ZOOM_STEP_PERCENT), ["Ctrl++", "Ctrl+="])
    add(translate("app", "Smaller text"), lambda: window.zoom_by(-_ZOOM_STEP_PERCENT), ["Ctrl+-"])
    add(translate("app", "Text of the usual size"), window.reset_zoom, ["Ctrl+0"])
    _add_dock_actions(window)
    add(translate("app", "Quit"), window.close, ["Ctrl+Q"])


def _add_dock_actions(window: MainWindow) -> None:
    """With a button each at the end of the status line."""
    for dock, keys, icon_name in ((window.sidebar_dock, "Ctrl+B", "chats"), (window.memory_dock, "Ctrl+M", "memory")):
        toggle = dock.toggleViewAction()
        toggle.setShortcut(QKeySequence(keys))
        toggle.setToolTip(f"{dock.windowTitle()} ({keys})")
        window.action_list.add_action(toggle)
        button = QToolButton()
        button.setDefaultAction(toggle)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setAccessibleName(dock.windowTitle())
        show_icon(toggle, icon_name, "muted")
        window.status_line.addPermanentWidget(button)

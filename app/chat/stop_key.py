"""Owns Esc for the answers in sight, where nothing else in the window has a use for the key.

Does not know what else uses it: whatever does takes it before it comes to the window.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from app.chat.chat_tabs import ChatTabs


class StopKey(QObject):
    """Child of the window in which the tabs are. The chat with the focus takes the key by itself while it answers."""

    def __init__(self, tabs: ChatTabs) -> None:
        window = tabs.window()
        super().__init__(window)
        self._tabs = tabs
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            # Behind another page nobody sees what would be stopped.
            answering = [tab for tab in self._tabs.tabs() if tab.isVisible() and tab.session.is_busy]
            if answering:
                current = self._tabs.current_tab()
                (current if current in answering else answering[0]).stop()
                return True
        return False

"""Owns Esc for the answer of the chat in sight, where nothing else in the window has a use for the key.

Does not know what else uses it: whatever does takes it before it comes to the window.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from app.chat.chat_tabs import ChatTabs


class StopKey(QObject):
    """Child of the window in which the tabs are."""

    def __init__(self, tabs: ChatTabs) -> None:
        window = tabs.window()
        super().__init__(window)
        self._tabs = tabs
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            tab = self._tabs.current_tab()
            # Behind another page nobody sees what would be stopped.
            if event.key() == Qt.Key.Key_Escape and tab is not None and tab.isVisible() and tab.session.is_busy:
                tab.stop()
                return True
        return False

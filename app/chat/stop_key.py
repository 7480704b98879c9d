"""Owns Esc for the answers in sight, where nothing else in the window has a use for the key.

Does not know what else uses it: whatever does takes it before it comes to the window.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.chat_tabs import ChatTabs
from app.chat.tab import ChatTab


class StopKey(QObject):
    """Child of the window in which the tabs are. The chat with the focus takes the key by itself while it answers."""

    def __init__(self, tabs: ChatTabs) -> None:
        window = tabs.window()
        super().__init__(window)
        self._tabs = tabs
        self._last_used_id = ""
        """Of the chat that had the focus last."""
        window.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication), f"the application is {app!r}"
        app.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, _: QWidget | None, focus: QWidget | None) -> None:
        # Upwards from the focus: the tabs may be gone already when a window is closed.
        while focus is not None and not isinstance(focus, ChatTab):
            focus = focus.parentWidget()
        if focus is not None:
            self._last_used_id = focus.session.id

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            # Behind another page nobody sees what would be stopped.
            answering = [tab for tab in self._tabs.tabs() if tab.isVisible() and tab.session.is_busy]
            if answering:
                self._choose(answering).stop()
                return True
        return False

    def _choose(self, answering: list[ChatTab]) -> ChatTab:
        """Of two side by side the one that was used last."""
        return next((tab for tab in answering if tab.session.id == self._last_used_id), answering[0])

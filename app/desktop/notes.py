"""Owns what is told a person who is not looking: notes of the desktop, and words for a screen reader.

Does not know what happened; it is given the words.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.widgets.icons import icon

_SHOWN_MS = 10_000


class Notes(QObject):
    """Shows a note while another window is in front; the taskbar entry asks for attention too."""

    clicked = Signal()

    def __init__(self, window: QWidget, is_wanted: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window = window
        self._is_wanted = is_wanted
        self._tray: QSystemTrayIcon | None = None

    def show(self, title: str, text: str) -> bool:
        """Whether the note was shown: it is wanted, and the window is not in front."""
        if self._window.isActiveWindow() or not self._is_wanted():
            return False
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            if self._tray is None:
                self._tray = QSystemTrayIcon(icon("chats", "accent"), self)
                self._tray.messageClicked.connect(self.clicked)
                self._tray.activated.connect(self.clicked)
            self._tray.show()
            self._tray.showMessage(title, text, QSystemTrayIcon.MessageIcon.NoIcon, _SHOWN_MS)
        return True

    def hide(self) -> None:
        """The person has come back."""
        if self._tray is not None:
            self._tray.hide()


def announce(widget: QWidget, text: str) -> None:
    """Has a screen reader say `text` when it has finished what it says; without one nothing happens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))

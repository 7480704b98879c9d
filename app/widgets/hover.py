"""Owns that a button does not look pointed at any more once a window or dialog has opened over it.

Does not know the buttons. Where something opens between two movements of the pointer, Qt is not always told that it has
left, and the button under it stays lit; or it is, and does not paint the button anew.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_CHANGES = frozenset({
    QEvent.Type.WindowActivate,
    QEvent.Type.WindowDeactivate,
    QEvent.Type.WindowBlocked,
    QEvent.Type.WindowUnblocked,
})  # fmt: skip


class HoverKeeper(QObject):
    """Child of a window, and as long-lived."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _CHANGES:
            # When what opens or closes has done so.
            QTimer.singleShot(0, self, self._settle)
        return False

    def _settle(self) -> None:
        pointed = QApplication.widgetAt(QCursor.pos())
        modal = QApplication.activeModalWidget()
        is_blocked = modal is not None and modal.window() is not self._window
        for button in self._window.findChildren(QAbstractButton):
            if button.isVisible() and (is_blocked or button is not pointed):
                let_go(button)


def let_go(button: QAbstractButton) -> None:
    """Takes away the look of a button that is pointed at, where it has it."""
    if button.testAttribute(Qt.WidgetAttribute.WA_UnderMouse):
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
        QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
    # Also where Qt knows by now: what is seen may be older.
    button.update()

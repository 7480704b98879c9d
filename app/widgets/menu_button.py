"""Owns that a button which opens a menu looks let go once the menu is closed.

Knows nothing of the menu.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolButton


def let_go_after_menu(button: QToolButton) -> None:
    """For a button that has its menu: Qt does not tell it that the pointer has left while the menu was open."""
    button.menu().aboutToHide.connect(lambda: QTimer.singleShot(0, button, lambda: _let_go(button)))


def _let_go(button: QToolButton) -> None:
    button.setDown(False)
    is_under_mouse = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_under_mouse)
    button.update()

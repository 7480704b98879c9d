"""A button over which something has opened does not stay lit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.hover import HoverKeeper


def test_a_button_is_not_lit_behind_a_dialog_nor_after_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    HoverKeeper(window)
    button = QPushButton("Attach")
    QVBoxLayout(window).addWidget(button)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    dialog = QDialog(window)
    dialog.open()
    qtbot.waitUntil(lambda: not button.underMouse())
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    dialog.close()
    qtbot.waitUntil(lambda: not button.underMouse())

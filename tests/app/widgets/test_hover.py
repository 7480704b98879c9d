"""A button over which something has opened does not stay lit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.hover import HoverKeeper


class PaintedButton(QPushButton):
    """Counts how often it is painted while it is not pointed at."""

    def __init__(self) -> None:
        super().__init__("Attach")
        self.num_paintings = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.num_paintings += not self.underMouse()


@pytest.mark.parametrize("does_qt_know", [False, True])
def test_a_button_is_not_lit_behind_a_dialog_nor_after_it(qtbot: QtBot, does_qt_know: bool) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    HoverKeeper(window)
    button = PaintedButton()
    QVBoxLayout(window).addWidget(button)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    dialog = QDialog(window)
    for change in (dialog.open, dialog.close):
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        button.repaint()
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, not does_qt_know)
        before = button.num_paintings
        change()
        qtbot.waitUntil(lambda before=before: button.num_paintings > before)  # type: ignore[misc]
        assert not button.underMouse()

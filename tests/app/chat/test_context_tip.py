"""The gauge's tip stands above what is being written, and within the window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QToolTip

from tests.app.chat.desk import Desk

_FRAME_PX = 4
"""By which a window that was just shown may still move."""


def test_the_gauges_tip_leaves_the_field_free_and_stays_in_the_window(desk: Desk) -> None:
    desk.qtbot.mouseClick(desk.tab.gauge, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(QToolTip.isVisible)
    tip = next(one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel"))
    left = desk.tab.mapToGlobal(QPoint(0, 0)).x()
    assert tip.geometry().bottom() <= desk.tab.composer.mapToGlobal(QPoint(0, 0)).y()
    assert tip.x() >= left - _FRAME_PX
    assert tip.geometry().right() <= left + desk.tab.width() + _FRAME_PX
    QToolTip.hideText()

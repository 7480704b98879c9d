"""A field that drops down a list shows the entries whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QStyleOptionComboBox, QToolTip
from pytestqt.qtbot import QtBot

from app.theme import apply_theme, apply_zoom
from app.widgets.fields import ChoiceBox


@pytest.mark.parametrize("zoom", [100, 150])
@pytest.mark.parametrize("num_entries", [1, 4, 9])
def test_a_list_is_as_high_as_its_entries(qtbot: QtBot, qapp: QApplication, num_entries: int, zoom: int) -> None:
    apply_theme(qapp, "light")
    apply_zoom(qapp, zoom)
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItems([f"entry {number}" for number in range(num_entries)])
    box.show()
    box.showPopup()
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    last = view.visualRect(box.model().index(num_entries - 1, 0))
    assert view.viewport().rect().contains(last)
    assert view.viewport().height() <= last.bottom() + last.height()
    box.hidePopup()
    apply_zoom(qapp, 100)


def test_a_choice_that_has_no_room_is_shortened_and_told_as_a_tip(qtbot: QtBot) -> None:
    words = "Q4_K_M, 1.1 GB: fits, with 16 chats of 8,192 tokens"
    box = ChoiceBox()
    box.addItem(words)
    qtbot.addWidget(box)
    box.resize(160, 26)
    box.show()
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    assert option.currentText.endswith("…")
    assert words.startswith(option.currentText[:-1])
    place = QPoint(10, 10)
    QApplication.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, place, box.mapToGlobal(place)))
    assert QToolTip.text() == words
    QToolTip.hideText()
    box.resize(box.sizeHint())
    box.initStyleOption(option)
    assert option.currentText == words

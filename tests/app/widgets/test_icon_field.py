"""A field to search with: its cross empties it, and its icons grow with the zoom."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme import apply_zoom
from app.widgets.icon_field import IconField


@pytest.fixture
def field(qtbot: QtBot) -> IconField:
    field = IconField("search")
    qtbot.addWidget(field)
    field.resize(200, field.sizeHint().height())
    field.show()
    return field


def test_the_cross_is_there_while_there_is_text_and_empties_the_field(qtbot: QtBot, field: IconField) -> None:
    assert not field.clear_button.isVisible()
    qtbot.keyClicks(field, "ferry")
    assert field.clear_button.isVisible()
    with qtbot.waitSignal(field.textChanged):
        qtbot.mouseClick(field.clear_button, Qt.MouseButton.LeftButton)
    assert field.text() == ""
    assert not field.clear_button.isVisible()


def test_the_icons_of_a_field_grow_with_the_zoom_and_leave_its_text_room(qapp: QApplication, field: IconField) -> None:
    edge = field._label.width()
    apply_zoom(qapp, 150)
    field.resize(200, field.sizeHint().height())
    assert field._label.width() == edge * 3 // 2
    assert field._label.geometry().right() < field.cursorRect().left() + field.cursorRect().width() // 2
    apply_zoom(qapp, 100)

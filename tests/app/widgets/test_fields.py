"""The fields of forms keep their place and their words their distance."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionButton
from pytestqt.qtbot import QtBot

from app.theme import apply_theme
from app.widgets.fields import CheckBox, ChoiceBox, NumberBox, Slider, WholeNumberBox


def test_a_box_with_the_focus_is_as_large_as_without(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, "light")
    box = CheckBox("Top-k")
    qtbot.addWidget(box)
    box.ensurePolished()
    widths = []
    for state in (QStyle.StateFlag.State_None, QStyle.StateFlag.State_HasFocus):
        option = QStyleOptionButton()
        box.initStyleOption(option)
        option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active | state
        widths.append(box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box).size())
    assert widths[0] == widths[1]


def test_a_number_stands_away_from_the_fields_edge(qtbot: QtBot) -> None:
    box = NumberBox(decimals=2)
    qtbot.addWidget(box)
    assert box.lineEdit().textMargins().left() >= 4


def _choice() -> ChoiceBox:
    box = ChoiceBox()
    box.addItems(["smallest", "balanced", "faithful"])
    return box


@pytest.mark.parametrize("make", [_choice, NumberBox, WholeNumberBox, Slider])
def test_the_wheel_scrolls_past_a_field_without_changing_it(qtbot: QtBot, make) -> None:
    field = make()
    qtbot.addWidget(field)
    value = field.currentIndex if isinstance(field, ChoiceBox) else field.value
    field.show()
    field.setFocus()
    before = value()
    for notch in (-120, 120):
        event = QWheelEvent(
            QPointF(5, 5),
            QPointF(field.mapToGlobal(QPoint(5, 5))),
            QPoint(0, 0),
            QPoint(0, notch),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(field, event)
        assert value() == before
        assert not event.isAccepted()

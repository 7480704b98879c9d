"""The fields of forms keep their place and their words their distance."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionButton
from pytestqt.qtbot import QtBot

from app.theme import apply_theme
from app.widgets.fields import CheckBox, NumberBox


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

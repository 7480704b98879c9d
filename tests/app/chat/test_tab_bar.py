"""The row of tabs where there is little room: titles are shortened alike, then the row is scrolled and listed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QStyleOptionTab, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.chat.tab_bar import MIN_TITLE_CHARACTERS, ChatTabBar, TabButtons
from app.theme import apply_zoom

TITLES = ["New chat", *(f"What is the capital of number {number}" for number in range(5))]


@pytest.fixture(params=[100, 150])
def bar(request: pytest.FixtureRequest, qtbot: QtBot, qapp: QApplication) -> Iterator[ChatTabBar]:
    apply_zoom(qapp, request.param)
    bar = ChatTabBar()
    row = QTabWidget()
    row.setTabBar(bar)
    qtbot.addWidget(row)
    for title in TITLES:
        row.setTabToolTip(row.addTab(QWidget(), title), title)
    row.resize(4000, 100)
    row.show()
    yield bar
    apply_zoom(qapp, 100)


def widths(bar: ChatTabBar, room_px: int) -> list[int]:
    bar.show_room(room_px)
    # The row gives the bar its room first.
    QApplication.processEvents()
    return [bar.tabRect(index).width() for index in range(bar.count())]


def test_titles_are_whole_while_there_is_room(bar: ChatTabBar) -> None:
    wide = widths(bar, 4000)
    needed = [bar.fontMetrics().horizontalAdvance(title) for title in TITLES]
    assert all(width > title_px for width, title_px in zip(wide, needed, strict=True))
    assert wide[0] < wide[1]


def test_they_are_shortened_alike_and_fill_the_room(bar: ChatTabBar) -> None:
    room_px = sum(widths(bar, 4000)) * 4 // 5
    narrow = widths(bar, room_px)
    assert len(set(narrow[1:])) == 1
    assert room_px - len(TITLES) <= sum(narrow) <= room_px


def test_some_of_each_title_is_left_and_the_current_tab_is_no_narrower(bar: ChatTabBar) -> None:
    bar.setCurrentIndex(0)
    narrow = widths(bar, 100)
    assert narrow[0] == max(narrow)
    assert narrow[1] > MIN_TITLE_CHARACTERS * bar.fontMetrics().averageCharWidth()
    bar.setCurrentIndex(3)
    bar.lay_out()
    assert widths(bar, 100)[0] < narrow[0]
    assert widths(bar, 100)[3] == narrow[3]


def test_the_list_has_whole_titles_and_leads_to_a_tab(qtbot: QtBot, bar: ChatTabBar) -> None:
    pixmap = QPixmap(16, 16)
    pixmap.fill(QColor("red"))
    bar.setTabIcon(2, QIcon(pixmap))
    buttons = TabButtons(bar)
    row = bar.parentWidget()
    assert isinstance(row, QTabWidget)
    row.setCornerWidget(buttons)
    assert buttons.list_button.accessibleName() == "All open tabs"
    menu = buttons.open_list()
    assert [action.text() for action in menu.actions()] == TITLES
    assert [action.isChecked() for action in menu.actions()] == [True] + [False] * 5
    assert not menu.actions()[2].icon().isNull()
    menu.actions()[4].trigger()
    assert bar.currentIndex() == 4
    menu.close()


def test_a_shortened_branch_is_told_from_its_origin(bar: ChatTabBar) -> None:
    bar.setTabText(1, f"{TITLES[1]} (branch)")
    widths(bar, 400)
    shown = []
    for index in (1, 2):
        option = QStyleOptionTab()
        bar.initStyleOption(option, index)
        shown.append(option.text)
    assert "…" in shown[0]
    assert shown[0].endswith("ch)")
    assert shown[1].endswith("…")


def test_a_state_behind_a_title_is_no_part_of_what_is_shortened(bar: ChatTabBar) -> None:
    bar.setTabText(1, f"{TITLES[1]} (branch)  (2nd)")
    bar.setTabData(1, "  (2nd)")
    widths(bar, 1_000)
    option = QStyleOptionTab()
    bar.initStyleOption(option, 1)
    assert "…" in option.text
    assert option.text.endswith(")  (2nd)")

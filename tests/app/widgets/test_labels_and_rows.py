"""Text that gives way, and cards that stand side by side while there is room."""

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.theme import apply_zoom
from app.widgets.card import Card
from app.widgets.card_row import CardRow
from app.widgets.elided_label import ElidedLabel
from app.widgets.flow import Flow
from app.widgets.page import Page
from app.widgets.text_label import TextLabel

LONG = "写一封正式的道歉信给房东 – and then a long English tail"


def test_long_text_ends_in_an_ellipsis_and_stands_in_the_tooltip(qtbot):
    label = ElidedLabel(LONG)
    qtbot.addWidget(label)
    label.resize(90, 20)
    label.grab()
    assert label.shown_text().endswith("…")
    assert label.toolTip() == LONG


def test_a_title_that_is_cut_keeps_the_mark_at_its_end(qtbot):
    label = ElidedLabel(f"{LONG} (branch)", mode=None)
    qtbot.addWidget(label)
    label.resize(160, 20)
    assert label.shown_text().endswith("… (branch)")
    assert label.shown_text().startswith("写一封")
    label.setText(LONG)
    assert label.shown_text().endswith("…")


def test_a_title_with_a_mark_never_takes_more_than_its_room(qtbot):
    label = ElidedLabel("Sea trip (branch)", mode=None)
    qtbot.addWidget(label)
    for width_px in range(20, 200):
        label.resize(width_px, 20)
        shown = label.shown_text()
        assert label.fontMetrics().horizontalAdvance(shown) <= max(width_px, label.fontMetrics().horizontalAdvance("…"))
        assert shown.startswith("S") or shown == "…" or not shown
    assert label.shown_text() == "Sea trip (branch)"


def test_text_with_room_is_whole_and_needs_no_tooltip(qtbot):
    label = ElidedLabel("Trip plan")
    qtbot.addWidget(label)
    label.resize(400, 20)
    label.grab()
    assert label.shown_text() == "Trip plan"
    assert label.toolTip() == ""


def test_text_is_never_read_as_markup(qtbot):
    label = TextLabel("<b>bold</b>")
    qtbot.addWidget(label)
    plain = TextLabel("bold")
    qtbot.addWidget(plain)
    assert label.sizeHint().width() > plain.sizeHint().width()


def test_one_long_word_does_not_widen_its_surroundings(qtbot):
    label = TextLabel("x" * 500)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 200


def test_cards_stand_in_a_row_and_in_a_column_where_it_is_narrow(qtbot):
    first, second = Card(), Card()
    row = CardRow([first, second])
    qtbot.addWidget(row)
    row.show()
    row.resize(1000, 200)
    qtbot.waitUntil(lambda: first.x() < second.x() and first.y() == second.y())
    row.resize(300, 200)
    qtbot.waitUntil(lambda: first.x() == second.x() and first.y() < second.y())


@pytest.mark.parametrize("zoom", [100, 200])
def test_column_of_a_page_is_no_wider_than_can_be_read(qtbot, qapp: QApplication, zoom: int):
    page = Page()
    qtbot.addWidget(page)
    page.column.addWidget(TextLabel(LONG))
    apply_zoom(qapp, zoom)
    page.resize(3000, 400)
    page.show()
    content = page.column.parentWidget()
    qtbot.waitUntil(lambda: 0 < content.width() <= 110 * page.fontMetrics().averageCharWidth())
    apply_zoom(qapp, 100)


def test_number_and_unit_stay_in_one_line_and_the_text_is_as_it_was_given(qtbot):
    label, glued = TextLabel("24 GiB"), TextLabel("24\u00a0GiB")
    for one in (label, glued):
        qtbot.addWidget(one)
    narrow = label.fontMetrics().horizontalAdvance("24 G")
    assert label.heightForWidth(narrow) == glued.heightForWidth(narrow)
    assert label.text() == "24 GiB"


def test_widgets_of_unlike_heights_stand_on_one_middle_line(qtbot):
    flow, low, high = Flow(), QPushButton("a"), QPushButton("b\nc")
    flow.add(low)
    flow.add(high)
    qtbot.addWidget(flow)
    flow.resize(400, 100)
    flow.show()
    assert abs(low.geometry().center().y() - high.geometry().center().y()) <= 1
    assert low.y() > high.y() == 0


def test_a_row_makes_room_when_one_of_its_widgets_asks_for_more(qtbot):
    """A square of a legend grows with the zoom, though nobody arranges its row."""
    flow = Flow()
    qtbot.addWidget(flow)
    first, second = QLabel("a"), QLabel("b")
    for label in (first, second):
        flow.add(label)
    flow.resize(2000, 40)
    flow.show()
    before_px = second.x()
    first.setText("a square that has grown")
    qtbot.waitUntil(lambda: first.width() == first.sizeHint().width() and second.x() > before_px)

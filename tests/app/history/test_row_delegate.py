"""What a narrow row shows of a text in which something was found."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics, QTextLayout
from PySide6.QtWidgets import QApplication

from app.history.row_delegate import begun_at_word, bold_excess_px, elided, line_height_px


@pytest.mark.parametrize(
    ("text", "piece", "room_for", "expected"),
    [
        ("the king rode out", "king", "the king…", "the king rode out"),
        ("…far away, there was a king named", "king", "there was a king…", "…was a king named"),
        ("there was a King", "king", "K", "…King"),
        ("从前有一位国王骑马出行", "国王", "国王国王", "…国王骑马出行"),
        ("the king rode out", "", "t", "the king rode out"),
        ("the king rode out", "queen", "t", "the king rode out"),
    ],
)
def test_what_was_found_is_not_cut_off(qapp: QApplication, text: str, piece: str, room_for: str, expected: str) -> None:
    font, words = qapp.font(), (piece,) if piece else ()
    metrics = QFontMetrics(font)
    # With some air, less than a letter takes: where text just fits, fonts differ in how their advances are rounded.
    air_px = metrics.horizontalAdvance("…") // 2
    width_px = metrics.horizontalAdvance(room_for) + bold_excess_px(text, words, font) + air_px
    assert begun_at_word(text, words, font, width_px) == expected


def test_what_was_found_is_whole_in_every_row_that_has_room_for_it(qapp: QApplication) -> None:
    font, words = qapp.font(), ("ferry",)
    text = "be back at the pier by 18:15, as the last ferry leaves at 18:30, and no ferry goes later"
    for width_px in range(QFontMetrics(font).horizontalAdvance("…ferry ferry"), 400):
        assert "ferry" in elided(begun_at_word(text, words, font, width_px), words, font, width_px)


def test_bold_letters_leave_less_room_for_the_rest(qapp: QApplication) -> None:
    assert bold_excess_px("a ferry, another Ferry", ("ferry",), qapp.font()) == 2 * bold_excess_px(
        "ferry", ("ferry",), qapp.font()
    )
    assert bold_excess_px("ferry", ("ferry",), qapp.font()) > 0
    assert bold_excess_px("ferry", (), qapp.font()) == 0


def test_both_lines_of_a_hit_have_the_height_of_their_own_script(qapp: QApplication) -> None:
    """Where no font of another script is there its letters are no higher, and the row is as high as before."""
    font = qapp.font()
    layout = QTextLayout("出行计划", font)
    layout.beginLayout()
    needed = layout.createLine().height()
    layout.endLayout()
    assert line_height_px("出行计划", font) >= needed
    assert line_height_px("", font) >= QFontMetrics(font).height()

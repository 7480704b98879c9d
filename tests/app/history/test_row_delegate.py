"""What a narrow row shows of a text in which something was found."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from app.history.row_delegate import begun_at_piece


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
    metrics = QFontMetrics(qapp.font())
    assert begun_at_piece(text, piece, metrics, metrics.horizontalAdvance(room_for)) == expected

"""The figures under an answer, in little room."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.chat.answer_figures import Figures
from app.chat.figures_label import FiguresLabel

FIGURES = Figures("62 tok/s", "first token 0.21 s", "230 tokens", "412 cached", "finished")


def test_what_counts_least_gives_way_first_and_all_stands_in_the_tip(qtbot: QtBot) -> None:
    label = FiguresLabel()
    qtbot.addWidget(label)
    label.show_figures(FIGURES, "seed 99")
    shown = []
    for text in FIGURES.shortened():
        label.resize(label.fontMetrics().horizontalAdvance(text) + 1, 20)
        label._fit()
        shown.append(label.text())
    assert shown == [
        "62 tok/s · first token 0.21 s · 230 tokens · 412 cached · finished",
        "62 tok/s · first token 0.21 s · 230 tokens · finished",
        "62 tok/s · 230 tokens · finished",
        "62 tok/s · finished",
        "finished",
    ]
    assert label.toolTip() == f"{shown[0]}\nseed 99"
    assert label.accessibleName() == shown[0]
    label.resize(2000, 20)
    label._fit()
    assert (label.text(), label.toolTip()) == (shown[0], "seed 99")


def test_where_no_word_has_room_nothing_stands_there(qtbot: QtBot) -> None:
    label = FiguresLabel()
    qtbot.addWidget(label)
    label.show_figures(Figures("", "", "", "", "stopped at the limit of 1,024 tokens"), "")
    label.resize(label.fontMetrics().horizontalAdvance("st…") + 1, 20)
    label._fit()
    assert label.text() == ""
    assert label.toolTip() == "stopped at the limit of 1,024 tokens"

"""Each phase has a mark of its own, on the owner's colour."""

from __future__ import annotations

from PySide6.QtGui import QColor, QGuiApplication, QIcon, QImage

from app.chat.chat_words import ordinal
from app.chat.tab_mark import tab_mark
from app.state.session import Phase

ORANGE = QColor("#e69f00")
OUTLINE = QColor("#808080")


def image(phase: Phase, chip: QColor = ORANGE) -> QImage:
    icon: QIcon = tab_mark(phase, chip, OUTLINE, 16, 1.0)
    return icon.pixmap(16, 16).toImage()


def test_every_kind_of_phase_looks_different(qapp: QGuiApplication) -> None:
    phases = (Phase.IDLE, Phase.WAITING, Phase.PREFILL, Phase.STREAMING, Phase.SWAPPED, Phase.FAILED)
    images = [image(phase) for phase in phases]
    assert all(images[a] != images[b] for a in range(len(images)) for b in range(a))


def test_a_mark_that_is_shown_again_is_not_drawn_again(qapp: QGuiApplication) -> None:
    marks = [tab_mark(phase, ORANGE, OUTLINE, 16, 1.0) for phase in (Phase.IDLE, Phase.STREAMING, Phase.IDLE)]
    assert marks[0].cacheKey() == marks[2].cacheKey() != marks[1].cacheKey()


def test_a_mark_has_its_owners_colour_and_stands_out_from_it(qapp: QGuiApplication) -> None:
    for chip, mark in ((ORANGE, QColor("black")), (QColor("#000000"), QColor("white"))):
        drawn = image(Phase.STREAMING, chip)
        assert drawn.pixelColor(2, 8) == chip
        assert drawn.pixelColor(8, 8) == mark


def test_places_in_line_are_ordinals() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip

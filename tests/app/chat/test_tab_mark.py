"""Each phase has a mark of its own, on the owner's colour."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QImage

from app.chat.chat_words import ordinal
from app.chat.tab_mark import tab_mark
from app.state.session import Phase
from app.theme import Theme, icon_size_px

THEMES = ("light", "dark", "contrast")


def image(phase: Phase, owner_index: int = 1, theme_name: str = "dark") -> QImage:
    icon: QIcon = tab_mark(phase, Theme.read(theme_name), owner_index, 1.0)
    return icon.pixmap(icon_size_px(), icon_size_px()).toImage()


def test_every_kind_of_phase_looks_different(qapp: QGuiApplication) -> None:
    phases = (Phase.IDLE, Phase.WAITING, Phase.PREFILL, Phase.STREAMING, Phase.SWAPPED, Phase.FAILED)
    images = [image(phase) for phase in phases]
    assert all(images[a] != images[b] for a in range(len(images)) for b in range(a))


def test_a_mark_that_is_shown_again_is_not_drawn_again(qapp: QGuiApplication) -> None:
    theme = Theme.read("dark")
    marks = [tab_mark(phase, theme, 1, 1.0) for phase in (Phase.IDLE, Phase.STREAMING, Phase.IDLE)]
    assert marks[0].cacheKey() == marks[2].cacheKey() != marks[1].cacheKey()


def test_a_mark_has_its_owners_colour_and_stands_out_from_it(qapp: QGuiApplication) -> None:
    # An orange, and a blue that is too dark for black.
    for index, mark in ((1, QColor("black")), (0, QColor("white"))):
        drawn = image(Phase.STREAMING, index)
        middle = icon_size_px() // 2
        assert drawn.pixelColor(2, middle) == Theme.read("dark").owner_color(index)
        assert drawn.pixelColor(middle, middle) == mark


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("phase", [Phase.IDLE, Phase.STREAMING])
def test_no_two_of_many_chats_have_the_same_mark(qapp: QGuiApplication, name: str, phase: Phase) -> None:
    images = [image(phase, index, name) for index in range(24)]
    assert all(images[a] != images[b] for a in range(len(images)) for b in range(a))


def test_places_in_line_are_ordinals() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip

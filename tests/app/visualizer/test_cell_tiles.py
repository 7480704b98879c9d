"""Every cell says by itself whose it is and what for, in every theme and size."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage

from app.history.chat_list_model import _dot
from app.theme import Theme
from app.visualizer.block_model import BlockKind
from app.visualizer.cell_tiles import CellLook, CellTiles
from app.widgets.owner_mark import contrast

THEMES = ("light", "dark", "contrast")
NUM_CHATS = 24
SMALLEST_PX, USUAL_PX = 6, 12


def drawn(theme_name: str, edge_px: int, look: CellLook) -> QImage:
    return CellTiles(Theme.read(theme_name), edge_px).tile(look).toImage()


def part_with_contrast(image: QImage, fill: QColor) -> float:
    """The part of the picture that has a contrast of at least 3:1 to the colour."""
    places = itertools.product(range(image.width()), range(image.height()))
    return sum(contrast(image.pixelColor(x, y), fill) >= 3 for x, y in places) / (image.width() * image.height())


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", [BlockKind.HELD, BlockKind.CACHED, BlockKind.SWAPPED])
@pytest.mark.parametrize("edge_px", [SMALLEST_PX, USUAL_PX])
def test_no_two_of_many_chats_have_the_same_cells(
    qapp: QGuiApplication, name: str, kind: BlockKind, edge_px: int
) -> None:
    images = [drawn(name, edge_px, CellLook(kind, (index,))) for index in range(NUM_CHATS)]
    assert all(one != other for one, other in itertools.combinations(images, 2))


@pytest.mark.parametrize("name", THEMES)
def test_a_shared_cell_tells_chats_of_the_same_colour_apart(qapp: QGuiApplication, name: str) -> None:
    pairs = [(0, 1), (0, 9), (8, 1), (8, 9), (0, 8), (0, 16), (8, 16), (1, 9)]
    images = [drawn(name, USUAL_PX, CellLook(BlockKind.SHARED, pair)) for pair in pairs]
    assert all(one != other for one, other in itertools.combinations(images, 2))


@pytest.mark.parametrize("name", THEMES)
def test_the_mark_of_a_repeated_colour_is_seen_without_any_colour(qapp: QGuiApplication, name: str) -> None:
    theme = Theme.read(name)
    for index in range(NUM_CHATS):
        part = part_with_contrast(drawn(name, USUAL_PX, CellLook(BlockKind.HELD, (index,))), theme.owner_color(index))
        assert part >= 0.1 if theme.owner_corners(index) else part == 0


@pytest.mark.parametrize("name", THEMES)
def test_a_free_cell_is_a_dot_and_a_cached_one_an_outline(qapp: QGuiApplication, name: str) -> None:
    theme = Theme.read(name)
    dot, ground = theme.color("block_free_line"), theme.color("block_free")
    free = drawn(name, USUAL_PX, CellLook(BlockKind.FREE))
    cached = drawn(name, USUAL_PX, CellLook(BlockKind.CACHED))
    middle = (USUAL_PX - 1) // 2
    assert [free.pixelColor(x, middle) for x in (0, middle, USUAL_PX - 1)] == [ground, dot, ground]
    assert cached.pixelColor(1, USUAL_PX // 2) == theme.color("block_plain")


def test_a_free_cell_is_faint_while_others_are_looked_for(qapp: QGuiApplication) -> None:
    theme = Theme.read("dark")
    free = drawn("dark", USUAL_PX, CellLook(BlockKind.FREE, is_dimmed=True))
    middle = (USUAL_PX - 1) // 2
    assert contrast(free.pixelColor(middle, middle), theme.color("panel")) < 2


@pytest.mark.parametrize("name", THEMES)
def test_the_list_of_chats_marks_them_alike(qapp: QGuiApplication, name: str) -> None:
    images = [_dot(Theme.read(name), index, 16).pixmap(16, 16).toImage() for index in range(NUM_CHATS)]
    assert all(one != other for one, other in itertools.combinations(images, 2))

"""The painted grid, its keys, its words and its filter."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from app.theme import apply_theme, current_theme
from app.visualizer import block_grid
from app.visualizer.block_grid import BlockGrid
from app.visualizer.block_model import BlockKind
from app.visualizer.owners import Owners

from .pools import snapshot


@pytest.fixture
def grid(qtbot, qapp, monkeypatch) -> BlockGrid:
    apply_theme(qapp, "light")
    monkeypatch.setattr(block_grid, "prefers_reduced_motion", lambda: False)
    owners = Owners()
    owners.set_titles({"t": "Trip plan", "r": "Regex help"})
    # Indexes 0 and 1 in this order.
    owners.color_index("t"), owners.color_index("r")
    widget = BlockGrid(owners)
    qtbot.addWidget(widget)
    widget.resize(300, 300)
    with qtbot.waitExposed(widget):
        widget.show()
    # Without the frame of the cursor over the cells.
    widget.clearFocus()
    return widget


def pixels(grid: BlockGrid, block: int) -> set[str]:
    image = grid.viewport().grab().toImage()
    rect = grid.cell_rect(block)
    edge = grid.cell_rect(1).left() - 1
    return {image.pixelColor(rect.left() + x, rect.top() + y).name() for x in range(edge) for y in range(edge)}


def centre(grid: BlockGrid, block: int) -> QColor:
    return grid.viewport().grab().toImage().pixelColor(grid.cell_rect(block).center())


def owner_color(index: int) -> str:
    return current_theme().owner_color(index).name()


def test_cell_has_the_colour_of_its_owner(grid: BlockGrid):
    grid.show_snapshot(snapshot(held={0: "t", 5: "r"}))
    assert centre(grid, 0).name() == owner_color(0)
    assert centre(grid, 5).name() == owner_color(1)
    assert centre(grid, 6) == current_theme().color("block_free_line")


def test_shared_cell_has_stripes_of_all_its_owners(grid: BlockGrid):
    grid.show_snapshot(snapshot(shared={3: ("t", "r")}))
    assert pixels(grid, 3) == {owner_color(0), owner_color(1)}


def test_cell_shared_by_many_shows_each_of_them(grid: BlockGrid):
    names = [f"c{i}" for i in range(8)]
    indexes = [grid._owners.color_index(name) for name in names]
    grid.show_snapshot(snapshot(shared={3: names}))
    # Two of them have colours that were given before, and dashes.
    marks = {current_theme().color(role).name() for role in ("block_mark", "block_bright")}
    assert pixels(grid, 3) - marks == {owner_color(index) for index in indexes}


def test_cached_cell_is_an_outline_in_the_colour_of_its_last_owner(grid: BlockGrid):
    grid.show_snapshot(snapshot(cached={4: "r"}))
    assert centre(grid, 4) == current_theme().color("block_free")
    assert pixels(grid, 4) == {owner_color(1), current_theme().color("block_free").name()}


def test_owner_beyond_the_colours_has_a_mark_on_the_repeated_colour(grid: BlockGrid):
    for i in range(20):
        grid._owners.color_index(f"c{i}")
    first, ninth = "t", "c6"
    assert grid._owners.color_index(ninth) == 8
    grid.show_snapshot(snapshot(held={0: first, 1: ninth}))
    assert centre(grid, 0) == centre(grid, 1)
    assert pixels(grid, 0) < pixels(grid, 1)


def test_only_changed_cells_are_painted(grid: BlockGrid, monkeypatch):
    grid.show_snapshot(snapshot(held={0: "t", 1: "t"}))
    painted: list[int] = []
    monkeypatch.setattr(grid, "_paint_cells", painted.extend)
    grid.show_snapshot(snapshot(held={0: "t", 1: "r", 40: "r"}))
    assert sorted(painted) == [1, 40]


def test_written_cell_is_brighter_for_a_moment(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(held={0: "t"}, written=[0]))
    assert centre(grid, 0).lightness() > QColor(owner_color(0)).lightness()
    qtbot.waitUntil(lambda: centre(grid, 0).name() == owner_color(0))


def test_written_cell_stays_as_it_is_when_motion_is_to_be_reduced(grid: BlockGrid, monkeypatch):
    monkeypatch.setattr(block_grid, "prefers_reduced_motion", lambda: True)
    grid.show_snapshot(snapshot(held={0: "t"}, written=[0]))
    assert centre(grid, 0).name() == owner_color(0)


def test_colours_follow_the_theme(grid: BlockGrid, qapp: QApplication):
    grid.show_snapshot(snapshot())
    light = centre(grid, 0)
    apply_theme(qapp, "dark")
    assert centre(grid, 0) == current_theme().color("block_free_line") != light
    apply_theme(qapp, "light")


def test_filter_lets_one_owner_stand_out(grid: BlockGrid):
    grid.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    grid.set_filter("t")
    assert centre(grid, 0).name() == owner_color(0)
    assert centre(grid, 1).name() != owner_color(1)
    grid.set_filter(None)
    assert centre(grid, 1).name() == owner_color(1)


def test_filter_lets_one_kind_stand_out(grid: BlockGrid):
    grid.show_snapshot(snapshot(held={0: "t"}, shared={1: ("t", "r")}))
    grid.set_filter(BlockKind.SHARED)
    assert centre(grid, 0).name() != owner_color(0)
    assert pixels(grid, 1) == {owner_color(0), owner_color(1)}


def test_arrow_keys_go_from_block_to_block_and_say_where(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(64, held={1: "t"}, shared={17: ("t", "r")}))
    said: list[str] = []
    grid.described.connect(said.append)
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    for key, block in [
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Down, 17),
        (Qt.Key.Key_Left, 16),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_End, 63),
        (Qt.Key.Key_Down, 63),
        (Qt.Key.Key_Right, 63),
        (Qt.Key.Key_Home, 0),
    ]:
        qtbot.keyClick(grid, key)
        assert grid.accessibleDescription().split(" · ")[0] == f"block {block}"
    assert said[:3] == [
        "block 0 · free",
        "block 1 · Trip plan · refs 1",
        "block 17 · Regex help, Trip plan · refs 2 · cached",
    ]
    assert grid.accessibleDescription() == "block 0 · free"


def test_cursor_scrolls_a_large_pool_into_view(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(40_000, held={39_999: "r"}))
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    qtbot.keyClick(grid, Qt.Key.Key_End)
    assert grid.accessibleDescription().startswith(f"block {39_999:,} ")
    assert grid.viewport().rect().contains(grid.cell_rect(39_999).center())
    assert grid.block_at(grid.cell_rect(39_999).center()) == 39_999


def test_hover_says_which_block_and_leaving_goes_back(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(held={2: "t"}))
    said: list[str] = []
    grid.described.connect(said.append)
    qtbot.mouseMove(grid.viewport(), grid.cell_rect(2).center())
    qtbot.waitUntil(lambda: said == ["block 2 · Trip plan · refs 1"])
    QApplication.sendEvent(grid, QEvent(QEvent.Type.Leave))
    assert said[-1] == ""


def test_tooltip_is_the_words_for_the_block(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(shared={2: ("t", "r")}))
    at = grid.cell_rect(2).center()
    event = QHelpEvent(QEvent.Type.ToolTip, at, grid.viewport().mapToGlobal(at))
    QApplication.sendEvent(grid.viewport(), event)
    assert QToolTip.text() == "block 2 · Regex help, Trip plan · refs 2 · cached"


def test_description_of_the_cursor_follows_the_snapshots(grid: BlockGrid, qtbot):
    grid.show_snapshot(snapshot(held={0: "t"}))
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(0).center())
    with qtbot.waitSignal(grid.described) as said:
        grid.show_snapshot(snapshot(step=1))
    assert said.args == ["block 0 · free"]


def test_cleared_grid_has_no_block(grid: BlockGrid):
    grid.show_snapshot(snapshot(held={0: "t"}))
    grid.clear()
    assert grid.block_at(QPoint(2, 2)) is None
    assert centre(grid, 0) == current_theme().color("panel")


def test_grid_has_a_name_for_screen_readers(grid: BlockGrid):
    assert grid.accessibleName() == "Block grid"

"""The memory view as a whole, fed by hand."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel

from app.theme import apply_theme, current_theme
from app.visualizer.block_model import BlockKind
from app.visualizer.cell_tiles import CellLook, CellTiles
from app.visualizer.memory_panel import MemoryPanel
from engine.messages import (
    AskBlock,
    BlockFacts,
    ChatReport,
    EngineStats,
    PrefixNode,
    PrefixTree,
    StepReport,
    StepsTaken,
)

from .pools import MODEL, snapshot


@pytest.fixture
def panel(qtbot) -> MemoryPanel:
    widget = MemoryPanel()
    qtbot.addWidget(widget)
    widget.resize(400, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def row(panel: MemoryPanel, key: str | BlockKind) -> list[str] | None:
    item = panel.table.row(key)
    return None if item is None else [item.text(column) for column in range(4)]


def test_without_a_model_it_says_so(panel: MemoryPanel):
    def words() -> str:
        return " ".join(label.text() for label in panel.findChildren(QLabel) if label.isVisible())

    assert "No model is loaded" in words()
    panel.show_loading("Tiny")
    assert words() == "Loading Tiny …"
    assert not panel.grid.isVisible()


def test_loaded_model_gives_its_numbers_before_any_snapshot(panel: MemoryPanel):
    panel.show_model(MODEL)
    assert panel.numbers.texts() == [
        "weights 100 MiB",
        "workspace 0 B",
        "KV used 0 B 0 blocks",
        "KV pinned 0 B 0 blocks",
        "KV cached 0 B 0 blocks",
        "KV free 1.0 MiB 64 blocks",
    ]


def test_snapshot_gives_bytes_and_blocks(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}, shared={1: ("t", "r")}, cached={2: "t", 3: "t"}))
    qtbot.waitUntil(
        lambda: (
            [panel.numbers.texts()[place] for place in (2, 4, 5)]
            == ["KV used 32 KiB 2 blocks", "KV cached 32 KiB 2 blocks", "KV free 960 KiB 60 blocks"]
        )
    )


def test_stats_are_shown_while_nobody_watches_blocks(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_stats(EngineStats(1, 0, 0, 50, 4, 10, 20.0))
    qtbot.waitUntil(lambda: panel.numbers.texts()[2] == "KV used 160 KiB 10 blocks")


def test_each_chat_has_a_row_with_own_shared_and_cached_blocks(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "旅行计划", "r": "Regex help"})
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 7: "t"}, shared={1: ("t", "r")}, cached={2: "r"}))
    qtbot.waitUntil(lambda: row(panel, "t") == ["旅行计划", "2", "1", "0"])
    assert row(panel, "r") == ["Regex help", "0", "1", "1"]
    assert row(panel, BlockKind.SHARED) == ["shared by chats", "", "1", ""]


def test_row_goes_when_the_chat_has_no_blocks_any_more(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    qtbot.waitUntil(lambda: row(panel, "t") is not None)
    panel.show_snapshot(snapshot(held={0: "r"}, step=1))
    qtbot.waitUntil(lambda: row(panel, "t") is None and row(panel, "r") is not None)


def test_new_title_reaches_its_row(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    panel.set_owner_titles({"t": "Trip plan"})
    qtbot.waitUntil(lambda: row(panel, "t") == ["Trip plan", "1", "0", "0"])


def test_click_in_the_legend_filters_and_a_second_click_takes_it_back(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    qtbot.waitUntil(lambda: panel.table.row("t") is not None)
    seen: list[object] = []
    panel.table.filter_changed.connect(seen.append)
    at = panel.table.visualItemRect(panel.table.row("t")).center()
    for _ in range(2):
        qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert seen == ["t", None]


def test_filter_outlives_new_numbers_and_ends_with_its_owner(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    qtbot.waitUntil(lambda: panel.table.row("r") is not None)
    seen: list[object] = []
    panel.table.filter_changed.connect(seen.append)
    panel.table.setCurrentItem(panel.table.row("r"))
    panel.show_snapshot(snapshot(held={0: "t", 1: "r", 2: "q"}, step=1))
    qtbot.waitUntil(lambda: panel.table.row("q") is not None)
    assert seen == ["r"]
    panel.show_snapshot(snapshot(held={0: "t"}, step=2))
    qtbot.waitUntil(lambda: panel.table.row("r") is None)
    assert seen == ["r", None]


def test_watching_follows_visibility(panel: MemoryPanel):
    seen: list[bool] = []
    panel.watch_changed.connect(seen.append)
    panel.hide()
    panel.show()
    assert seen == [False, True]


def test_colour_of_an_owner_with_a_tab_stays_when_others_go_and_come(panel: MemoryPanel, qtbot):
    panel.set_open_owners(["t", "r"])
    first, second = panel.owner_color_index("t"), panel.owner_color_index("r")
    assert first != second
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "z"}))
    qtbot.waitUntil(lambda: row(panel, "z") is not None)
    panel.show_model(None)
    assert (panel.owner_color_index("t"), panel.owner_color_index("r")) == (first, second)


def test_colour_is_free_again_when_its_owner_has_neither_tab_nor_blocks(panel: MemoryPanel, qtbot):
    panel.set_open_owners(["t", "r"])
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    qtbot.waitUntil(lambda: row(panel, "t") is not None)
    freed = panel.owner_color_index("t")
    panel.set_open_owners(["r"])
    panel.show_snapshot(snapshot(held={1: "r"}, cached={0: "t"}, step=1))
    qtbot.waitUntil(lambda: row(panel, "t") == ["t", "0", "0", "1"])
    assert panel.owner_color_index("t") == freed
    panel.show_snapshot(snapshot(held={1: "r"}, step=2))
    qtbot.waitUntil(lambda: row(panel, "t") is None)
    assert panel.owner_color_index("new") == freed


def test_title_of_a_deleted_chat_stays_until_it_has_no_block(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "Trip plan"})
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(cached={0: "t"}))
    panel.set_owner_titles({})
    qtbot.waitUntil(lambda: row(panel, "t") == ["Trip plan", "0", "0", "1"])
    panel.show_snapshot(snapshot(step=1))
    qtbot.waitUntil(lambda: row(panel, "t") is None)
    panel.set_owner_titles({})
    panel.show_snapshot(snapshot(held={0: "t"}, step=2))
    qtbot.waitUntil(lambda: row(panel, "t") == ["t", "1", "0", "0"])


def test_late_snapshot_of_the_model_before_is_ignored(panel: MemoryPanel):
    panel.show_model(dataclasses.replace(MODEL, model_id="next"))
    panel.show_snapshot(snapshot(held={0: "t"}))
    assert panel.grid.block_at(panel.grid.cell_rect(0).center()) is None


def test_next_model_begins_without_the_rows_of_the_one_before(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    qtbot.waitUntil(lambda: row(panel, "t") is not None)
    panel.show_model(dataclasses.replace(MODEL, model_id="next"))
    assert row(panel, "t") is None


def test_unloading_goes_back_to_the_empty_view(panel: MemoryPanel):
    panel.show_model(MODEL)
    assert panel.grid.isVisible()
    panel.show_model(None)
    assert not panel.grid.isVisible()


def test_the_block_pointed_at_is_described_beneath_the_grid(panel: MemoryPanel):
    panel.set_owner_titles({"t": "Trip plan"})
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    panel.grid.pointed.emit(0)
    assert panel.card.label.text() == "block 0 · Trip plan · refs 1"


def test_contents_of_the_block_pointed_at_are_asked_and_told(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={3: "t"}))
    with qtbot.waitSignal(panel.command_wanted) as asked:
        panel.grid.pointed.emit(3)
    assert asked.args == [AskBlock(3)]
    panel.show_event(BlockFacts(3, 192, 16, "the ferry leaves\ntwice", 3.2))
    assert panel.card.label.text().endswith("tokens 192–207 · written 3 s ago · “the ferry leaves twice”")
    panel.show_event(BlockFacts(4, 0, 16, "of another block", 1.0))
    assert "another" not in panel.card.label.text()


def test_clicked_block_stays_in_sight_until_it_is_closed(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    qtbot.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=panel.grid.cell_rect(0).center())
    panel.grid.pointed.emit(1)
    assert panel.card.label.text().startswith("block 0")
    qtbot.keyClick(panel.grid, Qt.Key.Key_Escape)
    assert panel.card.label.text().startswith("block 1")


def test_enter_keeps_the_block_under_the_cursor_in_sight(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t", 1: "r"}))
    panel.grid.setFocus()
    qtbot.keyClick(panel.grid, Qt.Key.Key_Right)
    qtbot.keyClick(panel.grid, Qt.Key.Key_Return)
    assert panel.card.is_kept_open
    assert panel.card.shown == 1


def test_kept_block_follows_its_owner(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    panel.grid.opened.emit(0)
    panel.show_snapshot(snapshot(held={0: "r"}, step=1))
    qtbot.waitUntil(lambda: panel.card.label.text().startswith("block 0 · r"))


def test_pinned_blocks_have_a_row_of_their_own_that_moves_nothing(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    qtbot.waitUntil(lambda: row(panel, "t") is not None)
    height = panel.table.height(), panel.numbers.sizeHint().height()
    panel.show_snapshot(snapshot(held={0: "t"}, cached={1: "t", 2: "t"}, pinned=[0, 1]))
    qtbot.waitUntil(lambda: "KV pinned 16 KiB 1 block" in panel.numbers.texts())
    assert "KV cached 16 KiB 1 block" in panel.numbers.texts()
    assert row(panel, BlockKind.PINNED) == ["pinned, 2 blocks", "", "", ""]
    assert (panel.table.height(), panel.numbers.sizeHint().height()) == height


def test_swapped_out_blocks_stand_in_a_strip_of_their_own(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "Trip plan"})
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(swapped=[("t", 12), ("r", 1)]))
    qtbot.waitUntil(lambda: panel.ram_strip.isVisible())
    assert panel.ram_strip.text() == "Swapped out, in RAM: Trip plan 12, r 1 of 13 blocks"
    panel.show_snapshot(snapshot(step=1))
    qtbot.waitUntil(lambda: not panel.ram_strip.isVisible())


def test_chats_have_their_state_and_numbers(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "Trip plan"})
    panel.show_model(MODEL)
    chats = [ChatReport("t", "decode", 420, 400, 160, 3, 0, 25.2), ChatReport("r", "swapped", 90, 90, 0, 0, 6, None)]
    panel.show_snapshot(snapshot(held={0: "t", 1: "t"}, shared={2: ("t", "q")}, chats=chats))
    qtbot.waitUntil(lambda: panel.chats.topLevelItemCount() == 3)
    assert panel.chats.text().splitlines() == [
        "chat\tstate\ttok/s\ttokens\tsaved\town\tshared",
        "Trip plan\twriting\t25\t420\t160\t2\t1",
        "r\tswapped\t\t90\t0\t0\t0",
        "q\tat rest\t\t0\t0\t0\t1",
    ]


def test_steps_are_told_in_words(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    step = StepReport(9.0, 0.03, 0, 2, 2, 1, 0, num_swapped_out=1)
    panel.show_event(StepsTaken((step,), 9.5))
    qtbot.waitUntil(lambda: panel.timeline_words.text().startswith("Last 10 s: 2 tokens of answers · 1 step of 30 ms"))
    assert "2 chats at once · up to 1 waiting · 1 swapped out" in panel.timeline_words.text()


def test_folds_are_told_and_taken_up_again(panel: MemoryPanel, qtbot):
    panel.fold("tree steps")
    assert not panel.wants_tree
    folded: list[str] = []
    watched: list[bool] = []
    panel.folded_changed.connect(folded.append)
    panel.watch_changed.connect(watched.append)
    panel.show_model(MODEL)
    qtbot.mouseClick(panel.sections["tree"].fold_button, Qt.MouseButton.LeftButton)
    assert panel.wants_tree
    assert (folded, watched) == (["steps"], [True])


def test_everything_is_copied_as_text(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "Trip plan"})
    panel.show_model(MODEL)
    panel.fold("tree steps fit")
    panel.show_snapshot(snapshot(held={0: "t", 1: "t"}, cached={2: "t"}))
    panel.show_event(
        PrefixTree("m", (PrefixNode(None, b"a", b"b", (0, 1), 0, 32, 4, ("t",), "t", ("t",), "Dear aunt"),))
    )
    qtbot.mouseClick(panel.copy_button, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert "KV used 32 KiB 2 blocks" in text
    assert "0–1 (2): Trip plan · refs 1\n2: last Trip plan · refs 0 · cached\n3–63 (61): free" in text
    assert "“Dear aunt”\t32\t4\tpinned · Trip plan" in text
    assert "How many chats fit" in text


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_every_mark_is_told_apart_without_its_colour(qapp, theme: str):
    apply_theme(qapp, theme)
    looks = [
        CellLook(BlockKind.FREE),
        CellLook(BlockKind.HELD, (0,)),
        CellLook(BlockKind.HELD, (0,), is_pinned=True),
        CellLook(BlockKind.CACHED, (0,)),
        CellLook(BlockKind.CACHED, (0,), is_pinned=True),
        CellLook(BlockKind.SHARED, (0, 1)),
        CellLook(BlockKind.SWAPPED, (0,)),
    ]
    for edge_px in (6, 10, 14, 28):
        tiles = CellTiles(current_theme(), edge_px)
        grey = [tiles.tile(look).toImage().convertToFormat(QImage.Format.Format_Grayscale8) for look in looks]
        shapes = {tuple(image.pixel(x, y) for y in range(edge_px) for x in range(edge_px)) for image in grey}
        assert len(shapes) == len(looks)
    apply_theme(qapp, "light")


def test_a_narrow_table_of_chats_leaves_its_titles_room(panel: MemoryPanel, qtbot):
    panel.set_owner_titles({"t": "A trip to the islands"})
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}))
    qtbot.waitUntil(lambda: panel.chats.topLevelItemCount() == 1)
    hidden = []
    for width in (900, 360):
        panel.resize(width, 800)
        hidden.append([column for column in range(7) if panel.chats.isColumnHidden(column)])
        letter_px = panel.fontMetrics().averageCharWidth()
        qtbot.waitUntil(lambda: panel.chats.columnWidth(0) >= 14 * letter_px)  # noqa: B023 - waited for at once
    assert hidden[0] == []
    assert 6 in hidden[1]
    assert 1 not in hidden[1]


def test_grid_leaves_no_empty_room_whatever_widths_it_had(panel: MemoryPanel, qtbot):
    panel.show_model(dataclasses.replace(MODEL, num_blocks=2048))
    panel.show_snapshot(snapshot(2048, held={0: "t"}))
    for width in (391, 500, 380, 460, 391):
        panel.resize(width, 828)
        qtbot.waitUntil(lambda: panel.grid.height() - panel.grid.cell_rect(2047).bottom() in (1, 2))
        assert panel.grid.viewport().height() == panel.grid.height()


def test_narrow_legend_draws_its_titles_over_cells_that_have_no_number(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(shared={1: ("t", "r")}))
    qtbot.waitUntil(lambda: panel.table.row("t") is not None)
    table, item = panel.table, panel.table.row(BlockKind.SHARED)
    before = table.viewport().grab().toImage()
    item.setText(0, "W" * 40)
    wide = table.viewport().grab().toImage()

    def is_painted(column: int) -> bool:
        cell = table.visualRect(table.indexFromItem(item, column))
        return before.copy(cell) != wide.copy(cell)

    # The number is in the third column; its cell gives what it does not need.
    assert [is_painted(column) for column in range(4)] == [True, True, True, False]
    right = table.visualRect(table.indexFromItem(item, 2))
    number = right.adjusted(right.width() - table.fontMetrics().horizontalAdvance("1"), 0, 0, 0)
    assert before.copy(number) == wide.copy(number)

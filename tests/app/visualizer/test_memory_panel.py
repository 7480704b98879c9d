"""The memory view as a whole, fed by hand."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.visualizer.block_model import BlockKind
from app.visualizer.memory_panel import MemoryPanel
from engine.messages import EngineStats

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
    assert any("No model is loaded" in label.text() for label in panel.findChildren(QLabel) if label.isVisible())
    assert not panel.grid.isVisible()


def test_loaded_model_gives_its_numbers_before_any_snapshot(panel: MemoryPanel):
    panel.show_model(MODEL)
    assert panel.numbers.texts() == [
        "weights 100 MiB",
        "KV used 0 B 0 blocks",
        "KV cached 0 B 0 blocks",
        "KV free 1.0 MiB 64 blocks",
    ]


def test_snapshot_gives_bytes_and_blocks(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_snapshot(snapshot(held={0: "t"}, shared={1: ("t", "r")}, cached={2: "t", 3: "t"}))
    qtbot.waitUntil(
        lambda: (
            panel.numbers.texts()[1:]
            == ["KV used 32 KiB 2 blocks", "KV cached 32 KiB 2 blocks", "KV free 960 KiB 60 blocks"]
        )
    )


def test_stats_are_shown_while_nobody_watches_blocks(panel: MemoryPanel, qtbot):
    panel.show_model(MODEL)
    panel.show_stats(EngineStats(1, 0, 0, 50, 4, 10, 20.0))
    qtbot.waitUntil(lambda: panel.numbers.texts()[1] == "KV used 160 KiB 10 blocks")


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
    panel.grid.described.emit(panel.grid.description(0))
    assert "block 0x0 · Trip plan · refs 1" in [label.text() for label in panel.findChildren(QLabel)]

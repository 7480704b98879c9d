"""The memory view in its window: what the engine is asked, what comes back, and what is remembered."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.state import options
from engine.messages import AskBlock, PrefixNode, PrefixTree, StepReport, StepsTaken, WatchBlocks
from tests.app.fake_engine import MODEL, FakeEngine, FakeEngines
from tests.app.windows import send, wait_until_started

NODE = PrefixNode(None, b"a", b"b", (0, 1), 0, 32, 4, (), "t", (), "Dear aunt")


def last_watch(engine: FakeEngine) -> WatchBlocks:
    return [command for command in engine.commands if isinstance(command, WatchBlocks)][-1]


def test_the_tree_is_asked_for_while_it_is_in_sight(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.memory_dock.show()
    assert last_watch(engine) == WatchBlocks(True, with_tree=False)
    fold = window.memory_panel.sections["tree"].fold_button
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton)
    assert last_watch(engine) == WatchBlocks(True, with_tree=True)
    window.memory_dock.hide()
    assert not last_watch(engine).is_on


def test_what_the_engine_says_of_its_memory_reaches_the_view(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.memory_dock.show()
    panel = window.memory_panel
    panel.card.contents_wanted.emit(3)
    assert AskBlock(3) in engine.commands
    step = StepReport(1.0, 0.02, 0, 1, 1, 0, 0)
    engine.emit(PrefixTree(MODEL.model_id, (NODE,)), StepsTaken((step,), 1.0))
    qtbot.waitUntil(lambda: "Dear aunt" in panel.tree.text())
    qtbot.waitUntil(lambda: "1 step of 20 ms" in panel.timeline_words.text())


def test_folds_are_remembered(
    qtbot: QtBot, window: MainWindow, open_window: Callable[[], MainWindow], engines: FakeEngines
) -> None:
    sections = window.memory_panel.sections
    for key in ("blocks", "tree"):
        sections[key].fold_button.click()
    window.close()
    again = open_window()
    wait_until_started(qtbot, engines)
    assert {key: section.is_folded for key, section in again.memory_panel.sections.items()} == {
        "bar": False,
        "blocks": True,
        "chats": False,
        "tree": False,
        "steps": True,
        "fit": True,
    }


def test_a_chats_colour_is_the_same_at_the_next_start(
    qtbot: QtBot, window: MainWindow, open_window: Callable[[], MainWindow], engines: FakeEngines
) -> None:
    ids, colors = [], []
    for text in ("hello", "hello again"):
        tab = window.tabs.new_chat()
        send(qtbot, window, engines.newest, text)
        ids.append(tab.session.id)
        colors.append(window.memory_panel.owner_color_index(tab.session.id))
    window.tabs.close_tab(window.tabs.indexOf(window.tabs.tab_of(ids[0])))
    window.close()
    again = open_window()
    wait_until_started(qtbot, engines)
    assert again.memory_panel.owner_color_index(ids[1]) == colors[1] != colors[0]


def test_the_view_is_copied_by_its_command(window: MainWindow, qtbot: QtBot) -> None:
    words = [action.text() for action in window.action_list]
    assert "Copy the memory view as text" in words


def test_a_late_tree_of_another_model_is_left_out(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    step = StepReport(1.0, 0.02, 0, 1, 1, 0, 0)
    engine.emit(PrefixTree("another", (NODE,)), StepsTaken((step,), 1.0))
    qtbot.waitUntil(lambda: "1 step of 20 ms" in window.memory_panel.timeline_words.text())
    assert window.memory_panel.tree.nodes == ()


def test_a_loaded_models_card_leads_to_how_many_chats_fit(qtbot: QtBot, window: MainWindow) -> None:
    window.show_models()
    window.memory_dock.hide()
    (card,) = window.model_page.cards()
    assert window.memory_panel.sections["fit"].is_folded
    qtbot.mouseClick(card.planner_button, Qt.MouseButton.LeftButton)
    assert window.memory_dock.isVisible()
    assert window.memory_panel.planner.isVisible()
    assert "fit" not in window.settings.get(options.MEMORY_FOLDED).split()


def test_how_many_chats_fit_says_by_which_rule_memory_was_kept_for_them(window: MainWindow) -> None:
    told = window.memory_panel.planner._assumed.text()
    assert "a quarter of the memory that was free beside it, but no more than 4 chats as long as it allows" in told

"""Finding a command by its words, and the sheet of keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.commands.chat_commands import chat_commands, model_commands
from app.commands.command_palette import Command, CommandPalette, matching
from app.commands.commands_controller import CommandsController
from app.commands.shortcut_sheet import ShortcutSheet
from app.main_window import MainWindow
from app.state.options import LANGUAGE, THEME
from engine.messages import LoadModel, UnloadModel
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send, titles

CONTROL = Qt.KeyboardModifier.ControlModifier


def open_palette(qtbot: QtBot, window: MainWindow) -> CommandPalette:
    qtbot.keyClick(window, Qt.Key.Key_K, CONTROL)
    palette = window.findChild(CommandPalette)
    assert palette is not None
    return palette


def test_words_are_found_in_any_order_and_case_and_beginnings_come_first() -> None:
    commands = [Command(words, "", lambda: None) for words in ("Close tab", "Next tab", "Tab settings")]
    assert [command.words for command in matching(commands, "TAB")] == ["Tab settings", "Close tab", "Next tab"]
    assert [command.words for command in matching(commands, "tab close")] == ["Close tab"]
    assert matching(commands, "nothing") == []
    commands.append(Command("Theme", "", lambda: None, "dark light tab"))
    assert [command.words for command in matching(commands, "tab")][-1] == "Theme"
    assert [command.words for command in matching(commands, "dark tab")] == ["Theme"]
    loads = [Command(words, "", lambda: None) for words in ("Unload the model", "Models: load one")]
    assert [command.words for command in matching(loads, "load")] == ["Models: load one", "Unload the model"]


def test_a_typed_command_is_run_by_enter(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "settings")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.settings_page


def test_a_preset_and_a_theme_are_found_by_name_and_taken_at_once(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "preset precise")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    tab = window.tabs.current_tab()
    assert tab is not None
    assert tab.session.parameters.temperature == 0.2
    assert tab.options_button.whole_text() == "Precise"
    CommandsController.show_palette(window.commands)
    palette = window.findChildren(CommandPalette)[-1]
    qtbot.keyClicks(palette.line, "dark")
    assert palette.list.currentIndex().data() == "Theme: Dark"
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.settings.get(THEME) == "dark"


def test_a_language_is_found_by_its_english_name_and_leads_to_the_restart(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "chinese")
    assert palette.list.currentIndex().data() == "Language: 简体中文"
    window.commands._choose("language", "zh_CN")
    assert window.settings.get(LANGUAGE) == "zh_CN"
    assert window.settings_page.program_restart_button.isVisible()


def test_arrows_move_the_choice_and_escape_leaves_everything_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == 0
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.pages.currentWidget() is window.tabs


def test_the_palette_is_as_high_as_what_was_found(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    all_px = palette.height()
    qtbot.keyClicks(palette.line, "memory view")
    assert palette.list.model().rowCount() == 1
    assert palette.height() < all_px / 2
    palette.line.clear()
    assert palette.height() == all_px


def test_enter_with_nothing_found_does_nothing(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "no such thing")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert palette.nothing_label.isVisible()
    palette.line.clear()
    assert not palette.nothing_label.isVisible()


def test_a_setting_is_opened_also_by_what_else_it_may_be_called(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "dark mode")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.settings_page
    assert window.focusWidget() is window.settings_page.rows["theme"].field


def test_a_closed_chat_is_opened_by_its_title(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.finish(send(qtbot, window, engine, "the ferry"))
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert titles(window) == ["New chat"]
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, "ferry")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert "the ferry" in titles(window)


def test_the_sheet_lists_every_action_that_has_a_key(qtbot: QtBot, window: MainWindow, qapp: QApplication) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    sheet = window.findChild(ShortcutSheet)
    assert sheet is not None
    rows = [sheet.table.topLevelItem(row) for row in range(sheet.table.topLevelItemCount())]
    shown = {row.text(0): row.text(1) for row in rows if row is not None}
    assert shown["New chat"] == "Ctrl+T"
    assert {"/", "F3, Shift+F3", "Left, Right, Up, Down"} <= set(shown.values())
    assert {action.text() for action in window.action_list if action.shortcuts()} <= set(shown)


def test_no_key_starts_two_actions(window: MainWindow) -> None:
    keys = [key.toString() for action in window.action_list for key in action.shortcuts()]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("height_px", [500, 900])
def test_the_list_is_as_high_as_whole_rows(qtbot: QtBot, window: MainWindow, height_px: int) -> None:
    window.resize(1200, height_px)
    palette = open_palette(qtbot, window)
    room_px = palette.list.viewport().height()
    assert room_px >= 3 * palette.list.sizeHintForRow(0)
    assert room_px % palette.list.sizeHintForRow(0) == 0


def test_the_first_commands_are_the_common_ones(qtbot: QtBot, window: MainWindow) -> None:
    palette = open_palette(qtbot, window)
    model = palette.list.model()
    assert [model.index(row, 0).data() for row in range(3)] == ["New chat", "Models", "Settings"]


def test_the_sheet_ends_with_a_whole_row(qtbot: QtBot, window: MainWindow) -> None:
    window.commands.show_keys()
    sheet = window.findChild(ShortcutSheet)
    assert sheet is not None
    table = sheet.table
    qtbot.waitUntil(table.isVisible)
    row_px = table.visualItemRect(table.topLevelItem(0)).height()
    assert table.viewport().height() % row_px == 0
    sheet.reject()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("attach", "Attach files…"),
        ("clip", "Attach files…"),
        ("rename", "Rename this chat…"),
        ("pin", "Pin this chat"),
        ("delete chat", "Delete this chat"),
        ("regenerate", "Answer again"),
        ("branch", "Branch: a new chat from here"),
        ("unload", "Unload the model"),
    ],
)
def test_what_can_be_done_with_the_chat_and_the_models_is_found(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, typed: str, wanted: str
) -> None:
    engine.finish(send(qtbot, window, engine, "the ferry"))
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    palette = open_palette(qtbot, window)
    qtbot.keyClicks(palette.line, typed)
    found = [command.words for command in palette._model.commands]
    assert any(words.startswith(wanted) for words in found), found


def test_the_chat_is_pinned_and_answered_again_from_the_palette(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.finish(send(qtbot, window, engine, "the ferry"))
    (tab,) = window.tabs.tabs()
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    for typed in ("pin this", "regenerate"):
        window.commands.show_palette()
        palette = window.findChildren(CommandPalette)[-1]
        qtbot.keyClicks(palette.line, typed)
        qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert tab.session.is_pinned
    assert tab.session.is_busy


@pytest.mark.parametrize("reason", ["stop", "length", "cancelled"])
def test_an_answer_can_go_on_from_the_palette_however_it_ended(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, reason: str
) -> None:
    request_id = send(qtbot, window, engine, "the ferry")
    engine.answer(request_id, "It leaves")
    engine.finish(request_id, reason)
    (tab,) = window.tabs.tabs()
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    (go_on,) = (one for one in chat_commands(window.tabs, window.chats) if one.words.startswith("Continue"))
    go_on.run()
    assert engine.submits()[-1].continues_answer


def test_an_empty_chat_offers_only_what_it_can_do(qtbot: QtBot, window: MainWindow) -> None:
    words = [command.words for command in chat_commands(window.tabs, window.chats)]
    assert words == ["Attach files…"]


def test_a_model_is_unloaded_and_loaded_by_its_name(window: MainWindow, engine: FakeEngine) -> None:
    (unload,) = (one for one in model_commands(window.models) if one.words == "Unload the model")
    unload.run()
    assert engine.commands[-1] == UnloadModel()
    window.models.forget_loaded()
    load = model_commands(window.models)[0]
    entry = window.models.models[0]
    assert load.words == f"Load {entry.name}"
    load.run()
    assert engine.commands[-1] == LoadModel(entry.model_id)

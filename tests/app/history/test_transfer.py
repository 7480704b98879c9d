"""A person exports chats to files and imports them, and can take an import back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from tests.app.fake_engine import FakeEngine
from tests.app.history.rows import texts
from tests.app.windows import send


@pytest.fixture
def chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> MainWindow:
    """A window with one answered chat."""
    request_id = send(qtbot, window, engine, "Trip")
    engine.answer(request_id, "To sea")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    return window


def choose(window: MainWindow, name: str) -> QFileDialog:
    """Chooses an entry beside the button for new chats; returns the dialog that opens."""
    (entry,) = [action for action in window.sidebar.more_menu.actions() if action.text() == name]
    entry.trigger()
    dialog = window.findChildren(QFileDialog)[-1]
    dialog.hide()
    return dialog


@pytest.mark.parametrize("name", ["chats.json", "chats.md", "chats.html", "chats"])
def test_an_export_is_imported_and_the_import_is_taken_back(
    qtbot: QtBot, chat: MainWindow, tmp_path: Path, name: str
) -> None:
    bar = chat.sidebar.undo_bar
    path = tmp_path / name
    choose(chat, "Export all chats…").fileSelected.emit(str(path))
    qtbot.waitUntil(lambda: "Exported" in bar.label.text())
    written = path if path.suffix else path.with_name("chats.json")
    assert written.is_file()
    choose(chat, "Import chats…").filesSelected.emit([str(written)])
    qtbot.waitUntil(lambda: len(texts(chat.sidebar.list)) == 3)
    assert sorted(texts(chat.sidebar.list)) == ["Today", "Trip", "Trip (imported)"]
    qtbot.waitUntil(lambda: bar.undo_button.isVisible())
    qtbot.mouseClick(bar.undo_button, Qt.MouseButton.LeftButton)
    assert texts(chat.sidebar.list) == ["Today", "Trip"]


def test_taking_an_import_back_closes_its_chats_and_keeps_what_was_written_in_them(
    qtbot: QtBot, chat: MainWindow, engine: FakeEngine, tmp_path: Path
) -> None:
    path = tmp_path / "chats.json"
    trip = chat.tabs.tabs()[0].session
    choose(chat, "Export all chats…").fileSelected.emit(str(path))
    qtbot.waitUntil(path.is_file)
    bar = chat.sidebar.undo_bar
    choose(chat, "Import chats…").filesSelected.emit([str(path), str(path)])
    qtbot.waitUntil(bar.undo_button.isVisible)
    used, unused = (one for one in chat._history.chats() if one.id != trip.id)
    for summary in (unused, used):
        chat.chats.open(summary.id)
    request_id = send(qtbot, chat, engine, "more")
    engine.answer(request_id, "half an answer")
    qtbot.waitUntil(lambda: chat.tabs.tabs()[2].session.answer.text == "half an answer")
    bar.undo_button.click()
    assert [tab.session.id for tab in chat.tabs.tabs()] == [trip.id]
    assert [summary.id for summary in chat._history.chats()] == [trip.id]
    assert [deleted.id for deleted in chat._history.trash.chats()] == [used.id]
    assert bar.label.text() == "1 chat written in since lies in the trash"
    chat._history.trash.restore_chat(used.id)
    restored = chat._history.load(used.id)
    assert restored is not None
    assert [message.text for message in restored.messages] == ["Trip", "To sea", "more", "half an answer"]


def test_a_wrong_file_is_refused_in_the_banner(qtbot: QtBot, chat: MainWindow, tmp_path: Path) -> None:
    wrong = tmp_path / "picture.json"
    wrong.write_bytes(b"\x89PNG")
    choose(chat, "Import chats…").filesSelected.emit([str(wrong)])
    qtbot.waitUntil(chat.banner.isVisible)
    assert "picture.json" in chat.banner.label.text()
    assert "not an export of chats" in chat.banner.label.text()
    assert texts(chat.sidebar.list) == ["Today", "Trip"]
    path = tmp_path / "chats.json"
    choose(chat, "Export all chats…").fileSelected.emit(str(path))
    qtbot.waitUntil(path.is_file)
    qtbot.waitUntil(chat.banner.isHidden)


def test_an_import_leaves_the_trash_for_the_list(qtbot: QtBot, chat: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "chats.json"
    choose(chat, "Export all chats…").fileSelected.emit(str(path))
    qtbot.waitUntil(path.is_file)
    chat.chats.trash.show()
    assert not chat.sidebar.list.isVisible()
    choose(chat, "Import chats…").filesSelected.emit([str(path)])
    qtbot.waitUntil(chat.sidebar.list.isVisible)
    assert texts(chat.sidebar.list) == ["Today", "Trip (imported)", "Trip"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Write code: a function that\nreverses a…", "Write code a function that reverses a.json"),
        ("What is the… (branch)", "What is the (branch).json"),
        ("con", "chat con.json"),
        ("NUL.txt explained", "chat NUL.txt explained.json"),
        ("?", "chat.json"),
        ("海", "海.json"),
    ],
)
def test_the_name_that_is_proposed_for_a_file_can_be_one_on_every_system(
    chat: MainWindow, title: str, name: str
) -> None:
    dialog = chat.chats.transfer.ask_for_export(None, title)
    dialog.hide()
    assert [Path(path).name for path in dialog.selectedFiles()] == [name]

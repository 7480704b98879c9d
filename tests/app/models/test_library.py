"""What is done with models on disk, with an engine that is fed by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QInputDialog, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.model_card import ModelCard
from app.models.speed_store import SpeedStore
from app.state import options
from engine.api import ModelEntry
from engine.messages import (
    AskStorage,
    CleanUp,
    ConvertJob,
    DeleteModel,
    DiscoveredModel,
    DiscoverModels,
    EmptyTrash,
    HubJob,
    InspectSource,
    JobFinished,
    LibraryFailed,
    LoadModel,
    ModelDeleted,
    ModelFolder,
    ModelRenamed,
    ModelsDiscovered,
    MoveJob,
    RenameModel,
    RestoreModel,
    SourceFacts,
    SpaceFreed,
    StartJob,
    StorageItem,
    StorageReport,
    VerifyJob,
)
from tests.app.fake_engine import MODEL, FakeEngine
from tests.app.windows import OpenWindow, send, wait_until_started

from .entries import SPEC

REPORT = StorageReport(
    (
        StorageItem("model", "Tiny 1M", "/d/models/tiny", 1_000_000, 0.0, "tiny"),
        StorageItem("download", "hub-old", "/d/downloads/hub-old", 2_000_000, 0.0, is_removable=True),
        StorageItem("trash", "Old model", "/d/models/.trash/1", 3_000_000, 0.0, "old", "trash-1"),
    ),
    (ModelFolder("/d/models", 41_000_000_000), ModelFolder("/gone", None)),
)


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    qtbot.waitUntil(lambda: button.isVisible() and button.height() >= button.sizeHint().height() // 2)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def card(window: MainWindow) -> ModelCard:
    window.show_models()
    window.models.forget_loaded()
    result = window.model_page.card("tiny")
    assert result is not None
    return result


def test_a_deleted_model_can_be_taken_back(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: ModelCard
) -> None:
    press(qtbot, card.delete_button)
    assert engine.commands[-1] == DeleteModel("tiny")
    engine.emit(ModelDeleted("tiny", "Tiny 1M", 1_000_000, "trash-7"))
    bar = window.model_page.undo_bar
    qtbot.waitUntil(bar.isVisible)
    assert bar.label.text() == "Tiny 1M is in the trash, from which it goes after 30 days."
    press(qtbot, bar.undo_button)
    assert engine.commands[-1] == RestoreModel("trash-7")
    assert not bar.isVisible()


def test_what_cannot_be_done_says_why_in_the_card(qtbot: QtBot, engine: FakeEngine, card: ModelCard) -> None:
    engine.emit(LibraryFailed(DeleteModel("tiny"), "storage", "The folder cannot be written: allow it"))
    qtbot.waitUntil(lambda: card.error_text() == "The folder cannot be written: allow it")


def test_a_model_gets_another_name(qtbot: QtBot, engine: FakeEngine, card: ModelCard) -> None:
    card.rename_action.trigger()
    dialog = card.findChild(QInputDialog)
    dialog.setTextValue("  小模型 ")
    dialog.accept()
    assert engine.commands[-1] == RenameModel("tiny", "小模型")


def test_another_name_is_shown_everywhere(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: ModelCard, models: list
) -> None:
    models[0] = dataclasses.replace(models[0], name="小模型")
    engine.emit(ModelRenamed("tiny", "小模型"))
    qtbot.waitUntil(lambda: window.model_page.card("tiny").entry.name == "小模型")


def test_moving_and_verifying_are_jobs(qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: ModelCard) -> None:
    card.move_action.trigger()
    dialog = card.findChild(QFileDialog)
    dialog.fileSelected.emit("/mnt/large")
    dialog.reject()
    card.verify_action.trigger()
    started = [command.job for command in engine.commands if isinstance(command, StartJob)]
    assert started == [MoveJob("tiny", "/mnt/large"), VerifyJob("tiny")]
    assert list(window.model_page.jobs.rows) == ["move:tiny", "verify:tiny"]


def test_where_each_byte_is_can_be_seen_and_cleaned_up(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.show_models()
    storage = window.model_page.storage
    press(qtbot, storage.fold_button)
    assert engine.commands[-1] == AskStorage()
    engine.emit(REPORT)
    qtbot.waitUntil(lambda: len(storage.buttons) == 3)
    names = [button.accessibleName() for button in storage.buttons]
    assert names == ["Remove: hub-old", "Empty the trash: Trash", "Restore: Old model"]
    assert storage.free_label.text() == "41 GB free in /d/models\n/gone is not there now"
    remove, _, restore = storage.buttons
    for button, command in ((remove, CleanUp(("/d/downloads/hub-old",))), (restore, RestoreModel("trash-1"))):
        press(qtbot, button)
        assert engine.commands[-1] == command
    engine.emit(SpaceFreed(1, 2_000_000))
    qtbot.waitUntil(lambda: window.model_page.undo_bar.label.text() == "2.0 MB are free again")


def test_the_programs_own_files_are_told_as_one_and_what_is_empty_not_at_all(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.show_models()
    storage = window.model_page.storage
    press(qtbot, storage.fold_button)
    own = (("chats", "chats.sqlite3", 5000), ("chats", "chats.sqlite3-wal", 3000), ("other", "app.lock", 90))
    items = tuple(StorageItem(kind, name, f"/d/{name}", size, 0.0) for kind, name, size in (*own, ("cache", "x", 0)))
    with qtbot.waitSignal(storage.unfolded):
        engine.emit(dataclasses.replace(REPORT, items=items))
    words = {label.text() for label in storage.findChildren(QLabel)}
    assert {"Chats", "8.0 kB", "Settings and other small files", "90 B"} <= words
    assert not words & {"chats.sqlite3", "chats.sqlite3-wal", "app.lock", "x", "0 B"}


@pytest.mark.parametrize("is_meant", [True, False])
def test_the_models_trash_is_emptied_only_after_a_question(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, is_meant: bool
) -> None:
    window.show_models()
    storage = window.model_page.storage
    press(qtbot, storage.fold_button)
    engine.emit(REPORT)
    qtbot.waitUntil(lambda: len(storage.buttons) == 3)
    press(qtbot, storage.buttons[1])
    (question,) = storage.findChildren(QMessageBox)
    assert question.text() == "Delete 1 model in the trash for good? 3.0 MB become free."
    assert EmptyTrash() not in engine.commands
    role = QMessageBox.ButtonRole.AcceptRole if is_meant else QMessageBox.ButtonRole.RejectRole
    (button,) = [button for button in question.buttons() if question.buttonRole(button) == role]
    press(qtbot, button)
    assert (EmptyTrash() in engine.commands) == is_meant


def test_a_cancelled_download_leaves_nothing(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    jobs = window.models.jobs
    jobs.start("hub:1", "One", HubJob("maker/one"))
    jobs.cancel("hub:1")
    engine.emit(JobFinished("hub:1", None, "cancelled"))
    qtbot.waitUntil(lambda: engine.commands[-1] == AskStorage())
    engine.emit(REPORT)
    qtbot.waitUntil(lambda: engine.commands[-1] == CleanUp(("/d/downloads/hub-old",)))


def test_models_of_other_programs_are_found_and_converted(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.show_models()
    window.model_page.show_get()
    others = window.model_page.get.others
    others.button.setFocus()
    press(qtbot, others.button)
    assert engine.commands[-1] == DiscoverModels()
    assert window.focusWidget() is others.button
    num_commands = len(engine.commands)
    press(qtbot, others.button)
    assert len(engine.commands) == num_commands
    engine.emit(ModelsDiscovered((DiscoveredModel("Ollama", "qwen:3b", "/o/blobs/1", 2_000_000_000),)))
    qtbot.waitUntil(lambda: "/o/blobs/1" in others.convert_buttons)
    press(qtbot, others.convert_buttons["/o/blobs/1"])
    assert engine.commands[-1] == InspectSource("/o/blobs/1")
    press(qtbot, window.model_page.import_card.strip.main_button)
    assert engine.commands[-1].job_id == "convert:/o/blobs/1"


@pytest.mark.parametrize("by_mouse", [False, True])
def test_what_is_looked_at_stays_in_place_when_other_programs_models_are_found(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, by_mouse: bool
) -> None:
    window.resize(900, 500)
    window.show_models()
    page = window.model_page
    page.show_get()
    others, area = page.get.others, page._area
    bar = area.verticalScrollBar()
    press(qtbot, others.button)
    # Far enough down that the card is above what is in view.
    qtbot.waitUntil(lambda: bar.maximum() > others.mapTo(area.widget(), QPoint(0, others.height())).y())
    bar.setValue(others.mapTo(area.widget(), QPoint(0, 0)).y() if by_mouse else bar.maximum())
    seen = page.get.hub_cards[-1]
    # On the lowest line of what is in view, where an offer is, or outside of it.
    mouse = area.viewport().mapToGlobal(QPoint(50, area.viewport().height() - 2 if by_mouse else -10))
    monkeypatch.setattr("app.widgets.page.QCursor.pos", lambda: mouse)

    def place() -> int:
        return seen.mapTo(area.viewport(), QPoint(0, 0)).y()

    before, height = place(), others.height()
    engine.emit(ModelsDiscovered(tuple(DiscoveredModel("Ollama", f"m{n}", f"/o/{n}", 2_000_000_000) for n in range(4))))
    qtbot.waitUntil(lambda: others.height() > height)
    assert place() == before
    qtbot.wait(20)
    assert place() == before


def test_the_copy_for_this_machine_can_be_freed(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: ModelCard, models: list[ModelEntry]
) -> None:
    assert not card.free_action.isVisible()
    models[0] = dataclasses.replace(models[0], prepared_bytes=900_000)
    window.models.refresh()
    # The same card, so that nobody loses the place.
    assert window.model_page.card("tiny") is card
    assert card.free_action.text() == "Free the copy for this machine (900 kB)"
    card.free_action.trigger()
    assert engine.commands[-1] == AskStorage()
    copy = StorageItem("cache", "Tiny 1M, prepared", "/d/models/tiny/prepared.bin", 900_000, 0.0, "tiny", None, True)
    engine.emit(dataclasses.replace(REPORT, items=(*REPORT.items, copy)))
    qtbot.waitUntil(lambda: engine.commands[-1] == CleanUp((copy.path,)))
    models[0] = dataclasses.replace(models[0], prepared_bytes=0)
    engine.emit(SpaceFreed(1, 900_000))
    qtbot.waitUntil(lambda: not card.free_action.isVisible())
    card.set_loaded(True)
    assert not card.free_action.isEnabled()


def test_copies_of_two_models_can_be_freed_at_once(qtbot: QtBot, engine: FakeEngine, card: ModelCard) -> None:
    card.copy_free_requested.emit("tiny")
    card.copy_free_requested.emit("other")
    copies = tuple(
        StorageItem("cache", model_id, f"/d/models/{model_id}/prepared.bin", 9, 0.0, model_id, None, True)
        for model_id in ("tiny", "other", "third")
    )
    engine.emit(dataclasses.replace(REPORT, items=(*REPORT.items, *copies)))
    qtbot.waitUntil(lambda: engine.commands[-1] == CleanUp((copies[0].path, copies[1].path)))


def test_the_first_load_of_a_model_shows_its_copy(
    qtbot: QtBot, engine: FakeEngine, card: ModelCard, models: list[ModelEntry]
) -> None:
    models[0] = dataclasses.replace(models[0], prepared_bytes=900_000)
    engine.emit(MODEL)
    qtbot.waitUntil(card.free_action.isVisible)


def test_a_report_that_could_not_be_had_leaves_no_wish_to_the_next(
    qtbot: QtBot, engine: FakeEngine, card: ModelCard, window: MainWindow
) -> None:
    card.copy_free_requested.emit("tiny")
    engine.emit(LibraryFailed(AskStorage(), "storage", "the folder is gone"))
    copy = StorageItem("cache", "tiny", "/d/models/tiny/prepared.bin", 9, 0.0, "tiny", None, True)
    engine.emit(dataclasses.replace(REPORT, items=(copy,)))
    qtbot.waitUntil(lambda: window.model_page.storage._rows.count() > 0)
    assert not any(isinstance(command, CleanUp) for command in engine.commands)


def test_a_copy_that_is_gone_by_then_frees_nothing_else(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: ModelCard
) -> None:
    card.copy_free_requested.emit("tiny")
    engine.emit(REPORT)
    qtbot.waitUntil(lambda: window.model_page.storage._rows.count() > 0)
    assert not any(isinstance(command, CleanUp) for command in engine.commands)


def test_a_model_that_is_pasted_into_a_message_goes_to_the_card_for_it(
    window: MainWindow, engine: FakeEngine, tmp_path: Path
) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.composer.insertFromMimeData(data)
    assert window.pages.currentWidget() is window.model_page
    assert engine.commands[-1] == InspectSource(str(path))


def test_a_model_that_is_dropped_on_the_window_is_converted_once_its_quality_is_chosen(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/m/a.gguf")])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    assert window.pages.currentWidget() is window.model_page
    card = window.model_page.import_card
    assert engine.commands[-1] == InspectSource("/m/a.gguf")
    sizes = ((None, 500_000_000), ("smallest", 400_000_000), ("balanced", 600_000_000), ("faithful", 900_000_000))
    engine.emit(SourceFacts("/m/a.gguf", "a", SPEC, sizes))
    smallest = card.quality.buttons["smallest"]
    qtbot.waitUntil(lambda: "about 800 MB on disk · " in smallest.accessibleDescription())
    assert "about 1.0 GB on disk" in card.quality.buttons[None].accessibleDescription()
    assert "the model, 500 MB, and as much again for a copy" in card.quality.verdict.note.text()
    assert card.quality.verdict.line.text().startswith("Fits, with ")
    smallest.click()
    press(qtbot, card.strip.main_button)
    assert engine.commands[-1] == StartJob("convert:/m/a.gguf", ConvertJob("/m/a.gguf", "a", quality="smallest"))


def test_a_conversion_is_shown_once_where_its_card_is_and_in_the_list_elsewhere(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.show_models()
    window.models.take_in("/m/a.gguf")
    page = window.model_page
    press(qtbot, page.import_card.strip.main_button)
    assert list(page.jobs.rows) == ["convert:/m/a.gguf"]
    assert page.import_card.strip.cancel_button.isVisible()
    assert not page.jobs.isVisible()
    page._on_chosen(0)
    assert page.jobs.rows["convert:/m/a.gguf"].isVisible()
    window.models.jobs.start("verify:tiny", "Verify", VerifyJob("tiny"))
    page.show_get()
    assert [row.isVisible() for row in page.jobs.rows.values()] == [False, True]
    engine.emit(JobFinished("convert:/m/a.gguf", "a"))
    qtbot.waitUntil(lambda: list(page.jobs.rows) == ["verify:tiny"])
    assert page.jobs.isVisible()


def test_a_file_that_cannot_be_converted_is_refused_before_it_begins(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.show_models()
    window.models.take_in("/m/a.gguf")
    card = window.model_page.import_card
    engine.emit(LibraryFailed(InspectSource("/m/a.gguf"), "source", "/m/a.gguf is not a GGUF file: choose another"))
    qtbot.waitUntil(lambda: card.strip.error_text() == "/m/a.gguf is not a GGUF file: choose another")
    assert not card.strip.main_button.isVisible()
    assert not card.quality.isVisible()
    assert card.choose_button.text() == "Choose another…"


def test_the_speed_that_was_measured_in_use_stands_in_the_card(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, tmp_path: Path
) -> None:
    engine.finish(send(qtbot, window, engine, "hello"))
    card = window.model_page.card("tiny")
    assert card is not None
    qtbot.waitUntil(lambda: card._speed.text().startswith("62 tok/s here, first token after 0.2 s ("))
    speed = SpeedStore(tmp_path / "speeds.json").get("tiny")
    assert speed is not None
    assert speed.num_answers == 1


def test_the_model_that_was_chosen_for_every_start_is_loaded(
    qtbot: QtBot, window: MainWindow, open_window: OpenWindow, engines, models: list
) -> None:
    models.append(dataclasses.replace(models[0], model_id="other", name="Other"))
    window.models.refresh()
    card = window.model_page.card("other")
    card.default_action.trigger()
    assert window.settings.get(options.DEFAULT_MODEL_ID) == "other"
    window.close()
    open_window()
    wait_until_started(qtbot, engines)
    qtbot.waitUntil(lambda: LoadModel("other") in engines.newest.commands)

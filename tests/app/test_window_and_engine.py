"""The window around its engine: start, models, failures, end."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app import application
from app.main_window import MainWindow
from app.state import options
from app.state.session import Phase
from engine.api import ModelEntry, list_models
from engine.messages import (
    BlockSnapshot,
    EngineDied,
    EngineStats,
    FetchJob,
    JobFinished,
    JobProgress,
    LoadModel,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelUnloaded,
    StartJob,
    WatchBlocks,
)
from engine.planner import Machine
from tests.app.fake_engine import MODEL, FakeEngine, FakeEngines
from tests.app.windows import OpenWindow, send, titles, wait_until_started

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_the_engine_starts_after_the_first_paint_with_the_model_of_last_time(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines
) -> None:
    window = open_window()
    assert not engines.newest.is_started
    wait_until_started(qtbot, engines)
    assert LoadModel("tiny") in engines.newest.commands
    engines.newest.emit(ModelLoadProgress("tiny", 3, 30))
    qtbot.waitUntil(lambda: "loading, layer 3 of 30" in window.status_line.label.text())


def test_without_a_model_the_window_welcomes_and_the_first_one_is_loaded(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, models: list[ModelEntry]
) -> None:
    library = list(models)
    models.clear()
    window = open_window()
    wait_until_started(qtbot, engines)
    assert window.pages.currentWidget() is window.first_run_page
    window.first_run_page.fetch_requested.emit("starter")
    (start,) = [command for command in engines.newest.commands if isinstance(command, StartJob)]
    assert start.job == FetchJob("starter")
    engines.newest.emit(JobProgress(start.job_id, "download", 1, 2))
    models.extend(library)
    engines.newest.emit(JobFinished(start.job_id, "tiny"))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.tabs)
    assert LoadModel("tiny") in engines.newest.commands


def test_the_welcome_measures_the_disk_of_the_windows_own_data_folder(
    open_window: OpenWindow, models: list[ModelEntry], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(
        application, "machine", lambda home: asked.append(home) or Machine("A CPU", 4, 2**34, 2**33, 41 * 10**9)
    )
    models.clear()
    window = open_window()
    assert window.first_run_page.isVisible()
    assert set(asked) == {tmp_path}


def test_a_library_that_cannot_be_read_is_told_and_can_be_tried_again(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listing = application.list_models
    monkeypatch.setattr(application, "list_models", list_models)
    (tmp_path / "models").write_text("no folder", encoding="utf-8")
    (tmp_path / "settings.json").write_text("{", encoding="utf-8")
    window = open_window()
    wait_until_started(qtbot, engines)
    said = window.banner.label.text()
    assert "The models cannot be listed" in said
    assert str(tmp_path / "models") in said
    assert "settings file was damaged" in said
    monkeypatch.setattr(application, "list_models", listing)
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    assert not window.banner.isVisible()
    assert window.pages.currentWidget() is window.tabs
    assert engines.newest.commands[-1] == LoadModel("tiny")


def test_settings_that_cannot_be_saved_say_why_and_what_to_do(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "settings.json.new").mkdir()
    window.change_setting(options.SYSTEM_PROMPT, "Be brief.")
    said = window.banner.label.text()
    assert "settings.json.new" in said
    assert "Free some space" not in said
    assert window.settings.get(options.SYSTEM_PROMPT) == "Be brief."


def test_what_the_memory_view_cannot_remember_is_said(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "settings.json.new").mkdir()
    window.memory_panel.sections["tree"].fold_button.click()
    assert "settings.json.new" in window.banner.label.text()


def test_snapshots_are_asked_for_only_while_the_memory_view_shows(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    def last_watch() -> WatchBlocks:
        return [command for command in engine.commands if isinstance(command, WatchBlocks)][-1]

    assert last_watch().is_on
    engine.snapshot_sink(BlockSnapshot("tiny", 1, 16, 1, bytes(4), bytes(4), bytes(4), b"\xff" * 4, bytes(4), (), ()))
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert not last_watch().is_on
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert last_watch().is_on


def test_the_status_line_sums_the_engine_up(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.emit(EngineStats(3, 1, 0, 39, 0, 61, 118.4))
    expected = "engine: ready · CPU, 2 threads · 3 running, 1 waiting · 118 tok/s together · KV 61 % used"
    qtbot.waitUntil(lambda: window.status_line.label.text() == expected)
    engine.emit(EngineStats(0, 0, 0, 39, 61, 0, 0.0))
    expected = "engine: ready · CPU, 2 threads · KV 0 % used, 61 % cached"
    qtbot.waitUntil(lambda: window.status_line.label.text() == expected)


def test_a_dead_engine_can_be_restarted_and_chats_stay(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, engines: FakeEngines
) -> None:
    send(qtbot, window, engine, "hello")
    engine.emit(EngineDied("engine_error", "The engine stopped: out of memory"))
    qtbot.waitUntil(window.banner.isVisible)
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.FAILED)
    assert window.banner.label.text() == "The engine stopped: out of memory"
    assert window.models.loaded is None
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(engines.made) == 2 and LoadModel("tiny") in engines.newest.commands)
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    tab.retry()
    assert len(engines.newest.submits()) == 1


def test_an_engine_that_is_restarted_has_no_model_and_is_restarted_once(
    qtbot: QtBot, window: MainWindow, engines: FakeEngines
) -> None:
    window.restart_engine()
    window.restart_engine()
    assert window.models.loaded is None
    qtbot.waitUntil(lambda: len(engines.made) > 1 and LoadModel("tiny") in engines.newest.commands)
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    assert len(engines.made) == 2


def test_a_message_to_a_dead_engine_brings_the_way_to_restart_back(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(EngineDied("engine_error", "The engine stopped: out of memory"))
    qtbot.waitUntil(window.banner.isVisible)
    window.banner.hide()
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.submit("hello")
    assert window.banner.action_button.text() == "Restart the engine"
    assert window.banner.isVisible()
    qtbot.waitUntil(lambda: tab.session.phase is Phase.FAILED)
    assert engine.submits() == []


def test_a_model_that_cannot_be_loaded_says_why(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.emit(ModelLoadFailed("tiny", "checkpoint", "layers/0003 is damaged: get the model again"))
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.label.text() == "layers/0003 is damaged: get the model again"


def test_closing_keeps_a_streaming_answer_and_closes_the_engine(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    request_id = send(qtbot, window, engine, "a story")
    engine.answer(request_id, "once upon")
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.STREAMING)
    with qtbot.waitSignal(window.closed):
        window.close()
    assert engine.is_closed
    assert engine.cancelled() == [request_id]
    again = open_window().tabs.current_tab()
    assert again is not None
    assert [message.text for message in again.session.messages] == ["a story", "once upon"]
    assert again.session.messages[-1].end == "cancelled"


def test_a_damaged_history_is_said_and_the_window_opens(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "chats.sqlite3").write_bytes(b"no database" * 500)
    (tmp_path / "settings.json").write_text("{", encoding="utf-8")
    window = open_window()
    assert window.banner.isVisible()
    assert "settings file was damaged" in window.banner.label.text()
    assert "chat history is damaged" in window.banner.label.text()
    assert titles(window) == ["New chat"]


def test_a_message_without_a_model_loads_that_of_the_chat_and_is_sent_then(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.finish(send(qtbot, window, engine, "hello"))
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    engine.emit(ModelUnloaded(MODEL.model_id))
    qtbot.waitUntil(lambda: window.models.loaded is None)
    num_sent = len(engine.submits())
    send(qtbot, window, engine, "again")
    assert engine.commands[-1] == LoadModel(MODEL.model_id)
    assert f"loading {MODEL.name}" in window.status_line.label.text()
    assert window.pages.currentWidget() is window.tabs
    assert tab.panel.queued.isVisible()
    assert len(engine.submits()) == num_sent
    engine.emit(ModelLoadProgress(MODEL.model_id, 1, 2))
    engine.emit(MODEL)
    qtbot.waitUntil(lambda: len(engine.submits()) == num_sent + 1)
    assert not tab.panel.queued.isVisible()


def test_a_message_whose_model_could_not_be_loaded_is_given_back(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(ModelUnloaded(MODEL.model_id))
    qtbot.waitUntil(lambda: window.models.loaded is None)
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.keyClicks(tab.composer, "hello")
    qtbot.keyClick(tab.composer, Qt.Key.Key_Return)
    engine.emit(ModelLoadFailed(MODEL.model_id, "out_of_memory", "Needs 9 GiB, 6 GiB free: pick a smaller model"))
    qtbot.waitUntil(lambda: tab.composer.toPlainText() == "hello")
    assert not tab.panel.queued.isVisible()
    assert engine.submits() == []

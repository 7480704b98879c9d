"""What the banner says is taken back, or said anew, as soon as it is no longer so."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import application
from app.main_window import MainWindow
from app.state import options
from engine.api import ModelEntry
from engine.errors import ModelBusyError
from engine.messages import EngineDied, EngineStarted, EngineStats, ModelLoadFailed, ModelLoadProgress
from tests.app.fake_engine import MODEL, FakeEngine, FakeEngines

BUSY = "answers still running on Tiny 1M: stop them or wait until they end"


def stats(num_running: int) -> EngineStats:
    return EngineStats(num_running, 0, 0, 100, 0, 0, 10.0)


@pytest.fixture
def refused(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> MainWindow:
    """A window that says why the model was not unloaded."""
    engine.emit(stats(2), ModelLoadFailed(MODEL.model_id, ModelBusyError.code, f"2 {BUSY}"))
    qtbot.waitUntil(lambda: window.banner.label.text() == f"2 {BUSY}")
    return window


def error_in_card(window: MainWindow) -> str:
    card = window.model_page.card(MODEL.model_id)
    assert card is not None
    return card.error_text()


def test_that_answers_run_is_said_until_they_have_ended(qtbot: QtBot, refused: MainWindow, engine: FakeEngine) -> None:
    assert error_in_card(refused) == f"2 {BUSY}"
    engine.emit(stats(1))
    one = "1 answer still running on Tiny 1M: stop them or wait until they end"
    qtbot.waitUntil(lambda: refused.banner.label.text() == one)
    assert refused.banner.action_button.isVisible()
    engine.emit(stats(0))
    qtbot.waitUntil(refused.banner.isHidden)
    assert not error_in_card(refused)


def test_what_was_said_besides_stays_without_the_way_to_mend_it(
    qtbot: QtBot, refused: MainWindow, engine: FakeEngine
) -> None:
    refused.banner.add_message("Sea 2B is ready")
    engine.emit(stats(0))
    qtbot.waitUntil(lambda: refused.banner.label.text() == "Sea 2B is ready")
    assert refused.banner.isVisible()
    assert not refused.banner.action_button.isVisible()


def test_another_reason_is_not_taken_back_when_answers_end(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(ModelLoadFailed("tiny", "checkpoint", "layers/0003 is damaged: get the model again"), stats(0))
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.label.text() == "layers/0003 is damaged: get the model again"
    # Until a model is loaded.
    engine.emit(ModelLoadProgress("tiny", 1, 2))
    qtbot.waitUntil(window.banner.isHidden)


def test_an_engine_that_runs_again_is_not_said_to_have_stopped(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, engines: FakeEngines
) -> None:
    engine.emit(EngineDied("engine_error", "The engine stopped: out of memory\nbad_alloc"))
    qtbot.waitUntil(window.banner.isVisible)
    # Not by the banner's own button.
    window.restart_engine()
    assert window.banner.isHidden()
    qtbot.waitUntil(lambda: len(engines.made) == 2)


def test_settings_that_are_saved_again_are_not_said_to_be_lost(window: MainWindow, tmp_path: Path) -> None:
    obstacle = tmp_path / "settings.json.new"
    obstacle.mkdir()
    window.change_setting(options.SYSTEM_PROMPT, "Be brief.")
    assert window.banner.isVisible()
    obstacle.rmdir()
    window.change_setting(options.SYSTEM_PROMPT, "Be very brief.")
    assert window.banner.isHidden()


def test_a_library_that_can_be_read_again_is_not_said_to_be_lost(
    window: MainWindow, models: list[ModelEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = application.list_models

    def fail(home: Path) -> list[ModelEntry]:
        raise PermissionError(13, "Permission denied", str(home))

    monkeypatch.setattr(application, "list_models", fail)
    window.models.refresh()
    assert window.banner.isVisible()
    monkeypatch.setattr(application, "list_models", listing)
    window.models.refresh()
    assert window.banner.isHidden()


def test_a_slow_engine_is_told_beside_what_can_be_done_about_another_fault(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(ModelLoadFailed("tiny", "checkpoint", "layers/0003 is damaged: get the model again"))
    qtbot.waitUntil(window.banner.isVisible)
    engine.emit(EngineStarted("cpu", 2, "Answers take several times as long as they could: no kernels"))
    qtbot.waitUntil(lambda: "several times as long" in window.banner.label.text())
    assert window.banner.label.text().startswith("layers/0003 is damaged")
    assert window.banner.action_button.isVisible()


def test_a_slow_engine_is_told_until_a_faster_one_starts(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    handicap = (
        "Answers take several times as long as they could: "
        "The native CPU kernels need a processor with AVX2, FMA and F16C"
    )
    engine.emit(EngineStarted("cpu", 2, handicap))
    qtbot.waitUntil(lambda: window.banner.label.text() == handicap)
    engine.emit(EngineStarted("cpu", 2))
    qtbot.waitUntil(window.banner.isHidden)

"""A person at the chats hears that a model has come, or why it has not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.job_status import JobStatus
from engine.api import ModelEntry
from engine.messages import ConvertJob, JobFinished, JobProgress
from tests.app.fake_engine import MODEL, FakeEngine

JOB_ID = "convert:/sea.gguf"


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    window.models.jobs.start(JOB_ID, "Convert sea.gguf", ConvertJob("/sea.gguf"))
    return window


def test_a_model_that_came_is_told_at_the_chats_until_the_models_are_seen(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, models: list[ModelEntry]
) -> None:
    models.append(replace(models[0], model_id="sea", name="Sea 2B"))
    engine.emit(JobFinished(JOB_ID, "sea"))
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.label.text() == "Sea 2B is ready"
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.model_page
    assert window.banner.isHidden()


def test_a_model_is_not_said_to_be_ready_once_it_is_loaded(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, models: list[ModelEntry]
) -> None:
    models.append(replace(models[0], model_id="sea", name="Sea 2B"))
    engine.emit(JobFinished(JOB_ID, "sea"))
    qtbot.waitUntil(window.banner.isVisible)
    engine.emit(replace(MODEL, model_id="sea", name="Sea 2B"))
    qtbot.waitUntil(window.banner.isHidden)


def test_a_running_job_is_told_in_the_status_line_which_leads_to_it(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    status = window.findChild(JobStatus)
    assert status is not None
    assert not status.isVisible()
    engine.emit(JobProgress(JOB_ID, "convert", 3, 7))
    qtbot.waitUntil(status.isVisible)
    assert status.text() == "converting 42 %"
    qtbot.mouseClick(status, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.model_page
    engine.emit(JobFinished(JOB_ID, None, "cancelled"))
    qtbot.waitUntil(status.isHidden)


def test_a_job_in_the_status_line_makes_it_no_higher(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    status = window.findChild(JobStatus)
    assert status is not None
    before = window.status_line.sizeHint().height()
    # As letters of another font may need more.
    status.setStyleSheet("padding: 40px")
    engine.emit(JobProgress(JOB_ID, "convert", 3, 7))
    qtbot.waitUntil(status.isVisible)
    assert window.status_line.sizeHint().height() == before


def test_a_model_that_could_not_be_made_is_told_with_the_reason(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.show_settings()
    engine.emit(JobFinished(JOB_ID, None, "disk_full", "No space"))
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.label.text() == "Convert sea.gguf: No space"
    window.show_models()
    assert window.banner.isHidden()


def test_news_do_not_take_the_place_of_an_error(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, models: list[ModelEntry]
) -> None:
    window.banner.show_message("Chats cannot be saved", "Try again", lambda: None)
    models.append(replace(models[0], model_id="sea", name="Sea 2B"))
    engine.emit(JobFinished(JOB_ID, "sea"))
    qtbot.waitUntil(lambda: window.banner.label.text() == "Chats cannot be saved\nSea 2B is ready")
    assert window.banner.action_button.text() == "Try again"
    window.show_models()
    assert window.banner.label.text() == "Chats cannot be saved"


def test_nothing_is_told_at_the_models_nor_of_other_jobs_nor_of_what_was_cancelled(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, models: list[ModelEntry]
) -> None:
    ended: list[JobFinished] = []
    window.models.jobs.finished.connect(ended.append)
    engine.emit(JobFinished("verify:tiny", "tiny"), JobFinished(JOB_ID, None, "cancelled", "Cancelled"))
    qtbot.waitUntil(lambda: len(ended) == 2)
    window.show_models()
    models.append(replace(models[0], model_id="sea", name="Sea 2B"))
    engine.emit(JobFinished("hub:sea", "sea"))
    qtbot.waitUntil(lambda: len(ended) == 3)
    assert window.banner.isHidden()

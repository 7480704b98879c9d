"""What the desktop hears of the work, and what a report of a fault holds."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.desktop import desktop_controller
from app.desktop.diagnostics import write_diagnostics
from app.main_window import MainWindow
from app.state import options
from engine.messages import EngineDied, JobFinished, JobProgress
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send


@pytest.fixture
def notes(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What would be shown by the desktop; the tests' windows are never in front."""
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(window.desktop.notes, "show", lambda title, text: shown.append((title, text)))
    return shown


@pytest.fixture(autouse=True)
def willing_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that can be asked, as wakepy tells a test; this one may have no session bus."""
    monkeypatch.setenv("WAKEPY_FAKE_SUCCESS", "1")


def test_the_computer_is_kept_awake_as_long_as_an_answer_is_written(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    assert not window.desktop.awake.is_on
    request_id = send(qtbot, window, engine, "a question")
    qtbot.waitUntil(lambda: window.desktop.awake.is_on)
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.desktop.awake.is_on)


def test_the_computer_is_kept_awake_by_a_job_unless_that_is_not_wanted(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(JobProgress("job", "download", 1, 2))
    qtbot.waitUntil(lambda: window.desktop.awake.is_on)
    window.change_setting(options.KEEP_AWAKE, False)
    assert not window.desktop.awake.is_on
    window.change_setting(options.KEEP_AWAKE, True)
    assert window.desktop.awake.is_on
    engine.emit(JobFinished("job", "tiny"))
    qtbot.waitUntil(lambda: not window.desktop.awake.is_on)


def test_a_long_answers_end_is_noted_and_a_short_ones_is_not(
    qtbot: QtBot,
    window: MainWindow,
    engine: FakeEngine,
    notes: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request_id = send(qtbot, window, engine, "short")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: not window.tabs.tabs()[0].session.is_busy)
    assert notes == []
    monkeypatch.setattr(desktop_controller, "LONG_ANSWER_S", 0.0)
    request_id = send(qtbot, window, engine, "long")
    engine.answer(request_id, "done  at\nlast")
    engine.finish(request_id)
    qtbot.waitUntil(lambda: notes == [("short", "done at last")])


def test_a_job_whose_engine_is_gone_keeps_nothing_awake(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.emit(JobProgress("job", "download", 1, 2))
    qtbot.waitUntil(lambda: window.desktop.awake.is_on)
    engine.emit(EngineDied("engine_error", "It broke"))
    qtbot.waitUntil(lambda: not window.desktop.awake.is_on)


def test_a_verified_model_is_not_called_ready(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, notes: list[tuple[str, str]]
) -> None:
    engine.emit(JobFinished("verify:tiny", "tiny"), JobFinished("hub:tiny", "tiny"))
    qtbot.waitUntil(lambda: bool(notes))
    assert notes == [("The model is ready", "tiny")]


def test_a_jobs_end_is_noted_but_not_what_the_person_cancelled(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, notes: list[tuple[str, str]]
) -> None:
    engine.emit(JobFinished("one", None, "cancelled", "Cancelled"), JobFinished("two", None, "disk_full", "No space"))
    engine.emit(JobFinished("three", "tiny"))
    qtbot.waitUntil(lambda: len(notes) == 2)
    assert notes == [("A model could not be made ready", "No space"), ("The model is ready", "tiny")]


def test_no_note_is_shown_where_it_is_not_wanted(window: MainWindow) -> None:
    window.change_setting(options.NOTIFY, False)
    assert not window.desktop.notes.show("title", "text")


def test_diagnostics_hold_facts_and_the_log_but_nothing_a_person_wrote(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = {"system_prompt": "a secret", "theme": "dark", "folder": "C:\\Users\\Lisa Meier\\models"}
    (home / "settings.json").write_text(json.dumps(settings))
    (home / "app.log").write_text(f"INFO opened {Path.home()}/chats and C:/Users/Lisa Meier/x\n")
    (home / "chats.sqlite3").write_bytes(b"a secret")
    write_diagnostics(home, tmp_path / "report.zip")
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(texts) == {"facts.json", "app.log"}
    assert "a secret" not in "".join(texts.values())
    assert str(Path.home()) not in "".join(texts.values())
    facts = json.loads(texts["facts.json"])
    assert "Lisa" not in "".join(texts.values())
    assert facts["settings"] == {"theme": "dark", "folder": "~\\models"}
    assert facts["models"] == []
    assert facts["packages"]["torch"] is not None


def test_diagnostics_that_cannot_be_written_say_why(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    place = tmp_path / "missing" / "report.zip"
    window.diagnostics._client.run(window.diagnostics.write(place))
    qtbot.waitUntil(lambda: str(place) in window.banner.label.text())

"""A loop that runs inside Qt's, and a window whose engine is fed by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import QCoreApplication, QEvent, QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import application, main_window
from app.bridge.engine_client import EngineClient
from app.main_window import MainWindow
from app.state.settings import Settings
from engine.api import DamagedModel, ModelEntry
from engine.rope_spec import RopeSpec
from engine.spec import ModelSpec
from tests.app.fake_engine import MODEL, FakeEngine, FakeEngines
from tests.app.windows import OpenWindow, wait_until_started


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[asyncio.AbstractEventLoop]:
    result = qasync.QEventLoop(qapp, already_running=True)
    yield result
    for task in asyncio.all_tasks(result):
        task.cancel()
    qapp.processEvents()
    # Its own stop() would end the application, and with it every later test's waiting.
    result._QEventLoop__is_running = False
    asyncio.events._set_running_loop(None)
    result.close()


@pytest.fixture
def engines() -> FakeEngines:
    return FakeEngines()


@pytest.fixture
def client(engines: FakeEngines, loop: asyncio.AbstractEventLoop) -> EngineClient:
    return EngineClient(engines, loop)


@pytest.fixture
def models() -> list[ModelEntry]:
    """The library; a test changes it in place."""
    spec = ModelSpec("llama", 2, 64, 4, 2, 16, 128, 512, 8192, 1e-5, RopeSpec(1e4), False, True)
    return [ModelEntry(MODEL.model_id, MODEL.name, Path("tiny"), spec, 1_000_000, "Apache-2.0", "a test")]


@pytest.fixture
def damaged() -> list[DamagedModel]:
    """The models of the library that cannot be loaded; a test changes it in place."""
    return []


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> QRect:
    """The room on the screen; a test changes it in place."""
    room = QRect(0, 0, 1920, 1080)
    monkeypatch.setattr(main_window, "available_geometry", lambda window: room)
    return room


@pytest.fixture
def open_window(
    screen: QRect,
    tmp_path: Path,
    engines: FakeEngines,
    loop: asyncio.AbstractEventLoop,
    models: list[ModelEntry],
    damaged: list[DamagedModel],
    monkeypatch: pytest.MonkeyPatch,
    qapp: QApplication,
) -> Iterator[Callable[[], MainWindow]]:
    """Opens a window on one data folder; opened again, it is the same person's next start."""
    monkeypatch.setattr(application, "list_models", lambda home: list(models))
    monkeypatch.setattr(application, "list_damaged_models", lambda home: tuple(damaged))
    opened: list[MainWindow] = []

    def open_one() -> MainWindow:
        window = application.make_window(tmp_path, loop, engines, Settings(tmp_path / "settings.json"))
        window.show()
        opened.append(window)
        return window

    yield open_one
    for window in opened:
        window.close()
        window.deleteLater()
    # Outside of a loop nothing is deleted by itself, and a theme is given to every widget that is left.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines) -> MainWindow:
    """A window that has been painted, with the model loaded."""
    result = open_window()
    wait_until_started(qtbot, engines)
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: result.models.loaded is not None)
    return result


@pytest.fixture
def engine(window: MainWindow, engines: FakeEngines) -> FakeEngine:
    return engines.newest

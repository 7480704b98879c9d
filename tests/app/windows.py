"""What tests of the whole window do with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from tests.app.fake_engine import FakeEngine, FakeEngines

OpenWindow = Callable[[], MainWindow]


def wait_until_started(qtbot: QtBot, engines: FakeEngines) -> None:
    qtbot.waitUntil(lambda: bool(engines.made) and engines.newest.is_started)


def send(qtbot: QtBot, window: MainWindow, engine: FakeEngine, text: str) -> str:
    """Types into the current tab and sends; returns the request's id."""
    tab = window.tabs.current_tab()
    assert tab is not None, "no tab is open"
    qtbot.keyClicks(tab.composer, text)
    qtbot.keyClick(tab.composer, Qt.Key.Key_Return)
    return engine.submits()[-1].request_id


def titles(window: MainWindow) -> list[str]:
    return [tab.session.title for tab in window.tabs.tabs()]

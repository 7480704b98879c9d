"""The opened card of a repository that was found."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.hub_card import HubCard
from engine.messages import HubResults
from tests.app.fake_engine import FakeEngine

from .hub_driver import FOUND, press, search


@pytest.fixture
def card(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> HubCard:
    """The opened card of what was found."""
    search(qtbot, window)
    engine.emit(HubResults("tiny", (FOUND,)))
    found = window.model_page.get.search
    qtbot.waitUntil(lambda: len(found.rows) == 1)
    press(qtbot, found.rows[0].button)
    (card,) = found.cards()
    return card

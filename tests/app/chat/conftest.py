"""A chat's tab that is ready to be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import EngineClient
from tests.app.chat.desk import Desk
from tests.app.fake_engine import FakeEngines


@pytest.fixture
def desk(qtbot: QtBot, client: EngineClient, engines: FakeEngines, tmp_path: Path) -> Iterator[Desk]:
    result = Desk(qtbot, client, engines, tmp_path / "chats.sqlite3")
    yield result
    result.tab.leave()
    result.history.close()

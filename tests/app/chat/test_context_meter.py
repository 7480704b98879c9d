"""What the meter asked for comes when its chat is gone already."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import QObject

from app.chat.context_meter import ContextMeter
from engine.messages import CountTokens, TokensCounted
from tests.app.chat.desk import Desk
from tests.app.fake_engine import MODEL


def test_a_count_that_comes_after_the_chat_was_left_is_passed_over(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    def asked() -> list[CountTokens]:
        return [command for command in desk.engine.commands if isinstance(command, CountTokens)]

    tab, parent = desk.tab, QObject()
    meter = ContextMeter(tab.session, tab._client, tab.panel, parent)
    desk.qtbot.keyClicks(tab.composer, "how long is this")
    desk.qtbot.waitUntil(lambda: bool(asked()))
    num_asked = len(asked())
    meter.show_model(MODEL)
    desk.qtbot.waitUntil(lambda: len(asked()) > num_asked)
    count = asked()[-1]
    meter.close()
    shiboken6.delete(parent)
    desk.engine.emit(TokensCounted(count.count_id, (4,) * len(count.texts)))
    desk.qtbot.wait(20)
    assert not caplog.records

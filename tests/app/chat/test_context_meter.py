"""What the meter asked for comes when its chat is gone already."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from engine.messages import CountTokens, TokensCounted
from tests.app.chat.desk import Desk


def test_a_count_that_comes_after_the_tab_was_closed_is_passed_over(
    desk: Desk, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> list[CountTokens]:
        return [command for command in desk.engine.commands if isinstance(command, CountTokens)]

    desk.qtbot.keyClicks(desk.tab.composer, "how long is this")
    desk.qtbot.waitUntil(lambda: bool(asked()))
    count = asked()[-1]
    desk.tab.leave()
    monkeypatch.setattr(desk.tab, "leave", lambda: None)
    desk.tab.meter.setParent(None)
    desk.tab.meter.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    desk.engine.emit(TokensCounted(count.count_id, (4,) * len(count.texts)))
    desk.qtbot.wait(20)
    assert not caplog.records

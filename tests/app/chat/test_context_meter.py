"""What the meter asked for comes when its chat is gone already."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QObject

from app.chat.context_gauge import ContextParts
from app.chat.context_meter import ContextMeter
from app.chat.message_tools import Tool
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


def test_the_models_own_system_prompt_is_told_as_such(desk: Desk) -> None:
    tab = desk.tab
    tab.show_model(replace(MODEL, own_system_tokens=16))
    assert tab.gauge.parts == ContextParts(limit=8192, reserve=1024, model_system=16)
    assert "System prompt of the model, as you gave none: 16 tokens" in tab.gauge.toolTip()
    assert "Your system prompt" not in tab.gauge.toolTip()
    # What an answer's prompt had in all has it in it.
    desk.finish(desk.send("hi"))
    assert tab.gauge.parts is not None
    assert (tab.gauge.parts.history, tab.gauge.parts.used) == (44, 60)
    tab.session.system_prompt = "Be brief."
    tab.meter.show()
    assert tab.gauge.parts.model_system == 0
    assert "Your system prompt" in tab.gauge.toolTip()


@pytest.mark.parametrize("tool", ["delete_turn", "delete"])
def test_what_was_deleted_fills_the_context_no_longer(desk: Desk, tool: Tool) -> None:
    tab = desk.tab
    tab.show_model(replace(MODEL, own_system_tokens=16))
    request_id = desk.send("hi")
    desk.answer(request_id, "Good day")
    desk.finish(request_id)
    assert tab.gauge.parts is not None
    assert tab.gauge.parts.history
    tab.message_actions.use(tab.session.messages[1], tool)
    assert (tab.gauge.parts.history, tab.gauge.parts.used) == (0, 16)


def test_the_gauge_is_as_wide_whatever_is_used(desk: Desk) -> None:
    gauge = desk.tab.panel.gauge
    widths, texts = set(), set()
    for used in (7, 412, 3_100, 7_900):
        gauge.show_parts(ContextParts(history=used, limit=8_192))
        widths.add(gauge.sizeHint().width())
        texts.add(gauge.text())
    assert len(texts) == 4
    assert len(widths) == 1
    gauge.show_parts(ContextParts(history=7, limit=131_072))
    assert gauge.sizeHint().width() > widths.pop()

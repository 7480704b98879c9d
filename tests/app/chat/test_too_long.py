"""A message that does not fit: refused before it is sent, and never in the way of those that come behind it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.chat.context_gauge import ContextParts
from app.chat.send_check import forgetting_helps, forgetting_makes_room, refusal_words, warning_words
from app.state.message import Attachment
from engine.messages import Command, CountTokens, SamplingParams, TokensCounted
from tests.app.chat.desk import Desk
from tests.app.fake_engine import MODEL

LIMIT = min(MODEL.max_context, MODEL.num_blocks * MODEL.block_size)
TOO_LONG = (
    "Needs 9,014 tokens (9,013 of prompt and 1 token of answer), the model's context holds 8,192: shorten the message"
)


@pytest.fixture
def counting_desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Its engine counts a token for each character."""
    send = desk.engine.send

    def count(command: Command) -> None:
        if isinstance(command, CountTokens):
            desk.engine.emit(TokensCounted(command.count_id, tuple(map(len, command.texts))))
        else:
            send(command)

    monkeypatch.setattr(desk.engine, "send", count)
    return desk


def fail_with_too_long(desk: Desk) -> None:
    """Sent before it was counted, so that only the engine knows."""
    desk.tab.panel.attachments.add(Attachment("a.txt", "x" * LIMIT))
    desk.fail(desk.send("sum up"), TOO_LONG)


def refusal(desk: Desk) -> str:
    label = desk.tab.panel.refusal_label
    return "" if label.isHidden() else label.text()


def test_a_longest_answer_that_does_not_fit_is_no_reason_to_refuse(counting_desk: Desk) -> None:
    """It is the most that is wanted: the engine cuts it to what the context leaves."""
    desk = counting_desk
    desk.tab.read_params = lambda: SamplingParams(max_tokens=LIMIT)
    desk.send("sum up")
    (submit,) = desk.engine.submits()
    assert submit.cuts_answer
    assert refusal(desk) == ""


def test_what_is_too_long_is_not_sent_and_stays(counting_desk: Desk) -> None:
    desk = counting_desk
    desk.tab.panel.attachments.add(Attachment("a.txt", "x" * LIMIT))
    desk.qtbot.keyClicks(desk.tab.composer, "sum up")
    desk.qtbot.waitUntil(lambda: refusal(desk).startswith("Too long to send: 8,2"))
    assert f"but only {LIMIT:,} fit" in refusal(desk)
    assert not desk.tab.send_button.isEnabled()
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert desk.engine.submits() == []
    assert desk.tab.composer.toPlainText() == "sum up"
    (card,) = desk.tab.panel.attachments.cards
    desk.qtbot.mouseClick(card.remove_button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(desk.tab.send_button.isEnabled)
    assert refusal(desk) == ""


def test_a_message_that_never_fitted_can_be_forgotten(counting_desk: Desk) -> None:
    desk = counting_desk
    fail_with_too_long(desk)
    desk.qtbot.keyClicks(desk.tab.composer, "hi")
    desk.qtbot.waitUntil(lambda: refusal(desk) != "")
    desk.tab.full_choice.actions_by_choice["drop_oldest"].trigger()
    desk.qtbot.waitUntil(lambda: refusal(desk) == "")


def test_a_message_that_never_fitted_is_counted_and_can_be_removed(counting_desk: Desk) -> None:
    desk = counting_desk
    fail_with_too_long(desk)
    desk.qtbot.keyClicks(desk.tab.composer, "hi")
    desk.qtbot.waitUntil(lambda: refusal(desk).startswith("This chat is full"))
    assert desk.tab.gauge.parts is not None
    assert desk.tab.gauge.parts.history > LIMIT
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert len(desk.engine.submits()) == 1
    remove = desk.view().error_panel.remove_button
    assert remove.isVisible()
    desk.qtbot.mouseClick(remove, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(desk.tab.send_button.isEnabled)
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert [message.content for message in desk.engine.submits()[-1].messages] == ["hi"]


def test_a_full_chat_can_forget_and_send_by_one_button(desk: Desk) -> None:
    button = desk.tab.panel.forget_button
    desk.qtbot.keyClicks(desk.tab.composer, "more")
    desk.tab.panel.show_refusal("This chat is full", True)
    assert button.isVisible()
    desk.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert desk.engine.submits()[-1].when_full == "drop_oldest"
    assert desk.tab.full_choice.actions_by_choice["drop_oldest"].isChecked()
    assert desk.tab.composer.toPlainText() == ""
    assert not button.isVisible()


def test_another_failure_leaves_the_message_where_it_is(desk: Desk) -> None:
    desk.fail(desk.send("hello"), "The engine stopped: restart it and try again")
    assert desk.view().error_panel.retry_button.isVisible()
    assert not desk.view().error_panel.remove_button.isVisible()


def test_a_full_chat_is_told_from_a_long_message() -> None:
    full = ContextParts(system=10, history=90, draft=10, limit=100)
    assert refusal_words(full, "stop").startswith("This chat is full: 111 tokens with this message, but only 100 fit.")
    assert refusal_words(full, "drop_oldest") == ""
    assert forgetting_helps(full, "stop")
    assert not forgetting_helps(full, "drop_oldest")
    assert not forgetting_helps(ContextParts(history=9, draft=100, limit=100), "stop")
    assert refusal_words(ContextParts(history=90, draft=9, limit=100), "stop") == ""


def test_few_tokens_for_the_answer_are_told_before_it_is_asked_for() -> None:
    tight = ContextParts(history=7900, draft=252, limit=8192)
    words = warning_words(tight, "stop")
    assert words.startswith(
        "Only 40 tokens are left for the answer, about 30 words: it may break off. Start a new chat"
    )
    assert "Memory for chats" not in words
    assert forgetting_makes_room(tight, "stop")
    assert warning_words(tight, "drop_oldest") == ""
    assert warning_words(ContextParts(history=7000, limit=8192), "stop") == ""
    # Nothing at all is left: that is refused.
    assert warning_words(ContextParts(history=8190, draft=2, limit=8192), "stop") == ""
    long_message = ContextParts(draft=8152, limit=8192, is_bound_by_memory=True)
    for when_full in ("stop", "drop_oldest"):
        words = warning_words(long_message, when_full)  # type: ignore[arg-type]
        assert "Shorten the message" in words
        assert words.endswith("“Memory for chats” in the settings makes chats longer.")
    assert not forgetting_makes_room(long_message, "stop")


def test_a_message_with_little_room_for_its_answer_can_be_sent_all_the_same(counting_desk: Desk) -> None:
    desk = counting_desk
    desk.tab.panel.attachments.add(Attachment("a.txt", "x" * (LIMIT - 100)))
    desk.qtbot.keyClicks(desk.tab.composer, "sum up")
    desk.qtbot.waitUntil(desk.tab.panel.warning_label.isVisible)
    assert "are left for the answer" in desk.tab.panel.warning_label.text()
    assert not desk.tab.panel.forget_button.isVisible()
    assert desk.tab.send_button.isEnabled()
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert len(desk.engine.submits()) == 1
    assert not desk.tab.panel.warning_label.isVisible()

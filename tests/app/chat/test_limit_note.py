"""An answer that stopped at a limit says which one it was, how it goes on, and where the limit is set."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.chat.chat_options import ChatOptions
from app.chat.limit_note import limit_words
from app.state.message import AnswerStats, Message
from tests.app.chat.desk import Desk

LIMIT = 100


def cut(text: str = "half an ans", num_prompt_tokens: int = 20, num_answer_tokens: int = 40) -> Message:
    stats = AnswerStats(num_prompt_tokens, 0, num_answer_tokens, 0.2, 30.0)
    return Message("assistant", text, end="length", stats=stats)


def test_the_limits_are_told_apart() -> None:
    assert limit_words(cut(), LIMIT, "stop").startswith("An answer may have 40 tokens here")
    full = cut(num_prompt_tokens=60)
    assert limit_words(full, LIMIT, "stop").endswith("Start a new chat, or let this one forget its oldest turns.")
    assert "“Continue”" in limit_words(full, LIMIT, "drop_oldest")
    assert "still thinking after 40 tokens" in limit_words(cut(text=""), LIMIT, "stop")
    assert limit_words(Message("assistant", "done", end="stop"), LIMIT, "stop") == ""
    assert limit_words(full, None, "stop").startswith("An answer may have")


def test_the_limit_is_changed_where_it_is_told(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "half an ans")
    assert not desk.view().limit_note.isVisible()
    desk.finish(request_id, "length")
    note = desk.view().limit_note
    assert note.isVisible()
    assert desk.view().continue_button.isVisible()
    desk.qtbot.mouseClick(note.options_button, Qt.MouseButton.LeftButton)
    options = desk.tab.findChild(ChatOptions)
    assert options is not None
    options.reject()
    desk.send("again")
    assert not note.isVisible()


def test_a_full_chat_goes_on_only_if_it_may_forget(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "half an ans")
    desk.tab.transcript.show_context_limit(60)
    desk.finish(request_id, "length")
    assert desk.view().limit_note.label.text().startswith("The chat is full: it has all 60 tokens")
    assert not desk.view().limit_note.options_button.isVisible()
    assert not desk.view().continue_button.isVisible()
    desk.tab.session.when_full = "drop_oldest"
    desk.tab.transcript.show_context_limit(60)
    assert desk.view().continue_button.isVisible()

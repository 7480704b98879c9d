"""One chat from the composer to the disk and back to the screen, with the engine's part played by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.chat.answer_figures import figures_of
from app.state.history import History
from app.state.message import AnswerStats, Message
from app.state.session import Phase, Session
from app.widgets.text_label import TextLabel
from engine.messages import ChatMessage, PrefillProgress, RequestQueued, TextDelta
from tests.app.chat.desk import PARAMS, Desk
from tests.app.fake_engine import MODEL


def test_a_question_is_on_disk_before_it_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(desk.engine, "send", lambda command: seen.append(desk.on_disk()))
    desk.tab.submit("hello")
    assert seen == [["hello", ""]]


def test_an_answer_streams_and_ends_with_its_figures(desk: Desk) -> None:
    request_id = desk.send("hello")
    (submit,) = desk.engine.submits()
    assert (submit.messages, submit.params) == ((ChatMessage("user", "hello"),), PARAMS)
    assert submit.owner == desk.tab.session.id
    desk.answer(request_id, "Hi **there**")
    desk.finish(request_id)
    assert desk.view().body.views[0].toPlainText() == "Hi there"  # type: ignore[union-attr]
    assert (
        desk.view().stats_label.accessibleName() == "62 tok/s · first token 0.21 s · 40 tokens · 16 cached · finished"
    )
    assert desk.on_disk() == ["hello", "Hi **there**"]


def test_the_list_of_chats_is_told_once_a_turn(desk: Desk) -> None:
    begun: list[bool] = []
    desk.tab.turn_begun.connect(lambda chat_id: begun.append(chat_id == desk.tab.session.id and bool(desk.on_disk())))
    request_id = desk.send("hello")
    desk.answer(request_id, "hi")
    desk.finish(request_id)
    assert begun == [True]
    desk.tab.retry()
    assert begun == [True, True]


def test_the_next_question_carries_the_whole_chat(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    desk.finish(request_id)
    desk.send("two")
    contents = [message.content for message in desk.engine.submits()[-1].messages]
    assert contents == ["one", "1", "two"]


def test_while_an_answer_streams_the_composer_keeps_its_text(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    desk.qtbot.keyClicks(desk.tab.composer, "two")
    assert desk.tab.composer.toPlainText() == "two"
    assert desk.tab.stop_button.isVisible()
    assert not desk.tab.send_button.isVisible()
    desk.finish(request_id)
    assert desk.tab.send_button.isVisible()


@pytest.mark.parametrize("by_key", [True, False])
def test_stopping_keeps_the_text_and_says_so(desk: Desk, by_key: bool) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "half an ans")
    if by_key:
        desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Escape)
    else:
        desk.qtbot.mouseClick(desk.tab.stop_button, Qt.MouseButton.LeftButton)
    assert desk.engine.cancelled() == [request_id]
    desk.finish(request_id, "cancelled")
    assert desk.view().stats_label.text().endswith("· stopped")
    assert desk.on_disk() == ["hello", "half an ans"]


def test_stopping_before_the_first_token_is_seen_at_once(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.engine.emit(PrefillProgress(request_id, 100, 1000, 0))
    desk.qtbot.waitUntil(lambda: desk.tab.session.phase is Phase.PREFILL)
    desk.qtbot.mouseClick(desk.tab.stop_button, Qt.MouseButton.LeftButton)
    assert desk.view().state_label.text() == "Stopping…"
    assert not desk.tab.stop_button.isEnabled()
    desk.engine.emit(PrefillProgress(request_id, 200, 1000, 0))
    desk.qtbot.waitUntil(lambda: desk.tab.session.prefill_percent == 20)
    assert not desk.tab.stop_button.isEnabled()
    desk.finish(request_id, "cancelled")
    desk.send("again")
    assert desk.tab.stop_button.isEnabled()


def test_what_cannot_be_sent_now_says_why_for_a_moment(desk: Desk) -> None:
    hint = desk.tab.panel.hint
    desk.tab.show_model(None, "Tiny 1M")
    for text in ("one", "two"):
        desk.qtbot.keyClicks(desk.tab.composer, text)
        desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert hint.text().startswith("One message waits already")
    assert desk.tab.composer.toPlainText() == "two"
    hint._timer.timeout.emit()
    assert not hint.isVisible()


def test_an_error_stands_in_the_chat_and_can_be_retried(desk: Desk) -> None:
    desk.fail(desk.send("hello"), "Needs 9 GiB, 6 GiB free: pick a smaller model")
    panel = desk.view().error_panel
    assert panel.isVisible()
    assert panel.note.text() == "Needs 9 GiB, 6 GiB free: pick a smaller model"
    desk.qtbot.mouseClick(panel.note.details_button, Qt.MouseButton.LeftButton)
    assert panel.note._details.isVisible()
    desk.qtbot.mouseClick(panel.note.copy_button, Qt.MouseButton.LeftButton)
    error, asked, *details = QGuiApplication.clipboard().text().splitlines()
    assert (error, details) == (panel.note.text(), ["Model: Tiny 1M", "Error code: engine_error"])
    assert asked.startswith("Asked: ")
    desk.qtbot.mouseClick(panel.retry_button, Qt.MouseButton.LeftButton)
    assert len(desk.engine.submits()) == 2
    assert desk.engine.submits()[1].messages == desk.engine.submits()[0].messages
    request_id = desk.engine.submits()[1].request_id
    desk.answer(request_id, "hi")
    desk.finish(request_id)
    assert not desk.view().error_panel.isVisible()
    assert desk.on_disk() == ["hello", "hi"]


def test_waiting_and_prefill_are_said_in_words(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.engine.emit(RequestQueued(request_id, 1, "sequences"))
    desk.qtbot.waitUntil(lambda: desk.view().state_label.text() == "Waiting, 2nd in line")
    desk.engine.emit(PrefillProgress(request_id, 30, 100, 0))
    desk.qtbot.waitUntil(lambda: desk.view().state_label.text() == "Reading the chat, 30 %")
    desk.engine.emit(TextDelta(request_id, "hi", (1,)))
    desk.qtbot.waitUntil(lambda: not desk.view().state_label.isVisible())


def test_a_streaming_answer_is_saved_before_it_ends(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "the first half")
    desk.qtbot.waitUntil(lambda: desk.on_disk() == ["hello", "the first half"])
    assert desk.tab.session.is_busy


def test_leaving_a_streaming_chat_cancels_and_keeps_what_has_arrived(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.engine.answer(request_id, "arrived")
    desk.qtbot.waitUntil(lambda: desk.tab.session.phase is Phase.STREAMING)
    desk.tab.leave()
    assert desk.engine.cancelled() == [request_id]
    assert desk.on_disk() == ["hello", "arrived"]
    stored = History(desk.path).load(desk.tab.session.id)
    assert stored is not None
    assert stored.messages[-1].end == "cancelled"


def test_a_chat_that_cannot_be_saved_goes_on_and_says_why(desk: Desk) -> None:
    reasons: list[str] = []
    desk.tab.save_failed.connect(reasons.append)
    desk.history.close()
    request_id = desk.send("hello")
    desk.answer(request_id, "hi")
    assert reasons
    assert "cannot be saved" in reasons[0]
    desk.finish(request_id)
    assert desk.view().message.text == "hi"
    desk.history = History(desk.path)


def test_a_hidden_tab_collects_its_answer_and_shows_it_when_it_is_shown(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.tab.hide()
    desk.answer(request_id, "written while hidden")
    desk.finish(request_id)
    assert desk.view().body.views == []
    desk.tab.show()
    assert desk.view().body.views[0].toPlainText() == "written while hidden"  # type: ignore[union-attr]


def test_the_gauge_counts_the_chats_tokens(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "hi")
    desk.finish(request_id)
    assert desk.tab.gauge.text() == "ctx 60 / 8k"
    desk.tab.show_model(replace(MODEL, num_blocks=100))
    assert desk.tab.gauge.text() == "ctx 60 / 1.6k"
    desk.tab.show_model(None)
    assert not desk.tab.gauge.isVisible()


def test_the_view_follows_its_end_until_the_person_scrolls_up(desk: Desk) -> None:
    transcript = desk.tab.transcript
    bar = transcript.verticalScrollBar()
    request_id = desk.send("hello")
    desk.answer(request_id, "line\n\n" * 60)
    desk.qtbot.waitUntil(lambda: bar.maximum() > 200 and bar.value() == bar.maximum())
    assert not transcript.latest_button.isVisible()
    bar.setValue(50)
    assert transcript.latest_button.isVisible()
    before = bar.maximum()
    desk.answer(request_id, "more\n\n" * 30)
    desk.qtbot.waitUntil(lambda: bar.maximum() > before)
    assert bar.value() == 50
    desk.qtbot.mouseClick(transcript.latest_button, Qt.MouseButton.LeftButton)
    assert bar.value() == bar.maximum()
    assert transcript.is_following


def test_no_button_leads_to_an_end_that_is_in_sight(desk: Desk) -> None:
    transcript = desk.tab.transcript
    bar = transcript.verticalScrollBar()
    request_id = desk.send("hello")
    desk.answer(request_id, "line\n\n" * 60)
    desk.finish(request_id)
    desk.qtbot.waitUntil(lambda: bar.maximum() > 200 and bar.value() == bar.maximum())
    # As when something is found there.
    transcript.show_line(transcript.views[-1].message, transcript.views[-1].height())
    assert bar.value() == bar.maximum()
    assert not transcript.latest_button.isVisible()
    transcript.show_line(transcript.views[-1].message, 0)
    assert transcript.latest_button.isVisible()


def test_a_long_chat_opens_with_its_newest_messages(desk: Desk) -> None:
    session = Session()
    for number in range(60):
        session.messages.append(Message("user", f"question {number}"))
        session.messages.append(Message("assistant", f"answer {number}", end="stop"))
    tab = desk.open(session)
    transcript = tab.transcript
    assert len(transcript.views) == 40
    assert transcript.views[-1].message is session.messages[-1]
    desk.qtbot.mouseClick(transcript.earlier_button, Qt.MouseButton.LeftButton)
    assert len(transcript.views) == 80
    assert transcript.views[0].message is session.messages[40]


def test_leaving_keeps_the_figures_and_the_gauge(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.engine.answer(request_id, "arrived")
    desk.qtbot.waitUntil(lambda: desk.tab.session.phase is Phase.STREAMING)
    desk.tab.leave()
    session = History(desk.path).load(desk.tab.session.id)
    assert session is not None
    stats = session.messages[-1].stats
    assert stats is not None
    assert (stats.num_prompt_tokens, stats.num_cached_tokens, stats.num_completion_tokens) == (20, 16, 1)
    assert stats.ttft_s is not None
    assert desk.open(session).gauge.text() == "ctx 21 / 8k"


def test_a_killed_program_keeps_the_figures_so_far(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "arrived")
    desk.qtbot.waitUntil(lambda: desk.on_disk() == ["hello", "arrived"])
    session = History(desk.path).load(desk.tab.session.id)
    assert session is not None
    assert session.num_context_tokens == 20 + len("arrived")


def test_an_answer_that_reached_its_limit_can_be_continued(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "half an ans")
    desk.finish(request_id, "length")
    view = desk.view()
    assert view.stats_label.text().endswith("stopped at the limit of 40 tokens")
    desk.qtbot.keyClicks(desk.tab.composer, "a draft")
    desk.qtbot.mouseClick(view.continue_button, Qt.MouseButton.LeftButton)
    submit = desk.engine.submits()[-1]
    assert [message.content for message in submit.messages] == ["hello", "half an ans"]
    assert submit.continues_answer
    assert not desk.view().continue_button.isVisible()
    desk.answer(submit.request_id, "wer.")
    desk.finish(submit.request_id)
    assert desk.view().body.views[0].toPlainText() == "half an answer."  # type: ignore[union-attr]
    assert desk.on_disk() == ["hello", "half an answer."]
    assert desk.tab.composer.toPlainText() == "a draft"


def test_an_answer_that_was_stopped_says_that_it_can_be_continued(desk: Desk) -> None:
    request_id = desk.send("hello")
    desk.answer(request_id, "half an ans")
    desk.finish(request_id, "cancelled")
    assert desk.view().continue_button.isVisible()
    assert desk.view().tools.buttons["go_on"].isHidden()
    desk.answer(desk.send("and?"), "all of it")
    desk.finish(desk.engine.submits()[-1].request_id)
    assert not desk.view().continue_button.isVisible()


def test_an_empty_chat_says_which_model_answers(desk: Desk) -> None:
    def words() -> list[str]:
        return [label.text() for label in desk.tab.transcript.findChildren(TextLabel) if label.isVisible()]

    assert words() == ["Tiny 1M · Ask something; Shift+Enter breaks the line."]
    desk.tab.show_model(None)
    assert words() == ["No model is loaded yet."]
    desk.tab.show_model(None, MODEL.name)
    assert words() == [f"Loading {MODEL.name} …"]
    desk.tab.show_model(MODEL)
    desk.send("hello")
    assert not any("Ask something" in text for text in words())


def test_without_a_model_one_is_asked_for_and_the_message_stays(desk: Desk) -> None:
    assert not desk.tab.send_button.isEnabled()
    desk.qtbot.keyClicks(desk.tab.composer, "hello")
    desk.tab.show_model(None)
    assert desk.tab.send_button.isEnabled()
    with desk.qtbot.waitSignal(desk.tab.model_missed):
        desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert desk.engine.submits() == []
    assert desk.tab.composer.toPlainText() == "hello"


def test_a_message_waits_for_the_model_that_is_on_its_way_and_is_sent_then(desk: Desk) -> None:
    desk.tab.show_model(None, MODEL.name)
    desk.qtbot.keyClicks(desk.tab.composer, "hello")
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    queued = desk.tab.panel.queued
    assert queued.isVisible()
    assert "model is loaded" in queued._reason.text()
    assert desk.engine.submits() == []
    assert desk.tab.composer.toPlainText() == ""
    desk.tab.show_model(MODEL)
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 1)
    assert desk.tab.session.messages[0].text == "hello"
    assert not queued.isVisible()


def test_a_message_whose_model_could_not_be_loaded_stands_in_the_field_again(desk: Desk) -> None:
    desk.tab.show_model(None, MODEL.name)
    desk.qtbot.keyClicks(desk.tab.composer, "hello")
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    desk.tab.show_model(None)
    assert desk.tab.composer.toPlainText() == "hello"
    assert not desk.tab.panel.queued.isVisible()
    assert "not sent" in desk.tab.panel.hint.text()
    assert desk.tab.session.messages == []


LENGTH = Message("assistant", "x", end="length", stats=AnswerStats(9, 0, 3, 0.5, 3.44))
STOPPED = Message("assistant", "", end="cancelled", stats=AnswerStats(9, 0, 0, None, None))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Message("assistant", "x", end="stop"), "finished"),
        (Message("assistant", "x", end="interrupted"), "interrupted"),
        (LENGTH, "3.4 tok/s · first token 0.50 s · 3 tokens · stopped at the limit of 3 tokens"),
        (STOPPED, "stopped"),
    ],
)
def test_figures_are_said_as_far_as_they_are_known(message: Message, text: str) -> None:
    assert figures_of(message).text() == text

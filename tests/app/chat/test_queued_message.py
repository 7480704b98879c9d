"""A message that is written while an answer streams: it waits for the answer's end, and is never lost."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.state.message import Attachment
from tests.app.chat.desk import Desk
from tests.app.fake_engine import MODEL, FakeEngine
from tests.app.windows import OpenWindow


def enter(desk: Desk, text: str) -> None:
    desk.qtbot.keyClicks(desk.tab.composer, text)
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)


def begun(desk: Desk) -> str:
    """An answer that streams, with a message queued behind it."""
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    enter(desk, "two")
    return request_id


def asked(desk: Desk) -> list[str]:
    return [message.content for message in desk.engine.submits()[-1].messages]


def test_what_is_sent_while_an_answer_streams_waits_for_its_end(desk: Desk) -> None:
    request_id = begun(desk)
    assert len(desk.engine.submits()) == 1
    assert desk.tab.composer.toPlainText() == ""
    assert desk.tab.panel.queued.isVisible()
    assert desk.tab.panel.queued.text() == "two"
    assert desk.tab.composer.placeholderText().startswith("Message")
    desk.engine.finish(request_id)
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert desk.tab.composer.placeholderText().startswith("Next message")
    assert asked(desk) == ["one", "1", "two"]
    assert not desk.tab.panel.queued.isVisible()
    assert desk.on_disk() == ["one", "1", "two", ""]


def test_a_message_is_queued_by_a_button_too(desk: Desk) -> None:
    button = desk.tab.panel.queue_button
    assert not button.isVisible()
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    assert button.isVisible()
    assert not button.isEnabled()
    desk.qtbot.keyClicks(desk.tab.composer, "two")
    desk.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert desk.tab.panel.queued.text() == "two"
    desk.qtbot.keyClicks(desk.tab.composer, "three")
    assert not button.isEnabled()
    desk.engine.finish(request_id)
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert button.isEnabled()


def test_what_is_written_meanwhile_stays_when_the_queued_message_is_sent(desk: Desk) -> None:
    desk.tab.panel.attachments.add(Attachment("a.py", "print()", 3))
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    desk.tab.panel.attachments.add(Attachment("b.py", "print()", 3))
    enter(desk, "two")
    enter(desk, "three")
    assert desk.tab.panel.queued.text() == "two"
    assert desk.tab.panel.hint.text().startswith("One message waits already")
    desk.engine.finish(request_id)
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert asked(desk)[-1] == "File b.py:\n```\nprint()\n```\n\ntwo"
    assert desk.tab.composer.toPlainText() == "three"
    assert desk.tab.panel.attachments.attachments == ()


def test_a_queued_message_can_be_taken_back(desk: Desk) -> None:
    request_id = begun(desk)
    desk.qtbot.keyClicks(desk.tab.composer, "three")
    desk.qtbot.mouseClick(desk.tab.panel.queued.back_button, Qt.MouseButton.LeftButton)
    assert desk.tab.composer.toPlainText() == "two\n\nthree"
    assert not desk.tab.panel.queued.isVisible()
    desk.finish(request_id)
    assert len(desk.engine.submits()) == 1


def test_stopping_puts_the_queued_message_back_into_the_field(desk: Desk) -> None:
    request_id = begun(desk)
    desk.qtbot.mouseClick(desk.tab.stop_button, Qt.MouseButton.LeftButton)
    assert desk.tab.composer.toPlainText() == "two"
    # The answer may have come to its end by itself.
    desk.finish(request_id)
    assert len(desk.engine.submits()) == 1


def test_what_is_queued_behind_a_stop_is_sent_once_the_answer_has_ended(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    desk.tab.stop()
    enter(desk, "two")
    desk.engine.finish(request_id, "cancelled")
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert asked(desk) == ["one", "1", "two"]


def test_an_answer_that_stopped_at_its_limit_can_be_continued_first(desk: Desk) -> None:
    request_id = begun(desk)
    desk.finish(request_id, "length")
    assert desk.tab.composer.toPlainText() == "two"
    assert desk.tab.panel.hint.text().startswith("The answer stopped at its limit")
    assert desk.tab.panel.hint.isVisible()


def test_an_answer_that_ends_while_another_model_is_loaded_leaves_the_message_waiting(desk: Desk) -> None:
    request_id = begun(desk)
    desk.tab.show_model(None, "Another")
    desk.engine.finish(request_id)
    desk.qtbot.waitUntil(lambda: not desk.tab.session.is_busy)
    assert desk.tab.panel.queued.text() == "two"
    desk.tab.show_model(MODEL, "")
    assert asked(desk)[-1] == "two"


def test_a_failure_puts_the_queued_message_back(desk: Desk) -> None:
    request_id = begun(desk)
    desk.fail(request_id, "The engine stopped: restart it and try again")
    assert desk.tab.composer.toPlainText() == "two"


def test_a_queued_message_does_not_take_the_place_that_is_read(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.answer(request_id, "line\n\n" * 40)
    desk.qtbot.waitUntil(lambda: desk.tab.transcript.verticalScrollBar().maximum() > 0)
    desk.tab.transcript.verticalScrollBar().setValue(0)
    enter(desk, "two")
    desk.engine.finish(request_id)
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert not desk.tab.transcript.is_following


def test_a_queued_message_is_a_draft_when_the_window_closes(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.submit("one")
    engine.answer(engine.submits()[-1].request_id, "1")
    qtbot.waitUntil(lambda: tab.session.answer.text == "1")
    qtbot.keyClicks(tab.composer, "two")
    qtbot.keyClick(tab.composer, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window._history.drafts.load(tab.session.id).text == "two")
    window.tabs.new_chat()
    window.close()
    again = open_window()
    again.chats.open(tab.session.id)
    restored = again.tabs.tab_of(tab.session.id)
    assert restored is not None
    assert restored.composer.toPlainText() == "two"


def test_a_queued_message_is_sent_in_a_tab_behind_others(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.submit("one")
    request_id = engine.submits()[-1].request_id
    engine.answer(request_id, "1")
    qtbot.waitUntil(lambda: tab.session.answer.text == "1")
    qtbot.keyClicks(tab.composer, "two")
    qtbot.keyClick(tab.composer, Qt.Key.Key_Return)
    window.tabs.new_chat()
    engine.finish(request_id)
    qtbot.waitUntil(lambda: len(engine.submits()) == 2)
    assert window._history.drafts.load(tab.session.id).is_empty

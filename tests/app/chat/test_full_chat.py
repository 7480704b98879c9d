"""What a person chooses for a chat that is full, and is told when turns were left out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.chat.answer_figures import phases_text
from app.chat.full_choice import FullChoice
from app.state.history import History, HistoryError
from app.state.message import AnswerStats, ForgottenTurns
from engine.messages import ContextTrimmed, RequestFinished
from tests.app.chat.desk import Desk


def turn(desk: Desk, *dropped: int, num_tokens: int = 0) -> None:
    """A question with its answer, before which messages were left out."""
    request_id = desk.send("question")
    if dropped:
        desk.engine.emit(ContextTrimmed(request_id, dropped, num_tokens, 100))
    desk.answer(request_id, "answer")
    desk.finish(request_id)


def notice(desk: Desk) -> str:
    label = desk.view().notice_label
    return "" if label.isHidden() else label.text()


def test_a_chat_stops_when_it_is_full_unless_the_person_chooses_otherwise(desk: Desk) -> None:
    desk.send("hello")
    assert desk.engine.submits()[-1].when_full == "stop"
    assert desk.tab.full_choice.text() == "When full: stop ▾"


def test_the_choice_holds_for_the_next_message_and_after_a_restart(desk: Desk) -> None:
    turn(desk)
    desk.tab.full_choice.actions_by_choice["drop_oldest"].trigger()
    assert desk.tab.full_choice.text() == "When full: forget ▾"
    desk.send("hello")
    assert desk.engine.submits()[-1].when_full == "drop_oldest"
    other = History(desk.path)
    session = other.load(desk.tab.session.id)
    other.close()
    assert session is not None
    assert desk.open(session).full_choice.text() == "When full: forget ▾"


def test_the_choice_of_a_chat_without_messages_is_saved_with_the_first(desk: Desk) -> None:
    desk.tab.full_choice.actions_by_choice["drop_oldest"].trigger()
    desk.send("hello")
    session = desk.history.load(desk.tab.session.id)
    assert session is not None
    assert session.when_full == "drop_oldest"


def test_a_choice_that_cannot_be_saved_holds_and_the_reason_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(chat_id: str, when_full: str) -> None:
        raise HistoryError("the disk is full")

    monkeypatch.setattr(desk.history, "set_when_full", fail)
    with desk.qtbot.waitSignal(desk.tab.save_failed) as told:
        desk.tab.full_choice.actions_by_choice["drop_oldest"].trigger()
    assert told.args == ["the disk is full"]
    assert desk.tab.session.when_full == "drop_oldest"


def test_turns_that_the_model_no_longer_sees_are_told_where_that_begins(desk: Desk) -> None:
    turn(desk)
    turn(desk)
    assert notice(desk) == ""
    turn(desk, 0, 1, num_tokens=350)
    assert notice(desk) == "The chat is full: from here on the model no longer sees turn 1 (350 tokens)."
    turn(desk, 0, 1, num_tokens=350)
    assert notice(desk) == ""
    turn(desk, 0, 1, 2, 3, 4, 5, num_tokens=1204)
    assert notice(desk) == "The chat is full: from here on the model no longer sees turns 1 to 3 (1,204 tokens)."


def test_the_notice_is_there_while_the_answer_is_awaited_and_after_a_restart(desk: Desk) -> None:
    turn(desk)
    request_id = desk.send("question")
    desk.engine.emit(ContextTrimmed(request_id, (0, 1), 350, 100))
    desk.qtbot.waitUntil(lambda: "turn 1" in notice(desk))
    desk.answer(request_id, "answer")
    desk.finish(request_id)
    session = desk.history.load(desk.tab.session.id)
    assert session is not None
    assert session.answer.forgotten == ForgottenTurns(1, 350)
    desk.tab = desk.open(session)
    assert "turn 1 (350 tokens)" in notice(desk)


def test_the_choice_is_reached_and_made_by_keys(desk: Desk) -> None:
    choice = FullChoice("stop")
    desk.qtbot.addWidget(choice)
    choice.show()
    menu = choice.menu()
    menu.popup(choice.mapToGlobal(choice.rect().bottomLeft()))
    with desk.qtbot.waitSignal(choice.chosen) as chosen:
        # The heading cannot be chosen; the first key goes to the first choice.
        desk.qtbot.keyClick(menu, Qt.Key.Key_Down)
        desk.qtbot.keyClick(menu, Qt.Key.Key_Down)
        desk.qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert chosen.args == ["drop_oldest"]


def test_the_figures_tell_where_the_time_went_when_pointed_at(desk: Desk) -> None:
    request_id = desk.send("question")
    desk.answer(request_id, "answer")
    end = RequestFinished(
        request_id, "stop", 20, 16, 40, 0.21, 62.4, queue_s=0.02, prefill_s=0.19, decode_s=3.1, preempted_s=0.4
    )
    desk.engine.emit(end)
    desk.qtbot.waitUntil(lambda: not desk.tab.session.is_busy)
    assert (
        desk.view().stats_label.accessibleDescription()
        == "waiting 0.02 s, reading 0.19 s, writing 3.10 s, set aside for other chats 0.40 s"
    )


def test_phases_that_are_not_known_are_not_told() -> None:
    assert phases_text(AnswerStats(9, 0, 3, 0.5, 3.4)) == ""
    assert phases_text(None) == ""

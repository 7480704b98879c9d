"""An answer that has fallen into a loop is told so, and nothing that merely has equal lines is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.chat.repetition import MAX_TAIL_CHARACTERS, repeats_itself
from app.chat.repetition_watch import LESS_REPETITION
from app.state.history import History
from tests.app.chat.desk import Desk

STANZA = "The sea is deep and the sea is wide,\nand over it sails the tide.\nThe gulls are gone and so am I.\n\n"
LINE = "I do not know what you mean by that. "


@pytest.mark.parametrize(
    "text",
    [
        "Here is a poem.\n\n" + STANZA * 4,
        "Well. " + LINE * 6,
        "ha " * 80,
        STANZA * 3 + STANZA + STANZA[:50],
        "海水很深，海面很宽，晚潮从上面驶过，海鸥都飞走了，我也走了。" * 8,
        "```python\n" + "x = x + 1  # and once more\n" * 60,
        "0" * 1_300,
    ],
)
def test_a_loop_is_found(text: str) -> None:
    assert repeats_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "short",
        "Here is a poem.\n\n" + STANZA * 3,
        LINE * 3,
        STANZA * 8 + "At last the morning came, and everybody went home.",
        "```\n" + "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" * 12,
        "```python\n" + "    values.append(next(lines))\n" * 10,
        "| a | b |\n|---|---|\n" + "| zero point nothing | zero point nothing |\n" * 12,
        "0.00 " * 60,
        "-" * 300,
        "".join(f"{number}. The number {number} is followed by {number + 1}.\n" for number in range(200)),
    ],
)
def test_equal_lines_are_no_loop(text: str) -> None:
    assert not repeats_itself(text)


def test_only_the_end_of_a_text_is_looked_at() -> None:
    piece = "".join(chr(ord("a") + number % 26) * (1 + number % 7) for number in range(600))
    assert len(piece) > MAX_TAIL_CHARACTERS // 4
    assert not repeats_itself(piece * 6)


def test_a_loop_is_told_while_the_answer_streams_and_can_be_stopped(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 2)
    assert desk.view().repetition_note is None
    desk.answer(request_id, STANZA * 4)
    note = desk.view().repetition_note
    assert note is not None
    assert note.isVisible()
    desk.qtbot.mouseClick(note.stop_button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: bool(desk.engine.cancelled()))
    desk.finish(request_id, "cancelled")
    assert note.again_button.isVisible()
    assert not note.stop_button.isVisible()


def test_the_note_stands_through_a_line_of_another_kind_and_leaves_once_the_answer_goes_on(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 6)
    note = desk.view().repetition_note
    assert note is not None
    lines = [f"And then came number {number}, of whom a tale is told. " for number in range(40)]
    desk.answer(request_id, "".join(lines[:5]))
    assert note.isVisible()
    desk.answer(request_id, "".join(lines[5:]))
    assert not note.isVisible()


def test_asking_with_less_repetition_stops_asks_again_and_says_so(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 6)
    note = desk.view().repetition_note
    assert note is not None
    desk.qtbot.mouseClick(note.again_button, Qt.MouseButton.LeftButton)
    assert len(desk.engine.submits()) == 1
    desk.engine.finish(request_id, "cancelled")
    desk.qtbot.waitUntil(lambda: len(desk.engine.submits()) == 2)
    assert desk.engine.submits()[-1].params.repetition_penalty == LESS_REPETITION
    assert "1.15" in desk.tab.panel.hint.text()
    assert desk.view().repetition_note is None
    desk.answer(desk.engine.submits()[-1].request_id, STANZA * 6)
    again = desk.view().repetition_note
    assert again is not None
    assert not again.again_button.isVisible()
    assert again.stop_button.isVisible()


def test_the_note_leaves_with_the_next_message(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 6)
    note = desk.view().repetition_note
    desk.finish(request_id)
    desk.send("thanks")
    assert note is not None
    assert not note.isVisible()


def test_a_loop_is_told_again_when_the_chat_is_opened_again(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 6)
    desk.finish(request_id)
    session = History(desk.path).load(desk.tab.session.id)
    assert session is not None
    view = desk.open(session).transcript.answer_view()
    assert view is not None
    note = view.repetition_note
    assert note is not None
    desk.qtbot.waitUntil(note.again_button.isVisible)
    assert not note.stop_button.isVisible()


def test_a_version_in_a_loop_is_told_when_it_comes_back(desk: Desk) -> None:
    request_id = desk.send("a poem")
    desk.answer(request_id, STANZA * 6)
    desk.finish(request_id)
    desk.tab.retry()
    request_id = desk.engine.submits()[-1].request_id
    desk.answer(request_id, STANZA)
    desk.finish(request_id)
    assert desk.view().repetition_note is None
    desk.qtbot.mouseClick(desk.view().versions.before_button, Qt.MouseButton.LeftButton)
    note = desk.view().repetition_note
    assert note is not None
    desk.qtbot.waitUntil(note.isVisible)

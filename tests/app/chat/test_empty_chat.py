"""A chat without messages offers questions to begin with."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.chat.empty_chat import questions
from tests.app.chat.desk import Desk


def test_a_question_that_is_pressed_stands_in_the_field_and_is_not_sent(desk: Desk) -> None:
    tab = desk.tab
    buttons = tab.transcript.empty_chat.buttons()
    assert [button.text() for button in buttons] == questions()
    tab.window().activateWindow()
    desk.qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert tab.composer.toPlainText() == questions()[1]
    assert tab.focusWidget() is tab.composer
    assert desk.engine.submits() == []
    assert not tab.session.messages


def test_the_questions_are_there_only_while_nothing_is_written_or_said(desk: Desk) -> None:
    button = desk.tab.transcript.empty_chat.buttons()[0]
    assert button.isVisible()
    desk.qtbot.keyClicks(desk.tab.composer, "a")
    assert not button.isVisible()
    desk.tab.composer.clear()
    assert button.isVisible()
    desk.finish(desk.send("hi"))
    assert not button.isVisible()


def test_a_narrow_chat_is_not_made_wider_by_a_question(desk: Desk) -> None:
    tab = desk.tab
    tab.resize(200, 500)
    view = tab.transcript.viewport()
    desk.qtbot.waitUntil(lambda: tab.transcript.page.width() <= view.width())
    for button in tab.transcript.empty_chat.buttons():
        assert button.mapTo(view, button.rect().topRight()).x() <= view.width()

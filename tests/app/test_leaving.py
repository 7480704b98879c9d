"""Leaving while answers are being written: the person is asked, the program's own closing is not held up."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from tests.app.fake_engine import FakeEngine
from tests.app.windows import OpenWindow, send


def question_of(window: MainWindow) -> QMessageBox:
    (question,) = window.findChildren(QMessageBox)
    return question


@pytest.mark.parametrize("is_sure", [False, True])
def test_quitting_while_an_answer_is_written_asks_and_the_part_stays(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow, is_sure: bool
) -> None:
    request_id = send(qtbot, window, engine, "Trip")
    engine.answer(request_id, "To the sea")
    (tab,) = window.tabs.tabs()
    qtbot.waitUntil(lambda: tab.session.answer.text == "To the sea")
    qtbot.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    question = question_of(window)
    assert question.text() == "1 answer is still being written."
    role = QMessageBox.ButtonRole.AcceptRole if is_sure else QMessageBox.ButtonRole.RejectRole
    (button,) = [button for button in question.buttons() if question.buttonRole(button) is role]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.isVisible() is not is_sure
    if is_sure:
        (tab,) = open_window().tabs.tabs()
        assert tab.session.answer.text == "To the sea"
        assert tab.session.answer.end == "cancelled"
    else:
        assert tab.session.is_busy


def test_quitting_at_rest_asks_nothing(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not window.isVisible()


def test_the_cross_asks_once_and_the_programs_own_closing_does_not(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(qtbot, window, engine, "Trip")
    # A click on the window's cross comes from the system, which tests do not have.
    monkeypatch.setattr(QCloseEvent, "spontaneous", lambda event: True)
    for _ in range(2):
        event = QCloseEvent()
        QCoreApplication.sendEvent(window, event)
        assert not event.isAccepted()
    question_of(window).reject()
    assert window.isVisible()
    monkeypatch.undo()
    window.close()
    assert not window.isVisible()

"""A language that was chosen can be had at once: the program starts again, and asks first where answers run."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QProcess, Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.restarting import ProgramRestart, start_again
from app.state.options import LANGUAGE
from tests.app.fake_engine import FakeEngine
from tests.app.windows import send


@pytest.fixture
def restart(window: MainWindow) -> ProgramRestart:
    window.show_settings()
    return ProgramRestart(window)


def choose(window: MainWindow, language: str) -> None:
    field = window.settings_page.rows[LANGUAGE.key].field
    field.setCurrentIndex(field.findData(language))


def press_restart(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.settings_page.program_restart_button, Qt.MouseButton.LeftButton)


def test_the_button_is_there_while_another_language_is_chosen(window: MainWindow, restart: ProgramRestart) -> None:
    button = window.settings_page.program_restart_button
    assert not button.isVisible()
    choose(window, "zh_CN")
    assert button.isVisible()
    choose(window, "en")
    assert not button.isVisible()


def test_with_nothing_running_the_window_closes_at_once(
    qtbot: QtBot, window: MainWindow, restart: ProgramRestart
) -> None:
    choose(window, "zh_CN")
    press_restart(qtbot, window)
    assert restart.is_wanted
    assert not window.isVisible()


@pytest.mark.parametrize("is_sure", [False, True])
def test_while_an_answer_is_written_it_is_asked_first(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, restart: ProgramRestart, is_sure: bool
) -> None:
    window.show_home()
    send(qtbot, window, engine, "Trip")
    window.show_settings()
    choose(window, "zh_CN")
    press_restart(qtbot, window)
    (question,) = window.findChildren(QMessageBox)
    assert question.text() == "1 answer is still being written."
    assert not restart.is_wanted
    role = QMessageBox.ButtonRole.AcceptRole if is_sure else QMessageBox.ButtonRole.RejectRole
    (button,) = [button for button in question.buttons() if question.buttonRole(button) is role]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert restart.is_wanted is is_sure
    assert window.isVisible() is not is_sure


def test_the_question_says_so_when_the_answers_have_ended(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, restart: ProgramRestart
) -> None:
    window.show_home()
    request_id = send(qtbot, window, engine, "Trip")
    question = restart.ask()
    assert question is not None
    engine.finish(request_id)
    qtbot.waitUntil(lambda: question.text() == "All answers are complete by now.")
    assert not question.informativeText()
    question.reject()
    send(qtbot, window, engine, "more")


def test_the_program_is_started_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, list[str]]] = []

    def note(program: str, arguments: list[str]) -> tuple[bool, int]:
        started.append((program, arguments))
        return True, 1

    monkeypatch.setattr(QProcess, "startDetached", note)
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "app", "--home", "here"])
    monkeypatch.setattr(sys, "argv", ["app/__main__.py", "--home", "here"])
    start_again()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    start_again()
    assert [arguments for _, arguments in started] == [["-m", "app", "--home", "here"], ["--home", "here"]]

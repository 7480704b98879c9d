"""A chat whose model is not the one that is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.model_picker import ModelPicker
from app.models.model_reminder import ModelReminder
from app.state.message import Message
from app.state.parameters import ChatParameters
from app.state.session import Session
from engine.api import ModelEntry
from engine.messages import LoadModel, ModelLoaded, ModelLoadProgress
from tests.app.fake_engine import MODEL, FakeEngine


@pytest.fixture
def models(models: list[ModelEntry]) -> list[ModelEntry]:
    models.append(ModelEntry("large", "Large 9B", Path("large"), models[0].spec, 9_000_000, None, "a test"))
    return models


def open_chat(window: MainWindow, model_id: str | None) -> ModelReminder:
    messages = [Message("user", "hello"), Message("assistant", "Good day", end="stop")]
    tab = window.tabs.open_chat(Session(title="old", messages=messages, parameters=ChatParameters(model_id=model_id)))
    (reminder,) = tab.findChildren(ModelReminder)
    return reminder


def test_the_chats_model_is_offered_and_loaded_only_on_a_click(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    reminder = open_chat(window, "large")
    assert reminder.isVisible()
    assert reminder.label.text() == "This chat used Large 9B."
    num_loads = sum(isinstance(command, LoadModel) for command in engine.commands)
    qtbot.mouseClick(reminder.load_button, Qt.MouseButton.LeftButton)
    loads = [command for command in engine.commands if isinstance(command, LoadModel)]
    assert loads[num_loads:] == [LoadModel("large")]
    # Its loading is shown by the picker.
    assert not reminder.isVisible()
    engine.emit(ModelLoadProgress("large", 1, 2), ModelLoaded("large", "Large 9B", "cpu", 8192, 10**8, 64, 16, 1024))
    qtbot.waitUntil(lambda: window.models.loaded is not None and window.models.loaded.model_id == "large")
    assert not reminder.isVisible()


def test_the_caret_is_in_the_composer_when_the_line_was_pressed_and_goes(qtbot: QtBot, window: MainWindow) -> None:
    reminder = open_chat(window, "large")
    tab = window.tabs.current_tab()
    assert tab is not None
    window.activateWindow()
    reminder.load_button.setFocus()
    qtbot.mouseClick(reminder.load_button, Qt.MouseButton.LeftButton)
    assert not reminder.isVisible()
    assert window.focusWidget() is tab.composer


def test_nothing_is_said_in_the_chat_in_which_another_model_was_chosen(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    reminder = open_chat(window, MODEL.model_id)
    tab = window.tabs.current_tab()
    assert tab is not None
    (picker,) = tab.findChildren(ModelPicker)
    picker.load_requested.emit("large")
    engine.emit(ModelLoadProgress("large", 1, 2), ModelLoaded("large", "Large 9B", "cpu", 8192, 10**8, 64, 16, 1024))
    qtbot.waitUntil(lambda: window.models.loaded is not None and window.models.loaded.model_id == "large")
    assert not reminder.isVisible()
    # Another chat of that model, or this one when it is opened anew, says so.
    assert open_chat(window, MODEL.model_id).isVisible()
    reminder.set_loaded("a third one")
    window.tabs.setCurrentWidget(tab)
    assert reminder.isVisible()


@pytest.mark.parametrize("how", ["a new question", "a changed question", "again", "go on"])
def test_a_chat_goes_on_with_the_loaded_model_and_remembers_that_one(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, how: str
) -> None:
    reminder = open_chat(window, "large")
    tab = window.tabs.current_tab()
    assert tab is not None
    question, answer = tab.session.messages
    match how:
        case "a new question":
            tab.submit("and now?")
        case "a changed question":
            tab.message_actions.edit(question, "good morning")
        case "again":
            tab.message_actions.use(answer, "again")
        case "go on":
            tab.message_actions.use(answer, "go_on")
    assert not reminder.isVisible()
    assert tab.session.parameters.model_id == MODEL.model_id


def test_a_model_that_is_gone_is_named_without_a_button(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    reminder = open_chat(window, "gone-7b")
    assert reminder.label.text() == "This chat used gone-7b, which is not on this computer any more."
    assert not reminder.load_button.isVisible()


@pytest.mark.parametrize("model_id", [None, MODEL.model_id])
def test_nothing_is_said_where_nothing_differs(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, model_id: str | None
) -> None:
    assert not open_chat(window, model_id).isVisible()

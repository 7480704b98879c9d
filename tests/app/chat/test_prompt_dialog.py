"""The dialog of kept prompts, by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.prompt_dialog import PromptDialog
from app.state.parameters import Prompt


@pytest.fixture
def prompts() -> list[Prompt]:
    return [Prompt("Translate", "Translate into English:")]


@pytest.fixture
def dialog(qtbot: QtBot, prompts: list[Prompt]) -> Iterator[PromptDialog]:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PromptDialog(lambda: prompts, lambda: prompts, parent)

    def keep(prompt: Prompt) -> None:
        prompts[:] = [one for one in prompts if one.id != prompt.id] + [prompt]

    dialog.saved.connect(keep)
    dialog.show()
    # The parent lives as long.
    yield dialog
    parent.close()


def test_a_new_prompt_is_one_more(qtbot: QtBot, dialog: PromptDialog, prompts: list[Prompt]) -> None:
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    assert (dialog.name_field.text(), dialog.text_field.toPlainText()) == ("", "")
    assert not dialog.save_button.isEnabled()
    assert not dialog.delete_button.isEnabled()
    qtbot.keyClicks(dialog.name_field, "Shorten")
    assert not dialog.save_button.isEnabled()
    qtbot.keyClicks(dialog.text_field, "Say it in one sentence:")
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert [(one.name, one.text) for one in prompts] == [
        ("Translate", "Translate into English:"),
        ("Shorten", "Say it in one sentence:"),
    ]
    assert dialog.list.currentItem().text() == "Shorten"
    assert not dialog.save_button.isEnabled()

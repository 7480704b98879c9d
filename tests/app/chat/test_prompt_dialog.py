"""The dialog of kept prompts, by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget
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


def test_words_that_are_not_saved_wait_while_another_prompt_is_looked_at(
    qtbot: QtBot, dialog: PromptDialog, prompts: list[Prompt]
) -> None:
    qtbot.keyClicks(dialog.text_field, "please ")
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(dialog.name_field, "Shorten")
    dialog.list.setCurrentRow(0)
    assert dialog.list.item(0).text() == "Translate (not saved)"
    assert dialog.text_field.toPlainText() == "please Translate into English:"
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    assert dialog.name_field.text() == "Shorten"
    dialog.list.setCurrentRow(0)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert prompts[0].text == "please Translate into English:"
    assert dialog.list.item(0).text() == "Translate"


def test_closing_asks_before_words_are_thrown_away(qtbot: QtBot, dialog: PromptDialog, prompts: list[Prompt]) -> None:
    qtbot.keyClicks(dialog.text_field, "please ")
    dialog.reject()
    question = dialog.findChild(QMessageBox)
    assert question is not None
    assert question.text().startswith("1 prompt")
    qtbot.mouseClick(question.button(QMessageBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    assert dialog.text_field.toPlainText() == "please Translate into English:"
    dialog.reject()
    discard = dialog.findChildren(QMessageBox)[-1].button(QMessageBox.StandardButton.Discard)
    qtbot.mouseClick(discard, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    assert prompts[0].text == "Translate into English:"


def test_a_name_that_is_taken_is_not_saved_twice(qtbot: QtBot, dialog: PromptDialog, prompts: list[Prompt]) -> None:
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(dialog.text_field, "Into French:")
    qtbot.keyClicks(dialog.name_field, "translate")
    assert not dialog.save_button.isEnabled()
    assert dialog.note.isVisible()
    qtbot.keyClicks(dialog.name_field, " 2")
    assert not dialog.note.isVisible()
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert [one.name for one in prompts] == ["Translate", "translate 2"]


def test_what_could_not_be_saved_stays_in_the_fields(qtbot: QtBot, prompts: list[Prompt]) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PromptDialog(lambda: prompts, lambda: prompts, parent)
    dialog.show()
    dialog.begin_new()
    qtbot.keyClicks(dialog.name_field, "Shorten")
    qtbot.keyClicks(dialog.text_field, "Say it in one sentence:")
    # Nobody keeps it, as with a full disk.
    with qtbot.waitSignal(dialog.saved):
        qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert dialog.note.text() == "It could not be saved."
    assert (dialog.name_field.text(), dialog.text_field.toPlainText()) == ("Shorten", "Say it in one sentence:")
    dialog.reject()
    question = dialog.findChild(QMessageBox)
    assert question is not None
    question.done(0)


@pytest.mark.parametrize("text", ["a\u00a0b", "a\u2028b", "a\r\nb"])
def test_a_prompt_that_was_only_looked_at_is_not_called_changed(qtbot: QtBot, prompts: list[Prompt], text: str) -> None:
    prompts.append(Prompt("From elsewhere", text))
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PromptDialog(lambda: prompts, lambda: prompts, parent)
    dialog.show()
    dialog.list.setCurrentRow(1)
    assert not dialog.save_button.isEnabled()
    dialog.list.setCurrentRow(0)
    assert dialog.list.item(1).text() == "From elsewhere"
    dialog.reject()
    assert dialog.isHidden()


def test_what_was_left_of_one_that_came_along_goes_to_the_own_one_in_its_place(qtbot: QtBot) -> None:
    came, own = Prompt("Translate", "Translate this:"), []

    def every() -> list[Prompt]:
        names = {one.name.casefold() for one in own}
        return [*own, *([came] if came.name.casefold() not in names else [])]

    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PromptDialog(lambda: own, every, parent)
    dialog.saved.connect(own.append)
    dialog.show()
    qtbot.keyClicks(dialog.text_field, "please ")
    dialog.begin_new()
    qtbot.keyClicks(dialog.name_field, "translate")
    qtbot.keyClicks(dialog.text_field, "Into French:")
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == ["translate (not saved)"]
    assert dialog.text_field.toPlainText() == "please Translate this:"

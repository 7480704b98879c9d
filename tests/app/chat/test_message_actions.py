"""What the tools of a message do, by clicks and keys, with the engine's part played by hand."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.chat.composer import MAX_PASTED_CHARACTERS
from app.chat.message_tools import WORDS, Tool
from app.chat.message_view import MessageView
from app.state.message import Message
from app.state.session import Session
from engine.messages import TextDelta
from tests.app.chat.desk import Desk
from tests.app.fake_engine import finished


def turn(desk: Desk, question: str, answer: str) -> None:
    request_id = desk.send(question)
    desk.answer(request_id, answer)
    desk.finish(request_id)


def click(desk: Desk, widget: QWidget) -> None:
    desk.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose(view: MessageView, tool: Tool) -> None:
    """Opens the menu and takes the entry."""
    menu = view.tools.open_menu()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == WORDS[tool]).trigger()
    menu.close()


def shown(desk: Desk) -> list[str]:
    return [view.message.text for view in desk.tab.transcript.views]


def last_prompt(desk: Desk) -> list[str]:
    return [message.content for message in desk.engine.submits()[-1].messages]


def test_an_edited_question_is_sent_again_and_the_old_one_is_a_version(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    view = desk.tab.transcript.views[2]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    desk.qtbot.keyClicks(view.editor.field, " more")
    desk.qtbot.keyClick(view.editor.field, Qt.Key.Key_Return)
    assert last_prompt(desk) == ["one", "1", "two more"]
    request_id = desk.engine.submits()[-1].request_id
    desk.answer(request_id, "3")
    desk.finish(request_id)
    assert shown(desk) == ["one", "1", "two more", "3"]
    switch = desk.tab.transcript.views[2].versions
    assert switch.text() == "2 of 2"
    click(desk, switch.before_button)
    assert shown(desk) == ["one", "1", "two", "2"] == desk.on_disk()
    assert desk.tab.transcript.views[2].versions.text() == "1 of 2"


def test_the_switch_between_versions_stays_below_the_pointer(desk: Desk) -> None:
    turn(desk, "one", "1\n\n" * 60)
    turn(desk, "two", "2\n\n" * 60)
    answer = desk.tab.session.answer
    desk.tab.message_actions.use(answer, "again")
    request_id = desk.engine.submits()[-1].request_id
    desk.answer(request_id, "short")
    desk.finish(request_id)
    transcript = desk.tab.transcript
    view = transcript.view_of(desk.tab.session.answer)
    assert view is not None
    desk.qtbot.waitUntil(lambda: view.y() > 800)

    def place(step: str) -> int:
        view = transcript.views[-1]
        button = view.versions.before_button if step == "before" else view.versions.behind_button
        return button.mapTo(transcript, button.rect().center()).y()

    start = place("before")
    for step, text in (("before", "2"), ("behind", "short"), ("before", "2")):
        versions = transcript.views[-1].versions
        click(desk, versions.before_button if step == "before" else versions.behind_button)
        assert transcript.views[-1].message.text.startswith(text)
        QApplication.processEvents()
        assert abs(place(step) - start) <= 1
    assert not transcript.is_following


def test_escape_leaves_a_question_as_it_was(desk: Desk) -> None:
    turn(desk, "one", "1")
    view = desk.tab.transcript.views[0]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    desk.qtbot.keyClick(view.editor.field, Qt.Key.Key_Escape)
    assert view.editor is None
    assert len(desk.engine.submits()) == 1


def test_an_edited_question_that_cannot_be_sent_now_stays_in_its_editor(desk: Desk) -> None:
    turn(desk, "one", "1")
    view = desk.tab.transcript.views[0]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    view.editor.field.setPlainText("another one")
    request_id = desk.send("two")
    click(desk, view.editor.take_button)
    assert len(desk.engine.submits()) == 2
    assert view.editor is not None
    assert view.editor.text() == "another one"
    desk.finish(request_id)
    click(desk, view.editor.take_button)
    assert last_prompt(desk) == ["another one"]


def test_what_is_being_edited_stays_when_a_message_before_it_is_deleted(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    view = desk.tab.transcript.views[2]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    view.editor.field.setPlainText("half a thou")
    choose(desk.tab.transcript.views[0], "delete_turn")
    assert shown(desk) == ["two", "2"]
    editor = desk.tab.transcript.views[0].editor
    assert editor is not None
    assert editor.text() == "half a thou"


def test_a_long_text_can_be_pasted_into_a_message_that_is_edited(desk: Desk) -> None:
    turn(desk, "one", "1")
    view = desk.tab.transcript.views[0]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    source = QMimeData()
    source.setText("long " * MAX_PASTED_CHARACTERS)
    view.editor.field.insertFromMimeData(source)
    assert view.editor.text() == f"one{source.text()}"


def test_an_edited_answer_says_the_new_text_to_the_model(desk: Desk) -> None:
    turn(desk, "one", "1")
    view = desk.tab.transcript.views[1]
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    view.editor.field.setPlainText("eleven")
    click(desk, view.editor.take_button)
    assert shown(desk) == ["one", "eleven"] == desk.on_disk()
    assert desk.view().stats_label.text() == "edited"
    desk.send("two")
    assert last_prompt(desk) == ["one", "eleven", "two"]


def test_a_long_message_is_edited_in_up_to_half_the_window(desk: Desk) -> None:
    turn(desk, "one", "\n\n".join(f"line {number}" for number in range(80)))
    desk.tab.window().resize(700, 900)
    view = desk.view()
    click(desk, view.tools.buttons["edit"])
    assert view.editor is not None
    height_px = view.window().height()
    desk.qtbot.waitUntil(lambda: 0.4 * height_px < view.editor.height() < 0.65 * height_px)


def test_an_answer_is_given_again_with_the_same_seed(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.answer(request_id, "1")
    desk.engine.emit(replace(finished(request_id), seed=99, num_drafted_tokens=18, num_accepted_tokens=12))
    desk.qtbot.waitUntil(lambda: not desk.tab.session.is_busy)
    assert desk.view().stats_label.toolTip().endswith("guesses 12 of 18 right\nseed 99")
    copy_button = desk.view().tools.buttons["copy"]
    before = copy_button.icon().pixmap(16, 16).toImage()
    choose(desk.view(), "copy_figures")
    assert copy_button.icon().pixmap(16, 16).toImage() != before
    assert QGuiApplication.clipboard().text().splitlines() == [
        "62 tok/s · first token 0.21 s · 40 tokens · 16 cached · finished", "guesses 12 of 18 right", "seed 99",
    ]  # fmt: skip
    choose(desk.view(), "again_same_seed")
    assert desk.engine.submits()[-1].params.seed == 99


def test_an_earlier_answer_is_given_again(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    click(desk, desk.tab.transcript.views[1].tools.buttons["again"])
    assert last_prompt(desk) == ["one"]
    desk.finish(desk.engine.submits()[-1].request_id)


def test_a_deleted_turn_comes_back_by_undo(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    choose(desk.tab.transcript.views[0], "delete_turn")
    assert shown(desk) == ["two", "2"] == desk.on_disk()
    assert desk.tab.undo_bar.isVisible()
    click(desk, desk.tab.undo_bar.undo_button)
    assert shown(desk) == ["one", "1", "two", "2"] == desk.on_disk()
    assert not desk.tab.undo_bar.isVisible()


def test_a_branch_is_made_and_saved(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    made: list[Session] = []
    desk.tab.chat_made.connect(made.append)
    choose(desk.tab.transcript.views[1], "branch")
    stored = desk.history.load(made[0].id)
    assert stored is not None
    assert [message.text for message in stored.messages] == ["one", "1"]


def test_an_answer_is_copied_as_markdown_and_as_text(desk: Desk) -> None:
    turn(desk, "one", "**bold**\n\n- item\n- other\n\n```py\nx = 1\n```")
    copy_button = desk.view().tools.buttons["copy"]
    before = copy_button.icon().pixmap(16, 16).toImage()
    click(desk, copy_button)
    assert QGuiApplication.clipboard().text() == desk.view().message.text
    # Nothing else tells that it was done.
    assert copy_button.icon().pixmap(16, 16).toImage() != before
    choose(desk.view(), "copy_text")
    assert QGuiApplication.clipboard().text() == "bold\n\n• item\n• other\n\nx = 1"


def test_tools_show_under_the_pointer_and_with_the_focus(desk: Desk) -> None:
    turn(desk, "one", "1")
    turn(desk, "two", "2")
    tools = desk.tab.transcript.views[1].tools
    assert not tools.buttons["copy"].is_revealed
    tools.point_at(True)
    assert tools.buttons["copy"].is_revealed
    tools.point_at(False)
    desk.tab.window().activateWindow()
    tools.buttons["again"].setFocus()
    desk.qtbot.waitUntil(lambda: tools.buttons["copy"].is_revealed)


def test_tools_of_the_newest_answer_always_show(desk: Desk) -> None:
    turn(desk, "one", "1")
    first = desk.tab.transcript.views[1]
    assert first.tools.more_button.is_revealed
    turn(desk, "two", "2")
    assert not first.tools.more_button.is_revealed


def test_tools_stay_while_their_menu_is_open(desk: Desk) -> None:
    turn(desk, "one", "1")
    tools = desk.tab.transcript.views[0].tools
    tools.point_at(True)
    menu = tools.open_menu()
    tools.point_at(False)
    assert tools.more_button.is_revealed
    menu.close()
    desk.qtbot.waitUntil(lambda: not tools.more_button.is_revealed)


def test_nothing_is_changed_while_an_answer_is_written(desk: Desk) -> None:
    turn(desk, "one", "1")
    request_id = desk.send("two")
    desk.answer(request_id, "2")
    first = desk.tab.transcript.views[1]
    assert first.tools.buttons["again"].isHidden()
    assert not first.tools.buttons["copy"].isHidden()
    desk.finish(request_id)
    assert not first.tools.buttons["again"].isHidden()


def test_thinking_is_folded_and_opens_by_a_click(desk: Desk) -> None:
    request_id = desk.send("one")
    desk.engine.emit(TextDelta(request_id, "", (1,), reasoning="let me see"))
    desk.qtbot.waitUntil(lambda: desk.view().reasoning is not None)
    reasoning = desk.view().reasoning
    assert reasoning is not None
    assert reasoning.fold_button.text() == "Thinking…"
    assert not reasoning.body.isVisible()
    desk.answer(request_id, "1")
    desk.finish(request_id)
    assert reasoning.fold_button.text() == "Thought for 1 s"
    click(desk, reasoning.fold_button)
    assert reasoning.body.isVisible()
    assert reasoning.body.toPlainText() == "let me see"


def test_a_very_long_answer_is_shown_in_parts_and_is_whole_in_the_end(desk: Desk) -> None:
    text = "\n\n".join(f"paragraph {number} {'word ' * 200}" for number in range(60))
    tab = desk.open(Session(messages=[Message("user", "q"), Message("assistant", text, end="stop")]))
    view = tab.transcript.answer_view()
    assert view is not None
    assert not view.is_whole
    desk.qtbot.waitUntil(lambda: view.is_whole)
    shown = "\n".join(part.toPlainText() for part in view.body.views)  # type: ignore[union-attr]
    assert [line.split()[1] for line in shown.split("\n")] == [str(number) for number in range(60)]

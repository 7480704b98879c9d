"""A text is found in a chat: counted, marked and scrolled to, also where messages have no view yet."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat import transcript
from app.chat.tab import ChatTab
from app.history.finder import Finder, finder_of
from app.history.message_marks import text_widgets
from app.main_window import MainWindow
from app.state import revisions
from app.state.message import Attachment, Message
from app.state.session import Session
from tests.app.history.rows import place_of, texts

CONTROL = Qt.KeyboardModifier.ControlModifier
NUM_TURNS = 6


@pytest.fixture
def tab(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> ChatTab:
    """A chat longer than what is built at first, with a word in its first, middle and last answer."""
    monkeypatch.setattr(transcript, "MAX_FIRST_MESSAGES", 4)
    session = Session(title="Sea")
    for number in range(NUM_TURNS):
        word = "Lighthouse" if number in (0, 2, NUM_TURNS - 1) else "boat"
        answer = f"```\nsome code of a {word}\n```\n\nthe **{word}** again"
        session.messages += [Message("user", f"question {number}"), Message("assistant", answer, end="stop")]
    window._history.save(session, session.messages)
    window.chats.refresh()
    window.chats.open(session.id)
    result = window.tabs.current_tab()
    assert result is not None
    assert len(result.transcript.views) == 4
    return result


def marked(tab: ChatTab) -> list[str]:
    """The marked texts, from top to bottom."""
    return [
        selection.cursor.selectedText()  # type: ignore[attr-defined]  # PySide6 gives it no type
        for view in tab.transcript.views
        for widget in text_widgets(view)
        for selection in widget.extraSelections()
    ]


def count(finder: Finder) -> str:
    return finder.bar.count_label.text()


def is_in_view(tab: ChatTab, message: Message) -> bool:
    view = tab.transcript.view_of(message)
    top = tab.transcript.verticalScrollBar().value()
    return view is not None and view.y() < top + tab.transcript.viewport().height() and view.y() + view.height() > top


def test_it_counts_all_places_and_goes_to_the_first_in_sight(qtbot: QtBot, window: MainWindow, tab: ChatTab) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F, CONTROL)
    finder = finder_of(tab)
    assert finder.bar.isVisible()
    qtbot.keyClicks(finder.bar.field, "LIGHTHOUSE")
    qtbot.waitUntil(lambda: count(finder) == "5 of 6")
    assert marked(tab)[-2:] == ["Lighthouse"] * 2
    assert is_in_view(tab, tab.session.messages[-1])


def test_it_steps_back_into_messages_that_were_not_built_and_around(qtbot: QtBot, tab: ChatTab) -> None:
    finder = finder_of(tab)
    finder.open("lighthouse")
    seen = []
    for _ in range(7):
        seen.append(count(finder))
        qtbot.keyClick(finder.bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert seen == [f"{place} of 6" for place in (5, 4, 3, 2, 1, 6, 5)]
    for _ in range(3):
        finder.step(1)
    assert count(finder) == "1 of 6"
    qtbot.waitUntil(lambda: is_in_view(tab, tab.session.messages[1]))
    assert len(tab.transcript.views) == 2 * NUM_TURNS
    assert len(marked(tab)) == 6


def test_escape_closes_it_and_takes_the_marks_away(qtbot: QtBot, tab: ChatTab) -> None:
    finder = finder_of(tab)
    finder.open("lighthouse")
    assert marked(tab)
    qtbot.keyClick(finder.bar.field, Qt.Key.Key_Escape)
    assert marked(tab) == []
    assert not finder.bar.isVisible()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is tab.composer)


def test_what_is_not_there_is_said(tab: ChatTab) -> None:
    finder = finder_of(tab)
    finder.open("submarine")
    assert count(finder) == "Not found"
    assert not finder.bar.next_button.isEnabled()
    finder.step(1)
    finder.open("")
    assert count(finder) == ""


def test_a_hit_of_the_search_opens_its_message(qtbot: QtBot, window: MainWindow, tab: ChatTab) -> None:
    first = tab.session.messages[1]
    qtbot.keyClicks(window.sidebar.search_field, "lighthouse")
    qtbot.waitUntil(lambda: len(texts(window.sidebar.list)) == 1)
    row = window.sidebar.list.rows.rows[0]
    assert row.message_id == tab.session.messages[-1].id
    window.sidebar.hit_chosen.emit(row.key, first.id)
    assert count(finder_of(tab)) == "1 of 6"
    qtbot.waitUntil(lambda: is_in_view(tab, first))
    qtbot.mouseClick(
        window.sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of(window.sidebar.list, row.text)
    )
    assert count(finder_of(tab)) == "5 of 6"


def test_clearing_the_search_closes_the_bar_that_it_opened(qtbot: QtBot, window: MainWindow, tab: ChatTab) -> None:
    field = window.sidebar.search_field
    qtbot.keyClicks(field, "lighthouse")
    qtbot.waitUntil(lambda: len(texts(window.sidebar.list)) == 1)
    row = window.sidebar.list.rows.rows[0]
    window.sidebar.hit_chosen.emit(row.key, row.message_id)
    assert finder_of(tab).bar.isVisible()
    field.clear()
    qtbot.waitUntil(lambda: finder_of(tab).bar.isHidden())
    assert marked(tab) == []


@pytest.mark.parametrize("how", ["opened by the person", "another text in it"])
def test_clearing_the_search_leaves_a_bar_that_is_the_persons(
    qtbot: QtBot, window: MainWindow, tab: ChatTab, how: str
) -> None:
    field = window.sidebar.search_field
    qtbot.keyClicks(field, "lighthouse")
    qtbot.waitUntil(lambda: len(texts(window.sidebar.list)) == 1)
    row = window.sidebar.list.rows.rows[0]
    window.sidebar.hit_chosen.emit(row.key, row.message_id)
    if how == "opened by the person":
        window.chats.find_in_chat()
    else:
        finder_of(tab).bar.field.setText("sea")
    field.clear()
    qtbot.waitUntil(lambda: texts(window.sidebar.list) != [row.text])
    assert finder_of(tab).bar.isVisible()


def test_words_of_a_search_are_marked_one_by_one_and_those_that_are_typed_as_they_stand(
    qtbot: QtBot, window: MainWindow, tab: ChatTab
) -> None:
    qtbot.keyClicks(window.sidebar.search_field, "again light house")
    qtbot.waitUntil(lambda: len(texts(window.sidebar.list)) == 1)
    row = window.sidebar.list.rows.rows[0]
    window.sidebar.hit_chosen.emit(row.key, row.message_id)
    found = marked(tab)
    assert found[-5:] == ["Light", "house", "Light", "house", "again"]
    finder = finder_of(tab)
    qtbot.keyClicks(finder.bar.field, "x")
    qtbot.waitUntil(lambda: count(finder) == "Not found")


def test_it_begins_with_what_is_in_sight(qtbot: QtBot, window: MainWindow) -> None:
    session = Session(title="Log")
    for number in range(8):
        answer = "\n\n".join(["line"] * 20 + [f"storm {number}"] + ["line"] * 20)
        session.messages += [Message("user", "next"), Message("assistant", answer, end="stop")]
    window._history.save(session, session.messages)
    window.chats.open(session.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    finder = finder_of(tab)
    third = session.messages[5]
    shown = tab.transcript.reveal(next(message for message in tab.session.messages if message.id == third.id))
    assert shown is not None
    bar = tab.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 3000 and bar.value() == bar.maximum())
    tab.transcript.show_line(shown.message, shown.height() // 2)
    qtbot.waitUntil(lambda: shown.y() < bar.value() < shown.y() + shown.height())
    finder.open("storm")
    assert count(finder) == "3 of 8"


def test_from_the_top_of_a_chat_it_begins_with_the_first_place_however_it_is_typed(
    qtbot: QtBot, window: MainWindow
) -> None:
    lines = [f"line {number} stones" for number in range(100)]
    lines[50] = "the storm"
    answer = "\n\n".join(lines)
    session = Session(title="Log", messages=[Message("user", "next"), Message("assistant", answer, end="stop")])
    session.messages += [Message("user", "storm"), Message("assistant", "storm", end="stop")]
    window._history.save(session, session.messages)
    window.chats.open(session.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    bar = tab.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1500 and bar.value() == bar.maximum())
    tab.transcript.stay_at(tab.session.messages[0], 0.0)
    qtbot.waitUntil(lambda: bar.value() < 50)
    finder = finder_of(tab)
    finder.open()
    for letter, expected in (("sto", "1 of 102"), ("rm", "1 of 3")):
        qtbot.keyClicks(finder.bar.field, letter)
        qtbot.waitUntil(lambda expected=expected: count(finder) == expected)  # type: ignore[misc]
    assert is_in_view(tab, tab.session.messages[1])


@pytest.fixture
def edited(window: MainWindow) -> Session:
    """A chat whose question was another one first."""
    session = Session(title="Harbour")
    session.messages += [Message("user", "where is the lighthouse"), Message("assistant", "there", end="stop")]
    window._history.save(session, session.messages)
    session.title = "Harbour"
    new = revisions.ask_anew(session, session.messages[0], "where is the ferry", (), None)
    session.interrupt()
    window._history.save(session, new)
    return session


def test_a_hit_in_another_version_is_shown(qtbot: QtBot, window: MainWindow, edited: Session) -> None:
    qtbot.keyClicks(window.sidebar.search_field, "lighthouse")
    qtbot.waitUntil(lambda: "Harbour" in texts(window.sidebar.list))
    window.chats.open(edited.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    assert tab.session.messages[0].text == "where is the ferry"
    old = next(message for message in tab.session.aside if "lighthouse" in message.text)
    window.chats._open_hit(edited.id, old.id)
    assert [message.text for message in tab.session.messages] == ["where is the lighthouse", "there"]
    assert count(finder_of(tab)) == "1 of 1"
    assert marked(tab) == ["lighthouse"]


def test_a_hit_that_cannot_be_shown_while_the_chat_answers_is_told_of(
    qtbot: QtBot, window: MainWindow, edited: Session
) -> None:
    window.chats.open(edited.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.submit("and now")
    old = next(message for message in tab.session.aside if "lighthouse" in message.text)
    window.chats._open_hit(edited.id, old.id)
    assert tab.session.messages[0].text == "where is the ferry"
    assert count(finder_of(tab)) == "In another version of this chat"


def test_a_hit_in_an_attachment_is_told_of_and_its_message_shown(
    qtbot: QtBot, window: MainWindow, tab: ChatTab
) -> None:
    question = tab.session.messages[0]
    question.attachments = (Attachment("log.txt", "the storm came"), Attachment("empty.txt", "none"))
    window._history.save(tab.session, [question])
    qtbot.keyClicks(window.sidebar.search_field, "storm")
    qtbot.waitUntil(lambda: len(texts(window.sidebar.list)) == 1)
    row = window.sidebar.list.rows.rows[0]
    assert row.message_id == question.id
    window.sidebar.hit_chosen.emit(row.key, row.message_id)
    finder = finder_of(tab)
    assert count(finder) == "In the attached log.txt"
    qtbot.waitUntil(lambda: is_in_view(tab, question))
    finder.open("the")
    assert count(finder).endswith("of 6, and in the attached log.txt")


def test_the_bar_goes_when_another_chat_is_opened(qtbot: QtBot, window: MainWindow, tab: ChatTab) -> None:
    finder = finder_of(tab)
    finder.open("lighthouse", tab.session.messages[-1].id)
    assert finder.bar.isVisible()
    window.chats.new_chat()
    assert finder.bar.isHidden()
    assert marked(tab) == []
    window.chats.open(tab.session.id)
    assert finder.bar.isHidden()

"""What was written and not sent, and where was read, are there again after a restart."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.state.drafts import Draft
from app.state.history import History
from app.state.message import Attachment, Message
from app.state.session import Session
from tests.app.fake_engine import FakeEngine
from tests.app.windows import OpenWindow, send, titles


def draft(window: MainWindow) -> str:
    tab = window.tabs.current_tab()
    assert tab is not None
    return tab.composer.toPlainText()


def test_a_draft_comes_back_with_its_attachments(qtbot: QtBot, window: MainWindow, open_window: OpenWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.composer.setPlainText("about to")
    tab.panel.attachments.add(Attachment("a.py", "print()", 3))
    window.close()
    again = open_window()
    assert titles(again) == ["New chat"]
    assert draft(again) == "about to"
    tab = again.tabs.current_tab()
    assert tab is not None
    assert [attachment.text for attachment in tab.panel.attachments.attachments] == ["print()"]
    qtbot.keyClicks(tab.composer, " leave")
    assert draft(again) == "about to leave"


def test_the_attachments_of_a_draft_keep_their_order_when_some_are_taken_away(window: MainWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    first, second, third = (Attachment(f"{name}.py", "print()") for name in "abc")
    drafts = window._history.drafts
    window._history.save(tab.session, [])
    drafts.save(tab.session.id, Draft("look", (first, second)))
    drafts.save(tab.session.id, Draft("look", (second, third)))
    fourth = Attachment("d.py", "print()")
    drafts.save(tab.session.id, Draft("look", (third, fourth)))
    assert [one.name for one in drafts.load(tab.session.id).attachments] == ["c.py", "d.py"]
    drafts.save(tab.session.id, Draft("look", (fourth, third)))
    assert [one.name for one in drafts.load(tab.session.id).attachments] == ["d.py", "c.py"]


def test_a_draft_is_on_disk_while_it_is_written(qtbot: QtBot, window: MainWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.keyClicks(tab.composer, "half a thou")
    qtbot.waitUntil(lambda: window._history.drafts.load(tab.session.id).text == "half a thou")
    tab.composer.clear()
    assert window._history.load(tab.session.id) is None


def test_what_was_sent_is_no_draft_any_more(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    send(qtbot, window, engine, "sent")
    tab = window.tabs.current_tab()
    assert tab is not None
    assert window._history.drafts.load(tab.session.id).is_empty
    tab.composer.setPlainText("the next one")
    window.close()
    assert draft(open_window()) == "the next one"


def test_the_tab_of_a_closed_draft_can_be_opened_again(qtbot: QtBot, window: MainWindow) -> None:
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.composer.setPlainText("unsent")
    window.tabs.close_current()
    assert draft(window) == ""
    window.chats.reopen()
    assert draft(window) == "unsent"


def test_the_place_that_was_read_comes_back(qtbot: QtBot, window: MainWindow, open_window: OpenWindow) -> None:
    session = Session(title="Long")
    for number in range(8):
        session.messages += [Message("user", f"q {number}"), Message("assistant", "line\n\n" * 20, end="stop")]
    window._history.save(session, session.messages)
    window.chats.open(session.id)
    tab = window.tabs.current_tab()
    assert tab is not None
    bar = tab.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1500 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    place = tab.transcript.place()
    assert place is not None
    window.close()
    again = open_window().tabs.current_tab()
    assert again is not None
    bar = again.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1500)
    back = again.transcript.place()
    assert back is not None
    assert back[0].id == place[0].id
    assert abs(back[1] - place[1]) < 0.05
    qtbot.waitUntil(lambda: 0 < bar.value() < bar.maximum() // 2)


def test_the_drafts_of_two_chats_come_back(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    for number in range(2):
        window.new_chat()
        engine.finish(send(qtbot, window, engine, f"chat {number}"))
        tab = window.tabs.current_tab()
        assert tab is not None
        qtbot.keyClicks(tab.composer, f"draft {number}")
    window.close()
    again = open_window()
    assert [tab.composer.toPlainText() for tab in again.tabs.tabs()] == ["draft 0", "draft 1"]


def test_a_draft_comes_back_out_of_the_trash(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.finish(send(qtbot, window, engine, "said"))
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: not tab.session.is_busy)
    qtbot.keyClicks(tab.composer, "unsent")
    window.chats.delete(tab.session.id)
    assert draft(window) == ""
    window.chats.trash.restore(tab.session.id)
    assert draft(window) == "unsent"


def test_tabs_come_back_in_their_order_without_being_saved_for_each(
    window: MainWindow, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [Session(title=f"chat {number}", messages=[Message("user", str(number))]) for number in range(6)]
    for chat in chats:
        window._history.save(chat, chat.messages)
        window.tabs.open_chat(chat)
    window.tabs.open_chat(chats[2])
    window.close()
    saved: list[object] = []
    save = History.save_tabs
    monkeypatch.setattr(History, "save_tabs", lambda *given: (saved.append(given), save(*given)))
    again = open_window()
    assert [tab.session.id for tab in again.tabs.tabs()] == [chat.id for chat in chats]
    current = again.tabs.current_tab()
    assert current is not None
    assert current.session.id == chats[2].id
    # Else the time to open grows with the square of the tabs.
    assert len(saved) < len(chats)


def test_the_tab_of_a_new_chat_is_on_disk_with_its_first_message(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    send(qtbot, window, engine, "hello")
    tab = window.tabs.current_tab()
    assert tab is not None
    assert window._history.load_tabs() == ([tab.session.id], tab.session.id)

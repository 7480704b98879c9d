"""What cannot be saved of a chat waits, is told once, and is saved by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chat.chat_saver import ChatSaver
from app.state.history import History
from app.state.session import Session


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with closing(History(tmp_path / "chats.sqlite")) as result:
        yield result


@pytest.fixture
def other(history: History, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another program, which has the file."""
    history._database._db.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(tmp_path / "chats.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield db


def texts(history: History, session: Session) -> list[str]:
    stored = history.load(session.id)
    return [] if stored is None else [message.text for message in stored.messages]


def test_all_that_waits_is_saved_and_told_once(
    qtbot: QtBot, qapp: object, history: History, other: sqlite3.Connection
) -> None:
    saver, session, told = ChatSaver(history), Session(), []
    saver.failed.connect(told.append)
    saver._timer.setInterval(10)
    saver.save(session, session.ask("one", None, ()))
    session.interrupt()
    saver.save(session, [session.answer], is_used=False)
    with qtbot.waitSignal(saver._timer.timeout):
        pass
    assert len(told) == 1
    assert texts(history, session) == []
    other.execute("ROLLBACK")
    qtbot.waitUntil(lambda: texts(history, session) == ["one", ""])
    assert not saver._timer.isActive()


def test_a_chat_that_is_closed_is_tried_once_more(history: History, other: sqlite3.Connection, qapp: object) -> None:
    saver, session = ChatSaver(history), Session()
    saver.save(session, session.ask("one", None, ()))
    other.execute("ROLLBACK")
    saver.close()
    assert texts(history, session) == ["one", ""]
    assert not saver._timer.isActive()


def test_the_window_waits_half_a_second_for_a_lock_and_longer_at_the_end(history: History) -> None:
    def wait_ms() -> int:
        (result,) = history._database._db.execute("PRAGMA busy_timeout").fetchone()
        return int(result)

    assert wait_ms() == 500
    with history.patient():
        with history.patient():
            assert wait_ms() == 5000
        assert wait_ms() == 5000
    assert wait_ms() == 500

"""Chats come in whole or not at all, whatever else comes in meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.state.archive import ChatCopy
from app.state.history import History
from app.state.message import Message
from app.state.session import Session


def copy(text: str) -> ChatCopy:
    return ChatCopy(Session(title=text, messages=[Message("user", text)]), 1.0)


def test_an_import_that_breaks_takes_nothing_of_another_one_with_it(tmp_path: Path) -> None:
    history = History(tmp_path / "chats.sqlite3")

    def break_another(num_chats: int) -> None:
        with pytest.raises(UnicodeEncodeError):
            history.archive.add([copy("whole"), copy("no text: \ud800")])

    history.archive.add([copy("one"), copy("two")], break_another)
    assert sorted(chat.title for chat in history.chats()) == ["one", "two"]

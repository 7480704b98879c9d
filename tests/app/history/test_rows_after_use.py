"""One chat was used: the rows change in that alone, and are those that all chats would give."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from app.history.chat_rows import chat_rows, rows_after_use
from app.state.folders import Folder
from app.state.history import ChatSummary

TODAY = date(2025, 6, 15)
FOLDERS = [Folder("open", "Open"), Folder("shut", "Shut", is_collapsed=True)]


def chats(chance: random.Random, count: int) -> list[ChatSummary]:
    """Newest first."""
    now_s = datetime(TODAY.year, TODAY.month, TODAY.day, 12).timestamp()
    times_s = sorted((now_s - chance.choice([0.1, 1.2, 4, 20, 90]) * 86_400 - n for n in range(count)), reverse=True)
    return [
        ChatSummary(f"id {n}", f"Chat {n}", chance.random() < 0.2, at_s, chance.choice([None, None, "open", "shut"]))
        for n, at_s in enumerate(times_s)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_rows_after_use_are_those_of_all_chats(seed: int) -> None:
    chance = random.Random(seed)
    before = chats(chance, chance.randint(0, 12))
    known = chance.choice(before) if before and chance.random() < 0.8 else None
    used = known or ChatSummary("new", "A new chat", False, 0.0, chance.choice([None, "open"]))
    now_s = datetime(TODAY.year, TODAY.month, TODAY.day, 13).timestamp()
    used = replace(used, updated_at_s=now_s, title="Its title now")
    after = [used, *(chat for chat in before if chat.id != used.id)]
    rows = rows_after_use(chat_rows(before, FOLDERS, TODAY), used)
    can_tell = used.is_pinned or used.folder_id is None or (used.folder_id == "open" and known is not None)
    assert (rows is not None) == can_tell
    if rows is not None:
        assert rows == chat_rows(after, FOLDERS, TODAY)


def test_the_first_chat_of_the_day_brings_its_heading() -> None:
    yesterday = datetime.combine(TODAY - timedelta(days=1), datetime.min.time()).timestamp() + 60
    chat = ChatSummary("a", "A", False, yesterday)
    rows = rows_after_use(chat_rows([chat], [], TODAY), chat)
    assert rows is not None
    assert [row.text for row in rows] == ["Today", "A"]

"""One chat changes: the rows change in that alone, and are those that all chats would give."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from app.history.chat_rows import chat_rows
from app.history.row_changes import rows_after_change
from app.state.folders import Folder
from app.state.history import ChatSummary

TODAY = date(2025, 6, 15)
FOLDERS = [Folder("open", "Open"), Folder("shut", "Shut", is_collapsed=True)]
PLACES = [None, None, "open", "shut", "gone"]


def chats(chance: random.Random, count: int) -> list[ChatSummary]:
    """Newest first."""
    now_s = datetime(TODAY.year, TODAY.month, TODAY.day, 12).timestamp()
    times_s = sorted((now_s - chance.choice([0.1, 1.2, 4, 20, 90]) * 86_400 - n for n in range(count)), reverse=True)
    return [
        ChatSummary(f"id {n}", f"Chat {n}", chance.random() < 0.2, at_s, chance.choice(PLACES))
        for n, at_s in enumerate(times_s)
    ]


def changed(chance: random.Random, chat: ChatSummary) -> ChatSummary | None:
    now_s = datetime(TODAY.year, TODAY.month, TODAY.day, 13).timestamp()
    return chance.choice(
        [
            replace(chat, title="Its title now"),
            replace(chat, is_pinned=not chat.is_pinned),
            replace(chat, folder_id=chance.choice(PLACES)),
            replace(chat, updated_at_s=now_s),
            None,
        ]
    )


@pytest.mark.parametrize("seed", range(200))
def test_rows_after_a_change_are_those_of_all_chats(seed: int) -> None:
    chance = random.Random(seed)
    everyone = chats(chance, chance.randint(1, 12))
    before = chance.choice(everyone)
    is_new = chance.random() < 0.2
    after = before if is_new else changed(chance, before)
    known = [chat for chat in everyone if not is_new or chat is not before]
    rest = [chat for chat in everyone if chat is not before]
    now = sorted([*rest, *([after] if after is not None else [])], key=lambda chat: chat.updated_at_s, reverse=True)
    rows = rows_after_change(chat_rows(known, FOLDERS, TODAY), None if is_new else before, after, TODAY)
    assert rows == chat_rows(now, FOLDERS, TODAY)


def test_the_first_chat_of_the_day_brings_its_heading() -> None:
    yesterday = datetime.combine(TODAY - timedelta(days=1), datetime.min.time()).timestamp() + 60
    chat = ChatSummary("a", "A", False, yesterday)
    used = replace(chat, updated_at_s=yesterday + 86_400)
    rows = rows_after_change(chat_rows([chat], [], TODAY), chat, used, TODAY)
    assert [row.text for row in rows] == ["Today", "A"]

"""Owns the measuring of a long history: how soon 10,000 chats are listed, and how soon texts in them are found.

Does not judge; a slow machine has its own figures. Wants a data folder of its own, which it fills at its first run.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Iterator

import qasync
from PySide6.QtWidgets import QApplication

from app.checks.window_check import WindowCheck
from app.state.archive import ChatCopy
from app.state.history import ChatSummary, History
from app.state.message import Message
from app.state.session import Session

NUM_CHATS = 10_000
_NUM_MESSAGES = 6
_CHATS_PER_WRITE = 500
_DAY_S = 86_400.0
_TITLE = "Measured chat"
_NUM_WORDS = 4000
_COMMON = "the of and to in is that it was for on are as with they at be this from have or by one had not but"
_SYLLABLES = "ka lo mi ter an du shi re vo pel ing ras to ne gal um ber ch qu ist"
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 1500)]
_QUERIES = {
    "common word": "the",
    "two common words": "of the",
    "common and rare word": "the lighthouse",
    "two rare words": "lighthouse 灯塔",
    "common words as a phrase": '"of the"',
    "word and letters": "lighthouse th",
    "two letters twice": "th of",
    "short and rarer": "e 灯塔",
    "rare word": "lighthouse",
    "piece of a word": "ighthou",
    "two letters": "th",
    "one letter": "e",
    "two Chinese characters": "灯塔",
    "common Chinese character": "一",
    "nowhere": "submarine",
    "title": "chat 777",
}
_NUM_RUNS = 5


class HistoryCheck(WindowCheck):
    """Reports `history`: the size, the list's time, and of each search the times to find and to show, in ms."""

    async def _test(self) -> None:
        history = History(self._home / "chats.sqlite3")
        titles = [summary.title for summary in history.chats()]
        is_own = all(title.startswith(_TITLE) for title in titles)
        self._check("the data folder is for measuring", is_own, "It has chats: name an empty one with --home")
        chance = random.Random(0)
        for start in range(len(titles), NUM_CHATS, _CHATS_PER_WRITE):
            copies = list(_chats(chance, range(start, min(start + _CHATS_PER_WRITE, NUM_CHATS))))
            await asyncio.to_thread(history.archive.add, copies)
        open_s = await asyncio.to_thread(_seconds, lambda: History(self._home / "chats.sqlite3").close())
        searches = {name: await self._search(history, text) for name, text in _QUERIES.items()}
        middle = history.chats()[NUM_CHATS // 2]
        history.close()
        list_s: list[float] = []
        await qasync.asyncWrap(lambda: list_s.append(_seconds(self._refresh)))
        rename_s: list[float] = []
        await qasync.asyncWrap(lambda: rename_s.append(_seconds(lambda: self._rename(middle))))
        self._facts["history"] = {
            "num_chats": NUM_CHATS,
            "num_messages": NUM_CHATS * _NUM_MESSAGES,
            "file_mb": round((self._home / "chats.sqlite3").stat().st_size / 1e6),
            "open_ms": _ms(open_s),
            "list_ms": _ms(list_s[0]),
            "rename_ms": _ms(rename_s[0]),
            "searches": searches,
        }

    async def _search(self, history: History, text: str) -> dict[str, float]:
        find_s = [await asyncio.to_thread(_seconds, lambda: history.search.find(text)) for _ in range(_NUM_RUNS)]
        hits = history.search.find(text)
        show_s: list[float] = []

        def show() -> None:
            self._window.sidebar.show_hits(hits, text)
            _paint()

        # What paints runs Qt's loop, so not inside of a task.
        await qasync.asyncWrap(lambda: show_s.append(_seconds(show)))
        median_s = statistics.median(find_s)
        return {
            "num_chats": len(hits),
            "find_ms": _ms(median_s),
            "worst_ms": _ms(max(find_s)),
            "show_ms": _ms(show_s[0]),
        }

    def _refresh(self) -> None:
        self._window.chats.refresh()
        _paint()

    def _rename(self, chat: ChatSummary) -> None:
        """Renames one chat among the others, and back."""
        self._window.chats.rename(chat.id, f"{chat.title} again")
        _paint()
        self._window.chats.rename(chat.id, chat.title)


def _paint() -> None:
    app = QApplication.instance()
    assert app is not None, "there is no application"
    app.processEvents()


def _seconds(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _chats(chance: random.Random, numbers: range) -> Iterator[ChatCopy]:
    """One in ten is Chinese; one in five hundred has the rare words."""
    now_s = time.time()
    common_words, syllables = _COMMON.split(), _SYLLABLES.split()
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(_NUM_WORDS)]
    for number in numbers:
        session = Session(title=f"{_TITLE} {number}")
        for place in range(_NUM_MESSAGES):
            if number % 10 == 0:
                text = "".join(chance.choices(_HAN, k=150)) + ("灯塔" if number % 500 == 0 else "")
            else:
                common = chance.choices(common_words, k=chance.randint(4, 50))
                picked = [*common, *chance.choices(words, k=chance.randint(6, 80))]
                chance.shuffle(picked)
                text = " ".join(picked) + (" lighthouse" if number % 500 == 1 else "")
            is_question = place % 2 == 0
            session.messages.append(Message("user", text) if is_question else Message("assistant", text, end="stop"))
        yield ChatCopy(session, now_s - number * _DAY_S / 20)

"""Owns what stands in the list of chats, from top to bottom: pinned chats, folders with theirs, then the rest by day.

Does not know how a row is drawn, nor what a click on it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import Enum
from itertools import groupby

from app.i18n import translate
from app.state.folders import Folder
from app.state.history import ChatSummary
from app.state.search import SearchHit
from app.state.session import title_of
from app.state.trash import DeletedChat, DeletedMessages


class RowKind(Enum):
    HEADING = "heading"
    FOLDER = "folder"
    CHAT = "chat"
    HIT = "hit"
    DELETED = "deleted"
    DELETED_MESSAGES = "deleted messages"


TWO_LINES = (RowKind.HIT, RowKind.DELETED, RowKind.DELETED_MESSAGES)
"""Those that have a detail."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `key` is the id of its chat, folder or message, or the heading's text."""

    kind: RowKind
    key: str
    text: str
    detail: str = ""
    """A second line, muted."""
    is_pinned: bool = False
    is_collapsed: bool = False
    folder_id: str | None = None
    """Of a chat: in which it lies."""
    used_at_s: float = 0.0
    """Of a chat: when it was used last. The chats of a group stand by it, newest first."""
    num_chats: int = 0
    """Of a folder: how many lie in it."""
    message_id: str | None = None
    """Of a hit: where it is."""


def chat_rows(summaries: Iterable[ChatSummary], folders: Sequence[Folder], today: date) -> list[Row]:
    """The rows of all chats, which come newest first."""
    pinned: list[ChatSummary] = []
    rest: list[ChatSummary] = []
    in_folder: dict[str, list[ChatSummary]] = {folder.id: [] for folder in folders}
    for summary in summaries:
        (pinned if summary.is_pinned else in_folder.get(summary.folder_id or "", rest)).append(summary)
    rows: list[Row] = []
    if pinned:
        rows += [heading(translate("app", "Pinned")), *map(chat_row, pinned)]
    if folders:
        rows.append(heading(translate("app", "Folders")))
    for folder in folders:
        inside = in_folder[folder.id]
        rows.append(
            Row(RowKind.FOLDER, folder.id, folder.name, is_collapsed=folder.is_collapsed, num_chats=len(inside))
        )
        if not folder.is_collapsed:
            rows += map(chat_row, inside)
    days = Days(today)
    for name, group in groupby(rest, key=lambda summary: days.name(summary.updated_at_s)):
        rows += [heading(name), *map(chat_row, group)]
    return rows


def hit_rows(hits: Iterable[SearchHit]) -> Iterator[Row]:
    """One of each chat that was found."""
    for hit in hits:
        detail = hit.excerpt if hit.message_id is not None else translate("app", "In the title")
        yield Row(RowKind.HIT, hit.chat_id, hit.title, detail, message_id=hit.message_id)


def deleted_rows(chats: Iterable[DeletedChat]) -> Iterator[Row]:
    """One of each chat in the trash."""
    for chat in chats:
        day = date.fromtimestamp(chat.deleted_at_s).isoformat()
        messages = translate("app", "%n message(s)", None, chat.num_messages)
        # The day first: it is what tells chats of one name apart, and a narrow list cuts the end.
        yield Row(RowKind.DELETED, chat.id, chat.title, f"{day} · {messages}")


def deleted_message_rows(groups: Iterable[DeletedMessages]) -> Iterator[Row]:
    """One of what was deleted together of a chat."""
    for group in groups:
        day = date.fromtimestamp(group.deleted_at_s).isoformat()
        words = translate("app", "{day} · %n message(s) of “{chat}”", None, group.num_messages)
        text = title_of(group.text) if group.text.strip() else translate("app", "(empty)")
        yield Row(RowKind.DELETED_MESSAGES, group.id, text, words.format(day=day, chat=group.chat_title))


def heading(name: str) -> Row:
    """A line above a group."""
    return Row(RowKind.HEADING, name, name)


def chat_row(summary: ChatSummary) -> Row:
    """The line of one chat."""
    return Row(
        RowKind.CHAT,
        summary.id,
        summary.title,
        is_pinned=summary.is_pinned,
        folder_id=summary.folder_id,
        used_at_s=summary.updated_at_s,
    )


class Days:
    """Under which heading a time stands. The days begin at this place's midnights."""

    def __init__(self, today: date) -> None:
        self._starts = [
            (datetime.combine(today - timedelta(days=days), time()).timestamp(), name)
            for days, name in (
                (0, translate("app", "Today")),
                (1, translate("app", "Yesterday")),
                (6, translate("app", "Last 7 days")),
                (29, translate("app", "Last 30 days")),
            )
        ]
        self._rest = translate("app", "Older")

    @property
    def names(self) -> list[str]:
        """From the newest on, as they stand in the list."""
        return [*(name for _, name in self._starts), self._rest]

    def name(self, at_s: float) -> str:
        return next((name for start_s, name in self._starts if at_s >= start_s), self._rest)

"""Owns the chats on disk, written so that a killed process loses at most the newest moments, and the list of them.

Does not know the window; a chat's live state is in `Session`. What belongs to chats has stores of its own: `folders`,
`trash`, `drafts`, `presets`, `prompts`; `search` finds texts, `archive` copies chats.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from app.state.archive import Archive
from app.state.database import Database, HistoryError
from app.state.drafts import Drafts
from app.state.folders import Folders
from app.state.library import Presets, Prompts
from app.state.message import Message
from app.state.message_rows import save_message
from app.state.search import Search
from app.state.session import Session
from app.state.session_rows import load_chat, save_chat, save_missing
from app.state.trash import Trash
from engine.messages import WhenFull

__all__ = ["ChatSummary", "History", "HistoryError", "TabPlace"]


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A line of the chat list."""

    id: str
    title: str
    is_pinned: bool
    updated_at_s: float
    folder_id: str | None = None


@dataclass(frozen=True, slots=True)
class TabPlace:
    """What was read in a tab: a message, and the part of it that was above the view."""

    message_id: str
    part: float


class History:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, path: Path | None) -> None:
        """Opens or makes the file. Without a path the chats are kept in memory, until the program ends."""
        self._database = Database(path)
        self.notice = self._database.notice
        """What a person should know about how the file was opened; None if all is well."""
        self.on_recovered: Callable[[str], None] = lambda problem: None
        """Called with what was said of chats that could not be saved, as soon as they are saved again."""
        self.folders = Folders(self._database)
        self.trash = Trash(self._database)
        self.drafts = Drafts(self._database)
        self.presets = Presets(self._database)
        self.prompts = Prompts(self._database)
        self.search = Search(self._database)
        self.archive = Archive(self._database)
        self.archive.forget_unfinished()
        self._end_unfinished()

    def _end_unfinished(self) -> None:
        """An answer that a killed process was writing ends there, and can be found from now on."""
        unfinished = "role = 'assistant' AND end IS NULL"
        with self._database.reading() as db:
            is_there = db.execute(f"SELECT 1 FROM messages WHERE {unfinished} LIMIT 1").fetchone()
        if is_there:
            with self._database.writing() as db:
                db.execute(f"UPDATE messages SET end = 'interrupted' WHERE {unfinished}")

    @property
    def is_on_disk(self) -> bool:
        return self._database.path is not None

    def patient(self) -> AbstractContextManager[None]:
        """Meanwhile calls wait some seconds for a lock of another program, not half a second."""
        return self._database.patient()

    def close(self) -> None:
        self._database.close()

    def chats(self) -> list[ChatSummary]:
        """The chats that are not in the trash, newest first."""
        query = """
            SELECT id, title, is_pinned, updated_at_s, folder_id FROM chats WHERE deleted_at_s IS NULL
            ORDER BY updated_at_s DESC
        """
        with self._database.reading() as db:
            rows = db.execute(query).fetchall()
        return [
            ChatSummary(chat_id, title, bool(is_pinned), updated_at_s, folder_id)
            for chat_id, title, is_pinned, updated_at_s, folder_id in rows
        ]

    def chat(self, chat_id: str) -> ChatSummary | None:
        """One of them; None if there is no such chat, or if it is in the trash."""
        query = "SELECT title, is_pinned, updated_at_s, folder_id FROM chats WHERE id = ? AND deleted_at_s IS NULL"
        with self._database.reading() as db:
            row = db.execute(query, (chat_id,)).fetchone()
        if row is None:
            return None
        title, is_pinned, updated_at_s, folder_id = row
        return ChatSummary(chat_id, title, bool(is_pinned), updated_at_s, folder_id)

    def load(self, chat_id: str) -> Session | None:
        """The chat with its messages; None if there is no such chat, or if it is in the trash.

        Unfinished answers come back as interrupted.
        """
        with self._database.reading() as db:
            return load_chat(db, chat_id)

    def save(self, session: Session, messages: Sequence[Message], is_used: bool = True) -> None:
        """Stores the chat's own row, those of its `messages` that changed, and what they follow if that is not there.

        It may not be there if it could not be saved when it was written. `is_used`: a message was sent, answered or
        edited, which makes the chat the newest of the list.
        """
        with self._database.writing() as db:
            save_chat(db, session, time.time(), is_used)
            for message in messages:
                save_message(db, session.id, message)
                save_missing(db, session, message.parent_id)
        problems = set(self._database.write_problems)
        self._database.write_problems.clear()
        for problem in problems:
            self.on_recovered(problem)

    def delete_message(self, message: Message) -> None:
        """For good. What followed it is then the first of the chat; see `Trash` for what can be brought back."""
        with self._database.writing() as db:
            db.execute("DELETE FROM messages WHERE id = ?", (message.id,))

    def rename(self, chat_id: str, title: str) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE chats SET title = ? WHERE id = ?", (title, chat_id))

    def set_pinned(self, chat_id: str, is_pinned: bool) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE chats SET is_pinned = ? WHERE id = ?", (is_pinned, chat_id))

    def set_when_full(self, chat_id: str, when_full: WhenFull) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE chats SET when_full = ? WHERE id = ?", (when_full, chat_id))

    def delete(self, chat_id: str) -> None:
        """For good; `trash.put_chat` is what can be undone."""
        self.trash.destroy([chat_id])

    def save_tabs(
        self, chat_ids: Sequence[str], current: str | None, places: dict[str, TabPlace] | None = None
    ) -> None:
        """Remembers the open tabs, and where in them was read; chats that were never saved are left out."""
        rows = []
        for position, chat_id in enumerate(chat_ids):
            place = (places or {}).get(chat_id)
            read = (None, None) if place is None else (place.message_id, place.part)
            rows.append((position, chat_id, chat_id == current, *read))
        with self._database.writing() as db:
            db.execute("DELETE FROM tabs")
            db.executemany("INSERT INTO tabs SELECT ?1, id, ?3, ?4, ?5 FROM chats WHERE id = ?2", rows)

    def load_tabs(self) -> tuple[list[str], str | None]:
        """The chats of the open tabs in order, and the current one's."""
        with self._database.reading() as db:
            rows = db.execute("SELECT chat_id, is_current FROM tabs ORDER BY position").fetchall()
        return [chat_id for chat_id, _ in rows], next((chat_id for chat_id, is_current in rows if is_current), None)

    def load_places(self) -> dict[str, TabPlace]:
        """Where in the open tabs was read, by chat; those that stood at their end are left out."""
        with self._database.reading() as db:
            rows = db.execute("SELECT chat_id, place_message_id, place_part FROM tabs WHERE place_part IS NOT NULL")
            return {chat_id: TabPlace(message_id, part) for chat_id, message_id, part in rows}

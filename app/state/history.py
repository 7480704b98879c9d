"""Owns the chats on disk: one SQLite file, written so that a killed process loses at most the newest moments.

Does not know the window; a chat's live state is in `Session`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from app.state.advice import database_advice
from app.state.schema import SCHEMA_VERSION, bring_up_to_date, schema_version
from app.state.session import AnswerStats, ForgottenTurns, Message, Session, restored_phase
from app.state.set_aside import set_aside
from engine.messages import WhenFull

_FIGURES = tuple(figure.name for figure in fields(AnswerStats))
_MESSAGE_COLUMNS = ", ".join(
    ("role", "text", "model_name", "end", "error", *_FIGURES, "num_forgotten_turns", "num_forgotten_tokens")
)


class HistoryError(Exception):
    """The chats could not be written or read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A line of the chat list."""

    id: str
    title: str
    is_pinned: bool
    updated_at_s: float


class History:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, path: Path | None) -> None:
        """Opens or makes the file. Without a path the chats are kept in memory, until the program ends."""
        self._path = path
        self.notice: str | None = None
        """What a person should know about how the file was opened; None if all is well."""
        try:
            self._db = self._open()
        except sqlite3.OperationalError as error:  # no permission, locked, no space: the file itself may be sound
            raise HistoryError(f"Cannot open {path}: {error}. {database_advice(error)}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # a schema of broken bytes is no text
            self._start_anew("damaged", "is damaged")
        else:
            version = schema_version(self._db)
            if version > SCHEMA_VERSION:
                self._db.close()
                self._start_anew(
                    "newer", f"was written by a newer DeepInfer (schema {version}, known {SCHEMA_VERSION})"
                )

    def _open(self) -> sqlite3.Connection:
        """Raises sqlite3.DatabaseError if the file is no sound database."""
        db = sqlite3.connect(self._path or ":memory:", isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            # With WAL this survives a killed process; a power cut may take the newest commits, never the file.
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA foreign_keys = ON")
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            bring_up_to_date(db)
        except (sqlite3.Error, UnicodeDecodeError):
            db.close()
            raise
        return db

    def _start_anew(self, reason: str, why: str) -> None:
        assert self._path is not None, "a history in memory cannot be damaged"
        try:
            kept = set_aside(self._path, reason, companions=("-wal", "-shm"))
            self._db = self._open()
        except (OSError, sqlite3.Error) as error:
            raise HistoryError(
                f"The chat history {why} and cannot be set aside: {error}. Move {self._path} away."
            ) from error
        self.notice = f"The chat history {why}. It was kept as {kept.name}, and a new history was started."

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("BEGIN", "read from") as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("BEGIN IMMEDIATE", "saved to") as db:
            yield db

    @contextmanager
    def _transaction(self, begin: str, what: str) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute(begin)
            try:
                yield self._db
                self._db.execute("COMMIT")
            finally:
                # SQLite ends some failed transactions by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
        except sqlite3.Error as error:
            place = self._path or "memory"
            raise HistoryError(f"Chats cannot be {what} {place}: {error}. {database_advice(error)}") from error

    def close(self) -> None:
        self._db.close()

    def chats(self, search: str = "") -> list[ChatSummary]:
        """The chats, newest first, of which the title or a message contains `search`."""
        pattern = "%" + search.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "%"
        query = r"""
            SELECT id, title, is_pinned, updated_at_s FROM chats
            WHERE title LIKE ?1 ESCAPE '\'
               OR EXISTS (SELECT 1 FROM messages WHERE chat_id = chats.id AND text LIKE ?1 ESCAPE '\')
            ORDER BY updated_at_s DESC
        """
        with self._reading() as db:
            rows = db.execute(query, (pattern,)).fetchall()
        return [ChatSummary(chat_id, title, bool(pinned), updated) for chat_id, title, pinned, updated in rows]

    def load(self, chat_id: str) -> Session | None:
        """The chat with its messages; None if there is no such chat. Unfinished answers come back as interrupted."""
        with self._reading() as db:
            chat = db.execute(
                "SELECT id, title, system_prompt, is_pinned, created_at_s, when_full FROM chats WHERE id = ?",
                (chat_id,),
            ).fetchone()
            rows = db.execute(
                f"SELECT id, {_MESSAGE_COLUMNS} FROM messages WHERE chat_id = ? ORDER BY position",
                (chat_id,),
            ).fetchall()
        if chat is None:
            return None
        messages = [_message(row) for row in rows]
        return Session(
            id=chat[0],
            title=chat[1],
            system_prompt=chat[2],
            is_pinned=bool(chat[3]),
            created_at_s=chat[4],
            when_full=chat[5],
            messages=messages,
            phase=restored_phase(messages),
        )

    def save(self, session: Session, messages: Sequence[Message]) -> None:
        """Stores the chat's own row and those of its `messages` that changed."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO chats (id, title, system_prompt, is_pinned, created_at_s, updated_at_s, when_full)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET title = excluded.title,"
                " system_prompt = excluded.system_prompt, is_pinned = excluded.is_pinned,"
                " updated_at_s = excluded.updated_at_s, when_full = excluded.when_full",
                (
                    session.id,
                    session.title,
                    session.system_prompt,
                    session.is_pinned,
                    session.created_at_s,
                    time.time(),
                    session.when_full,
                ),
            )
            for message in messages:
                values = (message.id, session.id, session.messages.index(message), *_columns(message))
                db.execute(
                    f"INSERT OR REPLACE INTO messages (id, chat_id, position, {_MESSAGE_COLUMNS})"
                    f" VALUES ({', '.join('?' * len(values))})",
                    values,
                )

    def delete_message(self, message: Message) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM messages WHERE id = ?", (message.id,))

    def rename(self, chat_id: str, title: str) -> None:
        with self._writing() as db:
            db.execute("UPDATE chats SET title = ? WHERE id = ?", (title, chat_id))

    def set_pinned(self, chat_id: str, is_pinned: bool) -> None:
        with self._writing() as db:
            db.execute("UPDATE chats SET is_pinned = ? WHERE id = ?", (is_pinned, chat_id))

    def set_when_full(self, chat_id: str, when_full: WhenFull) -> None:
        with self._writing() as db:
            db.execute("UPDATE chats SET when_full = ? WHERE id = ?", (when_full, chat_id))

    def delete(self, chat_id: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM chats WHERE id = ?", (chat_id,))

    def save_tabs(self, chat_ids: Sequence[str], current: str | None) -> None:
        """Remembers the open tabs; chats that were never saved are left out."""
        with self._writing() as db:
            db.execute("DELETE FROM tabs")
            db.executemany(
                "INSERT INTO tabs SELECT ?1, id, ?3 FROM chats WHERE id = ?2",
                [(position, chat_id, chat_id == current) for position, chat_id in enumerate(chat_ids)],
            )

    def load_tabs(self) -> tuple[list[str], str | None]:
        """The chats of the open tabs in order, and the current one's."""
        with self._reading() as db:
            rows = db.execute("SELECT chat_id, is_current FROM tabs ORDER BY position").fetchall()
        return [chat_id for chat_id, _ in rows], next((chat_id for chat_id, is_current in rows if is_current), None)


def _columns(message: Message) -> tuple[object, ...]:
    """In the order of `_MESSAGE_COLUMNS`."""
    figures = (None,) * len(_FIGURES) if message.stats is None else astuple(message.stats)
    forgotten = (None, None) if message.forgotten is None else astuple(message.forgotten)
    return (message.role, message.text, message.model_name, message.end, message.error, *figures, *forgotten)


def _message(row: tuple[object, ...]) -> Message:
    message_id, role, text, model_name, end, error, *figures, num_turns, num_tokens = row
    if role == "assistant" and end is None:
        end = "interrupted"
    # The columns are typed by the schema.
    stats = AnswerStats(*figures) if figures[0] is not None else None  # type: ignore[arg-type]
    forgotten = ForgottenTurns(num_turns, num_tokens) if num_turns is not None else None  # type: ignore[arg-type]
    return Message(role, text, model_name, end, error, stats, message_id, forgotten=forgotten)  # type: ignore[arg-type]

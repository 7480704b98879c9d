"""Owns copying whole chats out of the history and into it, on another thread than the window's.

Does not know the formats of files. Chats come in a few at a time, so that the window's own writing waits for no more
than one of them. Until all are in they are marked as deleted at the time 0, where nobody sees them; a process that is
killed meanwhile leaves nothing behind but these, and they go at the next start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from app.state.database import Database, HistoryError
from app.state.message import new_id
from app.state.message_rows import save_message
from app.state.session import Session
from app.state.session_rows import load_chat, save_chat

_MESSAGES_PER_WRITE = 20
_FORGET = "DELETE FROM chats WHERE deleted_at_s = 0"


@dataclass(frozen=True, slots=True)
class ChatCopy:
    """A chat with what its row knows beside it."""

    session: Session
    updated_at_s: float
    folder_name: str | None = None


class Archive:
    """Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, chat_ids: Sequence[str] | None = None) -> list[ChatCopy]:
        """These chats, or all that are not in the trash, without the messages that are; newest first."""
        copies = []
        with self._database.elsewhere() as db:
            rows = db.execute(
                "SELECT chats.id, updated_at_s, name FROM chats LEFT JOIN folders ON folders.id = folder_id"
                " WHERE deleted_at_s IS NULL ORDER BY updated_at_s DESC"
            ).fetchall()
            wanted = None if chat_ids is None else frozenset(chat_ids)
            for chat_id, updated_at_s, folder_name in rows:
                if wanted is None or chat_id in wanted:
                    session = load_chat(db, chat_id)
                    if session is not None:
                        session.tree.forget_deleted()
                        copies.append(ChatCopy(session, updated_at_s, folder_name))
        return copies

    def add(self, copies: Sequence[ChatCopy], on_progress: Callable[[int], None] = lambda num_chats: None) -> list[str]:
        """Takes all of these in, or none. Returns their ids, which are new ones where those that they had are taken.

        `on_progress` is told on this thread how many are written.
        """
        added: list[tuple[str, str | None]] = []
        with self._database.elsewhere() as db:
            try:
                for number, copy in enumerate(copies):
                    session = _with_free_ids(db, copy.session)
                    added.append((session.id, copy.folder_name))
                    _write_hidden(db, replace(copy, session=session))
                    on_progress(number + 1)
                _show(db, added)
            except BaseException:
                # Not all that is hidden: another thread may be taking chats in, too.
                with suppress(sqlite3.Error):
                    db.executemany(f"{_FORGET} AND id = ?", [(chat_id,) for chat_id, _ in added])
                raise
        return [chat_id for chat_id, _ in added]

    def forget_unfinished(self) -> None:
        """Removes what a killed process had only begun to take in."""
        with suppress(HistoryError), self._database.writing() as db:
            db.execute(_FORGET)


def _with_free_ids(db: sqlite3.Connection, session: Session) -> Session:
    """The chat itself, or if it or one of its messages is there already, one that differs in the ids alone."""
    messages = session.tree.everything()
    is_taken = db.execute("SELECT 1 FROM chats WHERE id = ?", (session.id,)).fetchone() is not None
    is_taken = is_taken or any(
        db.execute("SELECT 1 FROM messages WHERE id = ?", (message.id,)).fetchone() for message in messages
    )
    if not is_taken:
        return session
    ids = {message.id: new_id() for message in messages}
    renewed = {
        message.id: replace(
            message,
            id=ids[message.id],
            parent_id=ids.get(message.parent_id or ""),
            attachments=tuple(replace(one, id=new_id()) for one in message.attachments),
        )
        for message in messages
    }
    return replace(
        session,
        id=new_id(),
        messages=[renewed[message.id] for message in session.messages],
        aside=[renewed[message.id] for message in session.aside],
    )


def _write_hidden(db: sqlite3.Connection, copy: ChatCopy) -> None:
    session = replace(copy.session, folder_id=None)
    messages = session.tree.everything()
    for start in range(0, max(1, len(messages)), _MESSAGES_PER_WRITE):
        db.execute("BEGIN IMMEDIATE")
        try:
            if start == 0:
                save_chat(db, session, copy.updated_at_s)
                db.execute("UPDATE chats SET deleted_at_s = 0 WHERE id = ?", (session.id,))
            for message in messages[start : start + _MESSAGES_PER_WRITE]:
                save_message(db, session.id, message)
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")


def _show(db: sqlite3.Connection, added: Sequence[tuple[str, str | None]]) -> None:
    """Makes all visible at once, in the folders of their names, which are made if they are not there."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for chat_id, folder_name in added:
            db.execute("UPDATE chats SET deleted_at_s = NULL WHERE id = ?", (chat_id,))
            if folder_name is not None:
                db.execute("UPDATE chats SET folder_id = ? WHERE id = ?", (_folder_named(db, folder_name), chat_id))
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _folder_named(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT id FROM folders WHERE name = ?", (name,)).fetchone()
    if row is not None:
        return str(row[0])
    folder_id = new_id()
    db.execute("INSERT INTO folders SELECT ?, ?, coalesce(max(position) + 1, 0), 0 FROM folders", (folder_id, name))
    return folder_id

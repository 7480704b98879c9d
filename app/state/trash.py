"""Owns what was deleted and can still be brought back: chats, and messages of chats.

Does not know the window, nor how a chat's tree looks without a message (see `MessageTree`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.state.database import Database

_NUM_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class DeletedChat:
    """A line of the trash."""

    id: str
    title: str
    deleted_at_s: float
    num_messages: int
    """Those that are shown, not their other versions."""


@dataclass(frozen=True, slots=True)
class DeletedMessages:
    """Another line: messages that were deleted together, of a chat that is not in the trash."""

    id: str
    """Of the first of them."""
    chat_id: str
    chat_title: str
    text: str
    """The beginning of the first one's."""
    deleted_at_s: float
    num_messages: int


class Trash:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def chats(self) -> list[DeletedChat]:
        """The chats in it, the one deleted last first."""
        query = """
            WITH RECURSIVE leaves (id) AS (
                SELECT coalesce(leaf_id, (
                    SELECT id FROM messages WHERE chat_id = chats.id AND deleted_at_s IS NULL
                    ORDER BY number DESC LIMIT 1
                )) FROM chats WHERE deleted_at_s > 0
            ),
            shown (id, chat_id, parent_id, deleted_at_s) AS (
                SELECT messages.id, chat_id, parent_id, deleted_at_s FROM leaves JOIN messages USING (id)
                UNION
                SELECT messages.id, messages.chat_id, messages.parent_id, messages.deleted_at_s
                FROM shown JOIN messages ON messages.id = shown.parent_id
            ),
            counts (chat_id, num_shown) AS (
                SELECT chat_id, count(*) FROM shown WHERE deleted_at_s IS NULL GROUP BY chat_id
            )
            SELECT id, title, deleted_at_s, coalesce(num_shown, 0) FROM chats LEFT JOIN counts ON chat_id = id
            WHERE deleted_at_s > 0 ORDER BY deleted_at_s DESC
        """
        with self._database.reading() as db:
            return [DeletedChat(*row) for row in db.execute(query)]

    def messages(self) -> list[DeletedMessages]:
        """What lies in it of chats that do not, deleted last first."""
        # Beside an only min() SQLite takes the other columns from its row.
        query = f"""
            SELECT messages.id, chat_id, title, substr(text, 1, {_NUM_SHOWN_CHARACTERS}), messages.deleted_at_s,
                count(*), min(messages.number)
            FROM messages JOIN chats ON chats.id = chat_id
            WHERE messages.deleted_at_s IS NOT NULL AND chats.deleted_at_s IS NULL
            GROUP BY chat_id, messages.deleted_at_s ORDER BY messages.deleted_at_s DESC
        """
        with self._database.reading() as db:
            return [DeletedMessages(*row[:-1]) for row in db.execute(query)]

    def put_chat(self, chat_id: str) -> None:
        """Takes a chat out of the list of chats and of the open tabs."""
        with self._database.writing() as db:
            db.execute("UPDATE chats SET deleted_at_s = ? WHERE id = ?", (time.time(), chat_id))
            db.execute("DELETE FROM tabs WHERE chat_id = ?", (chat_id,))

    def restore_chat(self, chat_id: str) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE chats SET deleted_at_s = NULL WHERE id = ?", (chat_id,))

    def destroy(self, chat_ids: Sequence[str]) -> None:
        """Deletes chats for good."""
        with self._database.writing() as db:
            db.executemany("DELETE FROM chats WHERE id = ?", [(chat_id,) for chat_id in chat_ids])

    def empty(self) -> None:
        """Deletes for good all that is in it. What followed a deleted message then follows the one before it."""
        with self._database.writing() as db:
            db.execute("DELETE FROM chats WHERE deleted_at_s > 0")
            deleted = db.execute("SELECT id, chat_id FROM messages WHERE deleted_at_s IS NOT NULL").fetchall()
            for message_id, chat_id in deleted:
                db.execute(
                    "UPDATE messages SET parent_id = (SELECT parent_id FROM messages WHERE id = ?1)"
                    " WHERE chat_id = ?2 AND parent_id = ?1",
                    (message_id, chat_id),
                )
                db.execute("DELETE FROM messages WHERE id = ?", (message_id,))

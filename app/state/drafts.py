"""Owns what a person has written into a chat's composer and not sent yet.

Does not know the composer.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.state.database import Database
from app.state.message import Attachment


@dataclass(frozen=True, slots=True)
class Draft:
    text: str = ""
    attachments: tuple[Attachment, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.attachments

    def followed_by(self, other: Draft) -> Draft:
        """Both as one, with an empty line between their texts."""
        text = "\n\n".join(part for part in (self.text, other.text) if part)
        return Draft(text, self.attachments + other.attachments)


class Drafts:
    """Of chats that are on disk. Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, chat_id: str) -> Draft:
        with self._database.reading() as db:
            row = db.execute("SELECT text FROM drafts WHERE chat_id = ?", (chat_id,)).fetchone()
            attached = db.execute(
                "SELECT name, text, num_tokens, id FROM attachments WHERE draft_chat_id = ? ORDER BY position",
                (chat_id,),
            ).fetchall()
        return Draft("" if row is None else row[0], tuple(Attachment(*columns) for columns in attached))

    def save(self, chat_id: str, draft: Draft) -> None:
        """Takes the place of the former draft; an empty one only takes it away."""
        with self._database.writing() as db:
            db.execute("DELETE FROM drafts WHERE chat_id = ?", (chat_id,))
            kept = {attachment.id for attachment in draft.attachments}
            there = {row[0] for row in db.execute("SELECT id FROM attachments WHERE draft_chat_id = ?", (chat_id,))}
            db.executemany("DELETE FROM attachments WHERE id = ?", [(gone,) for gone in there - kept])
            if draft.is_empty:
                return
            db.execute("INSERT INTO drafts (chat_id, text) VALUES (?, ?)", (chat_id, draft.text))
            places = [(place, one.id) for place, one in enumerate(draft.attachments) if one.id in there]
            db.executemany("UPDATE attachments SET position = ?1 WHERE id = ?2 AND position <> ?1", places)
            # A text that is there already is not written again with each letter of the message.
            db.executemany(
                "INSERT INTO attachments (id, draft_chat_id, position, name, text, num_tokens)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (one.id, chat_id, position, one.name, one.text, one.num_tokens)
                    for position, one in enumerate(draft.attachments)
                    if one.id not in there
                ],
            )

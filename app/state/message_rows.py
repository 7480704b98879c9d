"""Owns how a message is written as rows and read back: its own, and those of its attachments.

Does not know the chat's row, nor when anything is saved.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, fields
from typing import Any

from app.state.message import AnswerStats, Attachment, ForgottenTurns, Message

_PLAIN = (
    "role",
    "text",
    "model_name",
    "end",
    "error",
    "error_code",
    "reasoning",
    "reasoning_s",
    "seed",
    "created_at_s",
    "parent_id",
    "deleted_at_s",
)
_FIGURES = tuple(figure.name for figure in fields(AnswerStats))
_FORGOTTEN = ("num_forgotten_turns", "num_forgotten_tokens")
_COLUMNS = ("id", "chat_id", *_PLAIN, *_FIGURES, *_FORGOTTEN)
_CHANGES = ", ".join(f"{column} = excluded.{column}" for column in (*_PLAIN, *_FIGURES, *_FORGOTTEN))
_SAVE = (
    f"INSERT INTO messages ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (id) DO UPDATE SET {_CHANGES}"
)
_SAVE_ATTACHMENT = (
    "INSERT INTO attachments (id, message_id, position, name, text, num_tokens) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id, draft_chat_id = NULL,"
    " position = excluded.position, num_tokens = excluded.num_tokens"
)


def save_message(db: sqlite3.Connection, chat_id: str, message: Message) -> None:
    """Writes the message, new or changed, and takes its attachments over from the draft."""
    figures = (None,) * len(_FIGURES) if message.stats is None else astuple(message.stats)
    forgotten = (None, None) if message.forgotten is None else astuple(message.forgotten)
    plain = (getattr(message, name) for name in _PLAIN)
    db.execute(_SAVE, (message.id, chat_id, *plain, *figures, *forgotten))
    rows = [
        (attachment.id, message.id, position, attachment.name, attachment.text, attachment.num_tokens)
        for position, attachment in enumerate(message.attachments)
    ]
    if rows:
        db.executemany(_SAVE_ATTACHMENT, rows)


def load_messages(db: sqlite3.Connection, chat_id: str) -> list[Message]:
    """All messages of the chat, the deleted ones too, in the order in which they were made.

    An answer that was never finished comes back as interrupted.
    """
    rows = db.execute(
        f"SELECT id, {', '.join((*_PLAIN, *_FIGURES, *_FORGOTTEN))} FROM messages WHERE chat_id = ? ORDER BY number",
        (chat_id,),
    ).fetchall()
    attached = db.execute(
        "SELECT message_id, attachments.name, attachments.text, num_tokens, attachments.id FROM attachments"
        " JOIN messages ON messages.id = message_id WHERE chat_id = ? ORDER BY position",
        (chat_id,),
    ).fetchall()
    by_message: dict[str, list[Attachment]] = {}
    for message_id, *columns in attached:
        by_message.setdefault(message_id, []).append(Attachment(*columns))
    return [_message(row, by_message.get(row[0], ())) for row in rows]


def _message(row: tuple[Any, ...], attachments: Iterable[Attachment]) -> Message:
    # The columns are typed by the schema.
    message_id, *columns = row
    plain = dict(zip(_PLAIN, columns, strict=False))
    figures = columns[len(_PLAIN) : len(_PLAIN) + len(_FIGURES)]
    num_turns, num_tokens = columns[-len(_FORGOTTEN) :]
    if plain["role"] == "assistant" and plain["end"] is None:
        plain["end"] = "interrupted"
    return Message(
        **plain,
        id=message_id,
        stats=AnswerStats(*figures) if figures[0] is not None else None,
        forgotten=ForgottenTurns(num_turns, num_tokens) if num_turns is not None else None,
        attachments=tuple(attachments),
    )

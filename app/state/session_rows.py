"""Owns how a chat is written as a row with its messages' and read back.

Does not know when anything is saved, nor the list of chats.
"""

from __future__ import annotations

import sqlite3

from app.state.message_rows import load_messages, save_message
from app.state.message_tree import MessageTree
from app.state.parameters import ChatParameters, Preset
from app.state.session import Session, restored_phase

_COLUMNS = (
    "id",
    "title",
    "system_prompt",
    "is_pinned",
    "created_at_s",
    "when_full",
    "folder_id",
    "parameters",
    "preset",
    "leaf_id",
)
_CHANGES = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS if column != "id")
_SAVE = (
    f"INSERT INTO chats ({', '.join(_COLUMNS)}, updated_at_s) VALUES ({', '.join('?' * len(_COLUMNS))}, ?)"
    f" ON CONFLICT (id) DO UPDATE SET {_CHANGES}"
)
_SAVE_USED = f"{_SAVE}, updated_at_s = excluded.updated_at_s"


def save_chat(db: sqlite3.Connection, session: Session, updated_at_s: float, is_used: bool = True) -> None:
    """Writes the chat's own row, new or changed; its messages are written by `save_message`.

    A chat that is there already keeps its time unless `is_used`.
    """
    session.tree.note_parents()
    values = (
        session.id,
        session.title,
        session.system_prompt,
        session.is_pinned,
        session.created_at_s,
        session.when_full,
        session.folder_id,
        session.parameters.to_json(),
        None if session.preset is None else session.preset.to_json(),
        session.messages[-1].id if session.messages else None,
    )
    db.execute(_SAVE_USED if is_used else _SAVE, (*values, updated_at_s))


def load_chat(db: sqlite3.Connection, chat_id: str) -> Session | None:
    """The chat with all its messages; None if there is no such chat, or if it is in the trash.

    Unfinished answers come back as interrupted.
    """
    row = db.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM chats WHERE id = ? AND deleted_at_s IS NULL", (chat_id,)
    ).fetchone()
    if row is None:
        return None
    *plain, parameters, preset, leaf_id = row
    tree = MessageTree.grown(load_messages(db, chat_id), leaf_id)
    session = Session(**dict(zip(_COLUMNS, plain, strict=False)), messages=tree.path, aside=tree.aside)
    session.is_pinned = bool(session.is_pinned)
    session.parameters = ChatParameters.from_json(parameters)
    session.preset = None if preset is None else Preset.from_json(preset)
    session.phase = restored_phase(tree.path)
    return session


def save_missing(db: sqlite3.Connection, session: Session, message_id: str | None) -> None:
    """Writes this message and those before it as far as they are not there: they could not be saved when written."""
    by_id = {message.id: message for message in session.messages}
    message = by_id.get(message_id or "")
    while message is not None and not _is_saved(db, message.id):
        save_message(db, session.id, message)
        message = by_id.get(message.parent_id or "")


def _is_saved(db: sqlite3.Connection, message_id: str) -> bool:
    return db.execute("SELECT 1 FROM messages WHERE id = ?", (message_id,)).fetchone() is not None

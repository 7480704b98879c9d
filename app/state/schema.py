"""The tables of the chat history, as the steps that made them: a new file takes all, an older one those it lacks.

Does not know what the rows are for.
"""

from __future__ import annotations

import sqlite3

_FIRST = """
CREATE TABLE chats (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    is_pinned INTEGER NOT NULL,
    created_at_s REAL NOT NULL,
    updated_at_s REAL NOT NULL
);
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    model_name TEXT,
    end TEXT,
    error TEXT,
    num_prompt_tokens INTEGER,
    num_cached_tokens INTEGER,
    num_completion_tokens INTEGER,
    ttft_s REAL,
    tokens_per_s REAL
);
CREATE INDEX messages_of_chat ON messages (chat_id, position);
CREATE TABLE tabs (
    position INTEGER PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    is_current INTEGER NOT NULL
);
"""
_FULL_CHATS_AND_PHASES = """
ALTER TABLE chats ADD COLUMN when_full TEXT NOT NULL DEFAULT 'stop';
ALTER TABLE messages ADD COLUMN queue_s REAL;
ALTER TABLE messages ADD COLUMN prefill_s REAL;
ALTER TABLE messages ADD COLUMN decode_s REAL;
ALTER TABLE messages ADD COLUMN preempted_s REAL;
ALTER TABLE messages ADD COLUMN num_forgotten_turns INTEGER;
ALTER TABLE messages ADD COLUMN num_forgotten_tokens INTEGER;
"""
STEPS = (_FIRST, _FULL_CHATS_AND_PHASES)
"""The step at index n leads from version n to n + 1. What was released is never changed, only followed."""
SCHEMA_VERSION = len(STEPS)


def schema_version(db: sqlite3.Connection) -> int:
    """0 for a new file."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def bring_up_to_date(db: sqlite3.Connection) -> None:
    """Takes the steps that are missing, each whole or not at all; a newer file is left alone.

    Raises sqlite3.Error; the file then stands at the last step that was taken.
    """
    for version in range(schema_version(db), SCHEMA_VERSION):
        db.executescript(f"BEGIN IMMEDIATE; {STEPS[version]} PRAGMA user_version = {version + 1}; COMMIT;")

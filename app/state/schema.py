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
# Rebuilt, so that rows have numbers that stay: the index of texts refers to them.
_TREES_AND_SEARCH = """
CREATE TABLE folders (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    is_collapsed INTEGER NOT NULL
);
CREATE TABLE new_chats (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    is_pinned INTEGER NOT NULL,
    created_at_s REAL NOT NULL,
    updated_at_s REAL NOT NULL,
    when_full TEXT NOT NULL,
    folder_id TEXT REFERENCES folders(id) ON DELETE SET NULL,
    leaf_id TEXT,
    parameters TEXT NOT NULL DEFAULT '{}',
    preset TEXT,
    deleted_at_s REAL
);
INSERT INTO new_chats (id, title, system_prompt, is_pinned, created_at_s, updated_at_s, when_full)
    SELECT id, title, system_prompt, is_pinned, created_at_s, updated_at_s, when_full FROM chats ORDER BY created_at_s;
CREATE TABLE new_messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    parent_id TEXT,
    created_at_s REAL NOT NULL,
    deleted_at_s REAL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL DEFAULT '',
    reasoning_s REAL,
    model_name TEXT,
    end TEXT,
    error TEXT,
    seed INTEGER,
    num_prompt_tokens INTEGER,
    num_cached_tokens INTEGER,
    num_completion_tokens INTEGER,
    ttft_s REAL,
    tokens_per_s REAL,
    queue_s REAL,
    prefill_s REAL,
    decode_s REAL,
    preempted_s REAL,
    num_drafted_tokens INTEGER,
    num_accepted_tokens INTEGER,
    num_forgotten_turns INTEGER,
    num_forgotten_tokens INTEGER
);
INSERT INTO new_messages (
    id, chat_id, parent_id, created_at_s, role, text, model_name, end, error, num_prompt_tokens, num_cached_tokens,
    num_completion_tokens, ttft_s, tokens_per_s, queue_s, prefill_s, decode_s, preempted_s, num_forgotten_turns,
    num_forgotten_tokens
)
    SELECT messages.id, chat_id, LAG(messages.id) OVER (PARTITION BY chat_id ORDER BY position), chats.created_at_s,
        role, text, model_name, end, error, num_prompt_tokens, num_cached_tokens, num_completion_tokens, ttft_s,
        tokens_per_s, queue_s, prefill_s, decode_s, preempted_s, num_forgotten_turns, num_forgotten_tokens
    FROM messages JOIN chats ON chats.id = chat_id ORDER BY chats.created_at_s, chat_id, position;
DROP TABLE messages;
DROP TABLE chats;
ALTER TABLE new_chats RENAME TO chats;
ALTER TABLE new_messages RENAME TO messages;
CREATE INDEX chats_by_time ON chats (updated_at_s);
CREATE INDEX chats_of_folder ON chats (folder_id);
CREATE INDEX messages_of_chat ON messages (chat_id, number);
CREATE INDEX deleted_messages ON messages (chat_id) WHERE deleted_at_s IS NOT NULL;
CREATE INDEX unfinished_answers ON messages (id) WHERE role = 'assistant' AND end IS NULL;
ALTER TABLE tabs ADD COLUMN place_message_id TEXT;
ALTER TABLE tabs ADD COLUMN place_part REAL;
CREATE TABLE drafts (
    chat_id TEXT PRIMARY KEY REFERENCES chats(id) ON DELETE CASCADE,
    text TEXT NOT NULL
);
CREATE TABLE attachments (
    id TEXT PRIMARY KEY,
    message_id TEXT REFERENCES messages(id) ON DELETE CASCADE,
    draft_chat_id TEXT REFERENCES chats(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    num_tokens INTEGER,
    CHECK ((message_id IS NULL) <> (draft_chat_id IS NULL))
);
CREATE INDEX attachments_of_message ON attachments (message_id);
CREATE INDEX attachments_of_draft ON attachments (draft_chat_id);
CREATE TABLE presets (id TEXT PRIMARY KEY, name TEXT NOT NULL, system_prompt TEXT NOT NULL, parameters TEXT NOT NULL);
CREATE TABLE prompts (id TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);

CREATE VIRTUAL TABLE title_index USING fts5 (title, content='chats', content_rowid='number', tokenize='trigram');
CREATE TRIGGER title_added AFTER INSERT ON chats BEGIN
    INSERT INTO title_index (rowid, title) VALUES (new.number, new.title);
END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON chats WHEN old.title <> new.title BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.number, old.title);
    INSERT INTO title_index (rowid, title) VALUES (new.number, new.title);
END;
CREATE TRIGGER title_gone AFTER DELETE ON chats BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.number, old.title);
END;
INSERT INTO title_index (rowid, title) SELECT number, title FROM chats;

-- An answer is indexed when it has ended: while it grows it is written several times a second.
-- Two characters more make a three-character term begin at each character, the last too: so words of one or two
-- characters, as Chinese has them, are found as beginnings of terms.
CREATE VIEW indexed_texts AS
    SELECT number, text || char(10, 10) AS text FROM messages WHERE role = 'user' OR end IS NOT NULL;
CREATE VIRTUAL TABLE text_index USING fts5 (
    text, content='indexed_texts', content_rowid='number', tokenize='trigram'
);
CREATE TRIGGER text_added AFTER INSERT ON messages WHEN new.role = 'user' OR new.end IS NOT NULL BEGIN
    INSERT INTO text_index (rowid, text) VALUES (new.number, new.text || char(10, 10));
END;
CREATE TRIGGER text_ended AFTER UPDATE OF text, end ON messages
WHEN old.role <> 'user' AND old.end IS NULL AND new.end IS NOT NULL BEGIN
    INSERT INTO text_index (rowid, text) VALUES (new.number, new.text || char(10, 10));
END;
CREATE TRIGGER text_changed AFTER UPDATE OF text, end ON messages
WHEN (old.role = 'user' OR old.end IS NOT NULL AND new.end IS NOT NULL) AND old.text <> new.text BEGIN
    INSERT INTO text_index (text_index, rowid, text) VALUES ('delete', old.number, old.text || char(10, 10));
    INSERT INTO text_index (rowid, text) VALUES (new.number, new.text || char(10, 10));
END;
CREATE TRIGGER text_reopened AFTER UPDATE OF text, end ON messages
WHEN old.role <> 'user' AND old.end IS NOT NULL AND new.end IS NULL BEGIN
    INSERT INTO text_index (text_index, rowid, text) VALUES ('delete', old.number, old.text || char(10, 10));
END;
CREATE TRIGGER text_gone AFTER DELETE ON messages WHEN old.role = 'user' OR old.end IS NOT NULL BEGIN
    INSERT INTO text_index (text_index, rowid, text) VALUES ('delete', old.number, old.text || char(10, 10));
END;
INSERT INTO text_index (rowid, text) SELECT number, text FROM indexed_texts;
"""
_ERROR_CODES = "ALTER TABLE messages ADD COLUMN error_code TEXT;"
# Rebuilt, so that rows have numbers that stay. A draft's are not indexed, as its text is not; a text never changes.
_ATTACHMENTS_IN_SEARCH = """
CREATE TABLE new_attachments (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    message_id TEXT REFERENCES messages(id) ON DELETE CASCADE,
    draft_chat_id TEXT REFERENCES chats(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    num_tokens INTEGER,
    CHECK ((message_id IS NULL) <> (draft_chat_id IS NULL))
);
INSERT INTO new_attachments (id, message_id, draft_chat_id, position, name, text, num_tokens)
    SELECT id, message_id, draft_chat_id, position, name, text, num_tokens FROM attachments;
DROP TABLE attachments;
ALTER TABLE new_attachments RENAME TO attachments;
CREATE INDEX attachments_of_message ON attachments (message_id);
CREATE INDEX attachments_of_draft ON attachments (draft_chat_id);
CREATE VIEW indexed_attachments AS
    SELECT number, name, text || char(10, 10) AS text FROM attachments WHERE message_id IS NOT NULL;
CREATE VIRTUAL TABLE attachment_index USING fts5 (
    name, text, content='indexed_attachments', content_rowid='number', tokenize='trigram'
);
CREATE TRIGGER attachment_added AFTER INSERT ON attachments WHEN new.message_id IS NOT NULL BEGIN
    INSERT INTO attachment_index (rowid, name, text) VALUES (new.number, new.name, new.text || char(10, 10));
END;
CREATE TRIGGER attachment_sent AFTER UPDATE OF message_id ON attachments
WHEN old.message_id IS NULL AND new.message_id IS NOT NULL BEGIN
    INSERT INTO attachment_index (rowid, name, text) VALUES (new.number, new.name, new.text || char(10, 10));
END;
CREATE TRIGGER attachment_gone AFTER DELETE ON attachments WHEN old.message_id IS NOT NULL BEGIN
    INSERT INTO attachment_index (attachment_index, rowid, name, text)
        VALUES ('delete', old.number, old.name, old.text || char(10, 10));
END;
INSERT INTO attachment_index (rowid, name, text) SELECT number, name, text FROM indexed_attachments;
"""
STEPS = (_FIRST, _FULL_CHATS_AND_PHASES, _TREES_AND_SEARCH, _ERROR_CODES, _ATTACHMENTS_IN_SEARCH)
"""The step at index n leads from version n to n + 1. What was released is never changed, only followed."""
SCHEMA_VERSION = len(STEPS)


def schema_version(db: sqlite3.Connection) -> int:
    """0 for a new file."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def bring_up_to_date(db: sqlite3.Connection) -> None:
    """Takes the steps that are missing, each whole or not at all; a newer file is left alone.

    Foreign keys must be off: a table that is rebuilt is dropped while others refer to it.
    Raises sqlite3.Error; the file then stands at the last step that was taken.
    """
    for version in range(schema_version(db), SCHEMA_VERSION):
        db.executescript(f"BEGIN IMMEDIATE; {STEPS[version]} PRAGMA user_version = {version + 1}; COMMIT;")

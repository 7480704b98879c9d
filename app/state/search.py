"""Owns the search in titles, messages and what was attached to them, by any piece of text, in any script.

Does not know how what was found is shown. The index is made of terms of three characters; shorter pieces, as Chinese
words are, are looked up as beginnings of terms, or where too many terms begin so, in the newest texts themselves.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from app.state.database import Database

MAX_HITS = 200
"""Chats shown; of more, those that were used last."""
# Of a piece that is nearly everywhere, more would not be read and would take long.
_MAX_MESSAGES = 2000
_MAX_ATTACHMENTS = 300
"""Long texts, in which a piece is found less quickly."""
_MAX_TERMS = 20_000
_NUM_TERM_CHARACTERS = 3
_LAST_CHARACTER = "\U0010ffff"
_EXCERPT_BEFORE = 24
_EXCERPT_AFTER = 120
# Fences, headings, quotes and lists; then what makes words bold, italic or code.
_MARKS = re.compile(r"^\s*(?:```\w*|#{1,6}\s|>\s?|[-*+]\s)|\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", re.MULTILINE)
_TERMS = """
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_terms USING fts5vocab (main, text_index, instance);
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.attachment_terms USING fts5vocab (main, attachment_index, instance);
"""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A chat with the piece of text in its title, in messages, or in what was attached to them."""

    chat_id: str
    title: str
    message_id: str | None
    """The newest message that has it; None if only the title does."""
    excerpt: str
    """That message's text around its first place, on one line; if only an attachment has it, the attachment's."""
    num_messages: int


class Search:
    """Reads the file through connections of its own, so that it may be called on another thread than the window's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, text: str) -> list[SearchHit]:
        """The chats with this piece of text, in whatever case, the one that was used last first.

        Of one that is in thousands of messages, only the newest of these are looked at. Raises `HistoryError`.
        """
        with self._database.elsewhere() as db:
            return _find(db, text.strip())


def _find(db: sqlite3.Connection, text: str) -> list[SearchHit]:
    if not text:
        return []
    # A chat with a hit in its title alone has no message number; a message found by its own text, no attachment's.
    query = f"""
        WITH places (number, attachment) AS (
            SELECT number, NULL FROM ({_messages_query(db, text)})
            UNION ALL
            SELECT messages.number, attachments.number FROM ({_attachments_query(db, text)}) AS found
            JOIN attachments USING (number) JOIN messages ON messages.id = message_id
        ),
        found (number, attachment) AS (
            SELECT number, CASE count(*) WHEN count(attachment) THEN min(attachment) END FROM places GROUP BY number
        ),
        by_chat (chat_id, number, num_messages, attachment) AS (
            SELECT chat_id, max(number), count(*), attachment FROM found CROSS JOIN messages USING (number)
            WHERE deleted_at_s IS NULL GROUP BY chat_id
        )
        SELECT hits.id, title, messages.id, coalesce(messages.text, ''), attachments.name, attachments.text,
            num_messages, updated_at_s
        FROM (
            SELECT id, title, by_chat.number, attachment, coalesce(num_messages, 0) AS num_messages, updated_at_s
            FROM chats LEFT JOIN by_chat ON chat_id = id
            WHERE deleted_at_s IS NULL AND (chat_id IS NOT NULL OR {_title_condition(text)})
            ORDER BY updated_at_s DESC LIMIT {MAX_HITS}
        ) AS hits LEFT JOIN messages ON messages.number = hits.number
        LEFT JOIN attachments ON attachments.number = hits.attachment
    """
    values = {"text": text.lower(), "end": text.lower() + _LAST_CHARACTER, "phrase": _phrase(text)}
    # In one statement: between two, other threads of a busy program have their turn, and this one waits.
    rows = db.execute(query, values).fetchall()
    # Sorted here: SQLite would move the texts to and fro.
    rows.sort(key=lambda row: row[-1], reverse=True)
    return [
        SearchHit(
            chat_id,
            title,
            message_id,
            excerpt(message_text, text) if name is None else f"{name} · {excerpt(attached_text, text)}",
            num_messages,
        )
        for chat_id, title, message_id, message_text, name, attached_text, num_messages, _ in rows
    ]


def _messages_query(db: sqlite3.Connection, text: str) -> str:
    """The numbers of the newest messages with the text."""
    rows = "messages WHERE instr(lower(text), :text)"
    return _newest_query(db, text, "text_index", "text_terms", rows, _MAX_MESSAGES)


def _attachments_query(db: sqlite3.Connection, text: str) -> str:
    """The numbers of the newest attachments, of messages, with the text in them or in their names."""
    # The first condition spares most texts the second, which copies them.
    has_text = "(instr(text, :text) OR instr(lower(name || char(10) || text), :text))"
    rows = f"attachments WHERE message_id IS NOT NULL AND {has_text}"
    return _newest_query(db, text, "attachment_index", "attachment_terms", rows, _MAX_ATTACHMENTS)


def _newest_query(db: sqlite3.Connection, text: str, index: str, terms_table: str, rows: str, max_rows: int) -> str:
    """`rows` are those with the text where the terms do not tell: what to select from, and the condition."""
    newest = f"ORDER BY 1 DESC LIMIT {max_rows}"
    if len(text) >= _NUM_TERM_CHARACTERS:
        return f"SELECT * FROM (SELECT rowid AS number FROM {index} WHERE {index} MATCH :phrase {newest})"
    db.executescript(_TERMS)
    terms = f"FROM {terms_table} WHERE term >= :text AND term < :end"
    values = {"text": text.lower(), "end": text.lower() + _LAST_CHARACTER}
    (num_terms,) = db.execute(f"SELECT count(*) FROM (SELECT 1 {terms} LIMIT {_MAX_TERMS})", values).fetchone()
    if num_terms < _MAX_TERMS:
        return f"SELECT DISTINCT doc AS number {terms} {newest}"
    return f"SELECT * FROM (SELECT number FROM {rows} {newest})"


def _title_condition(text: str) -> str:
    if len(text) >= _NUM_TERM_CHARACTERS:
        return "chats.number IN (SELECT rowid FROM title_index WHERE title_index MATCH :phrase)"
    return "instr(lower(title), :text)"


def _phrase(text: str) -> str:
    """In the index's language, in which between quotation marks nothing else has a meaning."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def excerpt(text: str, piece: str) -> str:
    """The text around the piece's first place, on one line, from a word's beginning on and without Markdown's marks."""
    place = re.search(re.escape(piece), text, re.IGNORECASE)
    start = 0 if place is None else max(0, place.start() - _EXCERPT_BEFORE)
    if place is not None and start and not text[start - 1].isspace():
        # Scripts without blanks between words have none to look for.
        blank = re.search(r"\s", text[start : place.start()])
        start += 0 if blank is None else blank.end()
    end = (start if place is None else place.end()) + _EXCERPT_AFTER
    words = " ".join(text[start:end].split())
    plain = " ".join(_MARKS.sub("", text[start:end]).split())
    # A mark that was searched for stays.
    words = plain if piece.casefold() in plain.casefold() else words
    return f"{'…' if start else ''}{words}{'…' if end < len(text) else ''}"

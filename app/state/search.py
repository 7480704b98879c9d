"""Owns the search in titles, messages and what was attached to them, by any pieces of text, in any script.

Does not know how what was found is shown. The index is made of terms of three characters; shorter pieces, as Chinese
words are, are looked up as beginnings of terms, or where too many terms begin so, in the newest texts themselves.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from app.state.database import Database
from app.state.search_words import pattern_of, words_of

MAX_HITS = 200
"""Chats shown; of more, those that were used last."""
# Of a piece that is nearly everywhere, more would not be read and would take long.
_MAX_MESSAGES = 2000
_MAX_ATTACHMENTS = 300
"""Long texts, in which a piece is found less quickly."""
_MAX_TERMS = 20_000
_MAX_CANDIDATES = 5000
"""Texts found by their terms that are read for a short word beside it."""
_MAX_PLACES = 100
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
    """A chat with all that was searched in its title, in messages, or in what was attached to them."""

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
        """The chats with all these words in one title, message or attachment, in any order and case; last used first.

        What stands in quotation marks is one word. Of words that are in thousands of messages, only the newest of these
        are looked at. Raises `HistoryError`.
        """
        with self._database.elsewhere() as db:
            return _find(db, words_of(text))


@dataclass(frozen=True, slots=True)
class _Words:
    """What is searched: the long words by the index's terms, short ones in the texts, each by a value of its own."""

    long: tuple[str, ...]
    short: tuple[str, ...]

    @property
    def values(self) -> dict[str, str]:
        values = {"phrases": " AND ".join(map(_phrase, self.long))}
        for number, word in enumerate(self.short):
            values |= {f"text{number}": word.lower(), f"end{number}": word.lower() + _LAST_CHARACTER}
        return values


def _find(db: sqlite3.Connection, searched: tuple[str, ...]) -> list[SearchHit]:
    if not searched:
        return []
    words = _Words(
        tuple(word for word in searched if len(word) >= _NUM_TERM_CHARACTERS),
        tuple(word for word in searched if len(word) < _NUM_TERM_CHARACTERS),
    )
    # A chat with a hit in its title alone has no message number; a message found by its own text, no attachment's.
    query = f"""
        WITH places (number, attachment) AS (
            SELECT number, NULL FROM ({_messages_query(db, words)})
            UNION ALL
            SELECT messages.number, attachments.number FROM ({_attachments_query(db, words)}) AS found
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
            WHERE deleted_at_s IS NULL AND (chat_id IS NOT NULL OR {_title_condition(words)})
            ORDER BY updated_at_s DESC LIMIT {MAX_HITS}
        ) AS hits LEFT JOIN messages ON messages.number = hits.number
        LEFT JOIN attachments ON attachments.number = hits.attachment
    """
    # In one statement: between two, other threads of a busy program have their turn, and this one waits.
    rows = db.execute(query, words.values).fetchall()
    # Sorted here: SQLite would move the texts to and fro.
    rows.sort(key=lambda row: row[-1], reverse=True)
    return [
        SearchHit(
            chat_id,
            title,
            message_id,
            excerpt(message_text, searched) if name is None else f"{name} · {excerpt(attached_text, searched)}",
            num_messages,
        )
        for chat_id, title, message_id, message_text, name, attached_text, num_messages, _ in rows
    ]


def _messages_query(db: sqlite3.Connection, words: _Words) -> str:
    """The numbers of the newest messages with all the words."""
    return _newest_query(db, words, "messages", "text", lambda value: f"instr(lower(text), {value})", _MAX_MESSAGES)


def _attachments_query(db: sqlite3.Connection, words: _Words) -> str:
    """The numbers of the newest attachments, of messages, with all the words in them or in their names."""

    # The first condition spares most texts the second, which copies them.
    def has(value: str) -> str:
        return f"(instr(text, {value}) OR instr(lower(name || char(10) || text), {value}))"

    return _newest_query(db, words, "attachments", "attachment", has, _MAX_ATTACHMENTS)


def _newest_query(
    db: sqlite3.Connection, words: _Words, table: str, index: str, has: Callable[[str], str], max_rows: int
) -> str:
    """`has` gives the condition that a row of the table has a word, where the terms do not tell."""
    newest = f"ORDER BY 1 DESC LIMIT {max_rows}"
    if words.short:
        db.executescript(_TERMS)
    by_terms, by_texts = [], []
    if words.long:
        by_terms.append(f"SELECT rowid AS number FROM {index}_index WHERE {index}_index MATCH :phrases")
    for number in range(len(words.short)):
        terms = f"FROM {index}_terms WHERE term >= :text{number} AND term < :end{number}"
        (num_terms,) = db.execute(
            f"SELECT count(*) FROM (SELECT 1 {terms} LIMIT {_MAX_TERMS})", words.values
        ).fetchone()
        if num_terms < _MAX_TERMS:
            by_terms.append(f"SELECT DISTINCT doc AS number {terms}")
        else:
            by_texts.append(has(f":text{number}"))
    if not by_texts:
        return f"SELECT number FROM ({' INTERSECT '.join(by_terms)} {newest})"
    conditions = " AND ".join(by_texts)
    if by_terms:
        candidates = f"SELECT number FROM ({' INTERSECT '.join(by_terms)} ORDER BY 1 DESC LIMIT {_MAX_CANDIDATES})"
        return f"SELECT number FROM ({candidates}) CROSS JOIN {table} USING (number) WHERE {conditions} {newest}"
    is_sent = " AND message_id IS NOT NULL" if table == "attachments" else ""
    return f"SELECT number FROM (SELECT number FROM {table} WHERE {conditions}{is_sent} {newest})"


def _title_condition(words: _Words) -> str:
    conditions = [f"instr(lower(title), :text{number})" for number in range(len(words.short))]
    if words.long:
        conditions.append("chats.number IN (SELECT rowid FROM title_index WHERE title_index MATCH :phrases)")
    return f"({' AND '.join(conditions)})"


def _phrase(text: str) -> str:
    """In the index's language, in which between quotation marks nothing else has a meaning."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def excerpt(text: str, words: tuple[str, ...]) -> str:
    """The text where most of the words stand, on one line, from a word's beginning on and without Markdown's marks."""
    place = _fullest_place(text, words)
    start = 0 if place is None else max(0, place.start() - _EXCERPT_BEFORE)
    if place is not None and start and not text[start - 1].isspace():
        # Scripts without blanks between words have none to look for.
        blank = re.search(r"\s", text[start : place.start()])
        start += 0 if blank is None else blank.end()
    end = (start if place is None else place.end()) + _EXCERPT_AFTER
    shown = " ".join(text[start:end].split())
    plain = " ".join(_MARKS.sub("", text[start:end]).split())
    # A mark that was searched for stays.
    shown = plain if _has(plain, words) == _has(shown, words) else shown
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _fullest_place(text: str, words: tuple[str, ...]) -> re.Match[str] | None:
    """The first of the places after which most of the words stand in what an excerpt shows."""
    places = islice(pattern_of(words).finditer(text), _MAX_PLACES if len(words) > 1 else 1)
    return max(places, key=lambda place: _has(text[place.start() : place.end() + _EXCERPT_AFTER], words), default=None)


def _has(text: str, words: tuple[str, ...]) -> int:
    """How many of the words the text has."""
    return sum(word.casefold() in text.casefold() for word in words)

"""Owns the search in titles and messages, by any piece of text, in any script.

Does not know how what was found is shown. The index is made of terms of three characters, so pieces shorter than that
are looked up as beginnings of terms.
"""

from __future__ import annotations

import sqlite3

_NUM_TERM_CHARACTERS = 3
_LAST_CHARACTER = "\U0010ffff"
_TERMS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_terms USING fts5vocab (main, text_index, instance)"


def chats_with(db: sqlite3.Connection, text: str) -> set[str]:
    """The ids of the chats of which the title or a message that is not deleted contains `text`, in whatever case."""
    if len(text) >= _NUM_TERM_CHARACTERS:
        titles = "SELECT rowid FROM title_index WHERE title_index MATCH ?1"
        messages = "SELECT rowid FROM text_index WHERE text_index MATCH ?1"
        values: tuple[str, ...] = (_quoted(text),)
    else:
        db.execute(_TERMS)
        titles = "SELECT number FROM chats WHERE instr(lower(title), ?1)"
        messages = "SELECT doc FROM text_terms WHERE term >= ?1 AND term < ?2"
        values = (text.lower(), text.lower() + _LAST_CHARACTER)
    query = f"""
        SELECT id FROM chats WHERE number IN ({titles})
        UNION SELECT chat_id FROM messages WHERE number IN ({messages}) AND deleted_at_s IS NULL
    """
    return {chat_id for (chat_id,) in db.execute(query, values)}


def _quoted(text: str) -> str:
    """As a phrase in the index's language, in which nothing but the quotation mark has a meaning."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'

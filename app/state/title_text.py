"""Owns what a title takes of a text that was written in Markdown: the words, without the marks around them.

Does not know what has titles; a whole text is read by the chat's own parser.
"""

from __future__ import annotations

import re

_MARKS = (
    # A fence with its language, and what begins a line: headings, quotations, items.
    (re.compile(r"(?:```+|~~~+)[\w+-]*"), " "),
    (re.compile(r"^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\]]+)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
    # Two stars or tildes around words; one star only where it does not multiply.
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
)
MAX_READ_CHARACTERS = 1_000


def without_marks(text: str) -> str:
    """The beginning of the text without its marks; all of it where nothing else would be left."""
    plain = text[:MAX_READ_CHARACTERS]
    for mark, words in _MARKS:
        plain = mark.sub(words, plain)
    return plain if plain.strip() else text

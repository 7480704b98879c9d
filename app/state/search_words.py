"""Owns how the text in a search field is taken: its words one by one, and what stands in "quotation marks" whole.

Does not know where they are looked for.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r'["“”]([^"“”]*)["“”]|(\S+)')


def words_of(searched: str) -> tuple[str, ...]:
    """Each once, in whatever case; a mark that has no partner, or nothing before it, is text. Empty for blanks."""
    found = (match[1] if match[1] is not None else match[2] for match in _PIECE.finditer(searched))
    once = {word.casefold(): word for piece in found if (word := piece.strip())}
    return tuple(once.values()) or ((searched.strip(),) if searched.strip() else ())


def pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Any of these, in whatever case; of two that begin together the longer one."""
    assert words, "no words"
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE)

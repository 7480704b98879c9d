"""Owns whether a text has fallen into a loop: its end is the same piece again and again.

Does not know who writes the text, nor what is done about it.
"""

from __future__ import annotations

import math

MAX_TAIL_CHARACTERS = 8_000
"""Of a text are looked at, so the longest piece that is found has a quarter of that."""
_MIN_PIECE_CHARACTERS = 20
_MIN_TIMES, _MIN_CHARACTERS = 4, 200
# Rows of zeros, rules and equal lines of code are nothing odd: those must go on for longer.
_MIN_BARE_TIMES, _MIN_BARE_CHARACTERS = 16, 1_200
_MIN_LETTERS_PART = 1 / 3
_FENCES = ("```", "~~~")


def repeats_itself(text: str) -> bool:
    """Whether the text ends in the same piece of at least 20 characters, four times or more and 200 characters long;
    in code, in tables and of pieces with few letters sixteen times or more, and 1,200 characters long.
    """
    tail = text[-MAX_TAIL_CHARACTERS:]
    end = len(tail)
    probe = tail[-_MIN_PIECE_CHARACTERS:]
    is_code = any(text.count(fence) % 2 for fence in _FENCES)
    place = tail.rfind(probe, 0, end - 1) if probe else -1
    while place >= 0:
        # Where the end stands once more, the text may have that distance as its period.
        period = end - len(probe) - place
        if _MIN_TIMES * period > end:
            return False
        if _has_period(tail, period, is_code):
            return True
        place = tail.rfind(probe, 0, place + len(probe) - 1)
    return False


def _has_period(tail: str, period: int, is_code: bool) -> bool:
    # A shorter one is part of a piece that is long enough.
    num_piece = period * math.ceil(_MIN_PIECE_CHARACTERS / period)
    # Most places fail here; counting letters takes longer.
    if not _is_periodic(tail, period, max(_MIN_TIMES * num_piece, _MIN_CHARACTERS)):
        return False
    is_odd = not is_code and not _is_bare(tail[-num_piece:])
    return is_odd or _is_periodic(tail, period, max(_MIN_BARE_TIMES * num_piece, _MIN_BARE_CHARACTERS))


def _is_periodic(tail: str, period: int, num_repeated: int) -> bool:
    """Whether the last `num_repeated` characters are."""
    begin = len(tail) - num_repeated
    return begin >= 0 and tail[begin:-period] == tail[begin + period :]


def _is_bare(piece: str) -> bool:
    """Whether it is a row of a table, or has few letters."""
    num_letters = sum(character.isalpha() for character in piece)
    return num_letters < len(piece) * _MIN_LETTERS_PART or any(line.lstrip()[:1] == "|" for line in piece.split("\n"))

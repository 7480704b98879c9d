"""Owns where in the list of chats a dragged chat may be dropped, and which rows that place takes in.

Does not know how the place is shown, nor what becomes of the chat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.history.chat_rows import Row, RowKind
from app.i18n import translate


@dataclass(frozen=True, slots=True)
class DropPlace:
    """A folder with what lies in it, or (None) all that stands below the folders, the space under the rows too."""

    folder_id: str | None
    first: int
    """Its first row, counted from the list's top."""
    last: int | None
    """Its last row; None for all the rest."""


def drop_place(rows: Sequence[Row], number: int | None) -> DropPlace | None:
    """The place to which this row belongs, None being the space below them all. Pinned chats are in no such place."""
    folders = [n for n, row in enumerate(rows) if row.kind is RowKind.FOLDER]
    rest = _group_end(rows, folders[-1]) if folders else 0
    if number is None or number >= rest:
        is_rest = number is None or rows[number].kind in (RowKind.HEADING, RowKind.CHAT)
        return DropPlace(None, rest, None) if is_rest and not _is_pinned(rows, number) else None
    folder = max((n for n in folders if n <= number), default=None)
    return None if folder is None else DropPlace(rows[folder].key, folder, _group_end(rows, folder) - 1)


def _group_end(rows: Sequence[Row], start: int) -> int:
    return next((n for n in range(start + 1, len(rows)) if rows[n].kind is not RowKind.CHAT), len(rows))


def _is_pinned(rows: Sequence[Row], number: int | None) -> bool:
    return number is not None and (rows[number].is_pinned or rows[number].key == translate("app", "Pinned"))

"""Owns what becomes of the rows of the list of chats when one chat changes: it alone moves, thousands stay.

Does not know why a chat changed, nor how rows are drawn.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from app.history.chat_rows import Days, Row, RowKind, chat_row, heading
from app.i18n import translate
from app.state.history import ChatSummary


def rows_after_change(
    rows: Sequence[Row], before: ChatSummary | None, after: ChatSummary | None, today: date
) -> list[Row]:
    """The rows of the same day after one chat became another: those that `chat_rows` would make of all.

    None before is a new chat, None after one that is gone.
    """
    result = list(rows)
    if before is not None:
        _take_out(result, before)
    if after is not None:
        _put_in(result, after, today)
    return result


def _take_out(rows: list[Row], chat: ChatSummary) -> None:
    at = next((n for n, row in enumerate(rows) if row.key == chat.id and row.kind is RowKind.CHAT), None)
    if at is not None:
        del rows[at]
        if at and rows[at - 1].kind is RowKind.HEADING and (at == len(rows) or rows[at].kind is RowKind.HEADING):
            del rows[at - 1]
    # A collapsed folder does not show which chats are in it, but how many.
    _count_in_folder(rows, chat, -1)


def _put_in(rows: list[Row], chat: ChatSummary, today: date) -> None:
    folder = _count_in_folder(rows, chat, 1)
    if folder is not None and rows[folder].is_collapsed:
        return
    start = 1 + (folder if folder is not None else _heading_above(rows, chat, today))
    end = next((n for n in range(start, len(rows)) if rows[n].kind is not RowKind.CHAT), len(rows))
    newest_first = bisect_left(rows, -chat.updated_at_s, start, end, key=lambda row: -row.used_at_s)
    rows.insert(newest_first, chat_row(chat))


def _count_in_folder(rows: list[Row], chat: ChatSummary, change: int) -> int | None:
    """Where the row of the folder stands that shows the chat; None if none does."""
    if chat.is_pinned or chat.folder_id is None:
        return None
    at = next((n for n, row in enumerate(rows) if row.key == chat.folder_id and row.kind is RowKind.FOLDER), None)
    if at is not None:
        rows[at] = replace(rows[at], num_chats=rows[at].num_chats + change)
    return at


def _heading_above(rows: list[Row], chat: ChatSummary, today: date) -> int:
    """Where the heading of the chat's group stands; it is put in if there is none."""
    days = Days(today)
    pinned = translate("app", "Pinned")
    order = {name: place for place, name in enumerate((pinned, translate("app", "Folders"), *days.names))}
    own = heading(pinned if chat.is_pinned else days.name(chat.updated_at_s))
    headings = ((n, row) for n, row in enumerate(rows) if row.kind is RowKind.HEADING)
    at = next((n for n, row in headings if order[row.key] >= order[own.key]), len(rows))
    if at == len(rows) or rows[at] != own:
        rows.insert(at, own)
    return at

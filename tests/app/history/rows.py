"""What tests see of a list of chats, and where they click."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt

from app.history.chat_list import ChatList


def texts(chats: ChatList) -> list[str]:
    return [row.text for row in chats.rows.rows]


def selected(chats: ChatList) -> list[str]:
    return [index.data() for index in chats.selectedIndexes()]


def place_of(chats: ChatList, text: str) -> QPoint:
    """The middle of the row, on the viewport."""
    return chats.visualRect(chats.rows.index(texts(chats).index(text))).center()


def tool_tip(chats: ChatList, text: str) -> str:
    return str(chats.rows.index(texts(chats).index(text)).data(Qt.ItemDataRole.ToolTipRole))

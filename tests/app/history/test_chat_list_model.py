"""What the rows of the list of chats give to the view that paints them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.history.chat_list_model import ChatListModel
from app.history.chat_rows import Row, RowKind


def test_icons_of_rows_are_not_drawn_again_for_each_painting(qapp: QGuiApplication) -> None:
    model = ChatListModel()
    model.show(Row(RowKind.CHAT, key, key) for key in ("idle", "idle too", "busy"))
    model.show_busy(frozenset({"busy"}))
    once, again = ([model.index(n).data(Qt.ItemDataRole.DecorationRole).cacheKey() for n in range(3)] for _ in range(2))
    assert once == again
    assert once[0] == once[1] != once[2]

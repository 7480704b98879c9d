"""Owns the rows of the list of chats as Qt's views want them: texts, icons, what may be renamed and where to drop.

Does not know where the rows come from; what a person does to them is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import (
    QByteArray,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon, QPainter, QPixmap

from app.history.chat_rows import Row, RowKind
from app.i18n import translate
from app.theme import Theme, current_theme, icon_size_px
from app.widgets.icons import drawn_once, icon
from app.widgets.owner_mark import paint_chip

ROW_ROLE = Qt.ItemDataRole.UserRole
CHAT_MIME_TYPE = "application/x-deepinfer-chat"
_Index = QModelIndex | QPersistentModelIndex
_NAMED = (RowKind.CHAT, RowKind.FOLDER)


class ChatListModel(QStringListModel):
    """Qt's own list of strings counts the rows: a view of thousands asks for their number once for each of them."""

    renamed = Signal(object, str)
    """A row, and the text that was typed for it."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._busy_ids: frozenset[str] = frozenset()
        self.color_index: Callable[[str], int] = lambda _: 0
        """Of a chat that is answering, by its id: the mark has the colour of its tab and of its blocks."""

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    def show(self, rows: Iterable[Row]) -> bool:
        """Puts these in the place of the former rows; False if they are the same."""
        rows = list(rows)
        if rows == self._rows:
            return False
        self._rows = rows
        self.setStringList([row.text for row in rows])
        return True

    def show_busy(self, chat_ids: frozenset[str]) -> None:
        """Marks the chats that are answering."""
        changed = self._busy_ids ^ chat_ids
        self._busy_ids = chat_ids
        for number, row in enumerate(self._rows):
            if row.key in changed:
                self.dataChanged.emit(self.index(number), self.index(number))

    def number_of(self, key: str | None, kinds: Sequence[RowKind] = tuple(RowKind)) -> int | None:
        """Where the row of this chat or folder stands."""
        return next((n for n, row in enumerate(self._rows) if row.key == key and row.kind in kinds), None)

    def row_at(self, index: _Index) -> Row | None:
        return self._rows[index.row()] if index.isValid() else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.text
            case Qt.ItemDataRole.DecorationRole:
                return self._icon(row)
            case Qt.ItemDataRole.ToolTipRole:
                return self._words(row) if row.kind is not RowKind.HEADING else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._words(row)
            case Qt.ItemDataRole.ForegroundRole if row.kind is RowKind.HEADING:
                return current_theme().color("muted")
            case _:
                return row if role == ROW_ROLE else None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        row = self._rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or value == row.text:
            return False
        self.renamed.emit(row, value)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        row = self.row_at(index)
        if row is None or row.kind is RowKind.HEADING:
            return Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if row.kind in _NAMED:
            flags |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled
        if row.kind is RowKind.CHAT:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:  # noqa: N802
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:  # noqa: N802
        return [CHAT_MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:  # noqa: N802
        data = QMimeData()
        data.setData(CHAT_MIME_TYPE, QByteArray(self._rows[indexes[0].row()].key.encode()))
        return data

    def _icon(self, row: Row) -> QIcon | None:
        if row.kind is RowKind.FOLDER:
            return icon("chevron-right" if row.is_collapsed else "chevron-down", "muted")
        if row.kind is not RowKind.CHAT:
            return None
        if row.key in self._busy_ids:
            theme, index, edge_px = current_theme(), self.color_index(row.key), icon_size_px()
            key = ("dot", theme.name, index % (4 * len(theme.owners)), edge_px)
            return drawn_once(key, lambda: _dot(theme, index, edge_px))
        if row.is_pinned:
            return icon("pin", "muted")
        edge_px = icon_size_px()
        return drawn_once(("blank", edge_px), lambda: _no_icon(edge_px))

    def _words(self, row: Row) -> str:
        if row.kind is RowKind.FOLDER:
            state = translate("app", "collapsed") if row.is_collapsed else translate("app", "open")
            chats = translate("app", "%n chat(s)", None, row.num_chats)
            return translate("app", "Folder {name}, {chats}, {state}").format(name=row.text, chats=chats, state=state)
        if row.key in self._busy_ids:
            return translate("app", "{title} · answering").format(title=row.text)
        return f"{row.text} · {row.detail}" if row.detail else row.text


def dragged_chat(data: QMimeData) -> str | None:
    """The id of the chat that this was made of; None if it is something else."""
    return data.data(CHAT_MIME_TYPE).toStdString() if data.hasFormat(CHAT_MIME_TYPE) else None


def _dot(theme: Theme, owner_index: int, edge_px: int) -> QIcon:
    """Of an owner's colour, with an outline: on the row that is chosen too it is to be seen."""
    pixmap = QPixmap(2 * edge_px, 2 * edge_px)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rect = QRectF(edge_px / 4, edge_px / 4, edge_px / 2, edge_px / 2)
    paint_chip(painter, rect, edge_px / 4, theme, owner_index, theme.color("text"))
    painter.end()
    dot = QIcon(pixmap)
    # Else the style would mix the colour with that of the row.
    dot.addPixmap(pixmap, QIcon.Mode.Selected)
    return dot


def _no_icon(edge_px: int) -> QIcon:
    """As wide as the others, so that titles do not move when a chat begins to answer."""
    blank = QPixmap(edge_px, edge_px)
    blank.fill(Qt.GlobalColor.transparent)
    return QIcon(blank)

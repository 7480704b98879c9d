"""Owns the view of the list of chats: choosing, renaming in place, dragging, and its keys.

Does not know the history; what a person asks for is emitted with the row it was asked of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QDrag,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.history.chat_list_model import ChatListModel, dragged_chat
from app.history.chat_rows import Row, RowKind
from app.history.drop_place import DropPlace, drop_place
from app.history.row_delegate import RowDelegate
from app.theme import current_theme, icon_size_px, theme_signals

_CHATS = (RowKind.CHAT, RowKind.HIT, RowKind.DELETED)
_DRAG_OFFSET_PX = 16
_DROP_LINE_PX = 2
_DROP_RADIUS_PX = 4


class ChatList(QListView):
    """Draws only the rows in view, however many there are. Renames by F2 or double click."""

    chosen = Signal(object)
    """The row that was clicked, or on which Enter was pressed."""
    delete_pressed = Signal(object)
    menu_requested = Signal(object, QPoint)
    """The row, or None beside them; the place on the screen."""
    folder_toggled = Signal(str, bool)
    """A folder's id, and whether it is to be collapsed."""
    moved = Signal(str, object)
    """A chat's id, and the folder (or None) into which it was dropped."""
    editing_ended = Signal()

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self.rows = ChatListModel()
        self.setModel(self.rows)
        self.delegate = RowDelegate(self)
        self.setItemDelegate(self.delegate)
        self._current: str | None = None
        self._waiting: list[Row] | None = None
        self._drop_place: DropPlace | None = None
        """Where the chat would go that is being dragged."""
        self.setAccessibleName(accessible_name)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        # Qt's own sign is a line between two rows, and the order of chats is not the person's.
        self.setDropIndicatorShown(False)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.clicked.connect(self._on_chosen)
        self.customContextMenuRequested.connect(self._on_menu)
        # The view has taken its editor away by then: its own slot was connected before.
        self.delegate.closeEditor.connect(self._on_editor_closed)
        theme_signals().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @property
    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    @property
    def newest_rows(self) -> Sequence[Row]:
        """Those that are shown, or wait to be."""
        return self.rows.rows if self._waiting is None else self._waiting

    def current_row(self) -> Row | None:
        return self.rows.row_at(self.currentIndex())

    def show_rows(self, rows: Iterable[Row]) -> None:
        """Shows these; the row that was chosen stays so, and the view where it was scrolled to.

        While a title is being edited they wait: the editor would go with what has been typed.
        """
        rows = list(rows)
        if self.is_editing:
            self._waiting = rows
            return
        chosen = self.current_row()
        top = self.verticalScrollBar().value()
        if not self.rows.show(rows):
            return
        kept = self.rows.number_of(chosen.key, (chosen.kind,)) if chosen is not None else None
        self._go_to(self.rows.number_of(self._current, _CHATS) if kept is None else kept)
        # Making a row the current one brings it into view, where the person may not be looking.
        self.doItemsLayout()
        self.verticalScrollBar().setValue(top)

    def select(self, chat_id: str | None) -> None:
        """Marks the chat of the current tab."""
        self._current = chat_id
        self.show_current()

    def select_first(self) -> None:
        """Marks the first chat or folder, unless a row is marked already that the list has."""
        if not self.currentIndex().isValid():
            kinds = (row.kind for row in self.rows.rows)
            self._go_to(next((number for number, kind in enumerate(kinds) if kind is not RowKind.HEADING), None))

    def show_current(self) -> None:
        """Marks the chat of the current tab again, after another row was touched."""
        self._go_to(self.rows.number_of(self._current, _CHATS))

    def startDrag(self, supported_actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's name
        index = self.currentIndex()
        if not index.flags() & Qt.ItemFlag.ItemIsDragEnabled:
            return
        drag = QDrag(self)
        drag.setMimeData(self.rows.mimeData([index]))
        drag.setPixmap(self.viewport().grab(self.visualRect(index)))
        # Beside the pointer, not where Qt would have it: over the row that is framed.
        drag.setHotSpot(QPoint(-_DRAG_OFFSET_PX, -_DRAG_OFFSET_PX))
        drag.exec(supported_actions)
        # What was dragged is not opened by it.
        self.show_current()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        # Scrolls near the edges.
        super().dragMoveEvent(event)
        self._show_drop(self._place_of_drop(event))
        if self._drop_place is None:
            event.ignore()
        else:
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._show_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Not Qt's: it takes a drop between two rows for another order of its list, and tells nobody."""
        place = self._place_of_drop(event)
        # Ends the scrolling, and the state of being dragged over.
        self.dragLeaveEvent(QDragLeaveEvent())
        if place is None:
            event.ignore()
            return
        event.acceptProposedAction()
        self.moved.emit(dragged_chat(event.mimeData()), place.folder_id)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop_place is not None:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().color("accent"), _DROP_LINE_PX))
            inset_px = _DROP_LINE_PX / 2
            area = QRectF(self.drop_area()).adjusted(inset_px, inset_px, -inset_px, -inset_px)
            painter.drawRoundedRect(area, _DROP_RADIUS_PX, _DROP_RADIUS_PX)
            painter.end()

    def drop_area(self) -> QRect:
        """What is framed while a chat is dragged, on the viewport: where it would go. Empty if it can't go there."""
        place = self._drop_place
        if place is None:
            return QRect()
        view = self.viewport().rect()
        num_rows = len(self.rows.rows)
        first = self.visualRect(self.rows.index(place.first)) if place.first < num_rows else None
        above = self.visualRect(self.rows.index(num_rows - 1))
        top = first.top() if first is not None else above.bottom() + 1
        bottom = view.bottom() if place.last is None else self.visualRect(self.rows.index(place.last)).bottom()
        return QRect(view.left(), top, view.width(), bottom - top + 1)

    def _place_of_drop(self, event: QDropEvent) -> DropPlace | None:
        """None too where the chat lies already."""
        chat_id = dragged_chat(event.mimeData())
        number = self.rows.number_of(chat_id, (RowKind.CHAT,)) if chat_id is not None else None
        if number is None:
            return None
        below = self.indexAt(event.position().toPoint())
        place = drop_place(self.rows.rows, below.row() if below.isValid() else None)
        is_there = place is not None and place.folder_id == self.rows.rows[number].folder_id
        return None if is_there else place

    def _show_drop(self, place: DropPlace | None) -> None:
        if place != self._drop_place:
            self._drop_place = place
            self.viewport().update()

    def edit_row(self, key: str) -> None:
        """Opens the editor of a chat's title or a folder's name."""
        number = self.rows.number_of(key)
        if number is not None:
            self.setCurrentIndex(self.rows.index(number))
            self.edit(self.rows.index(number))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # The menu names its chat itself; the mark stays on the current one.
        if event.button() != Qt.MouseButton.RightButton:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        # What ends the editor passes through here too.
        if row is None or self.is_editing:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit(row)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_chosen(self.currentIndex())
        elif row.kind is RowKind.FOLDER and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.folder_toggled.emit(row.key, event.key() == Qt.Key.Key_Left)
        elif event.key() == Qt.Key.Key_Menu:
            self.menu_requested.emit(row, self._place(self.visualRect(self.currentIndex()).center()))
        else:
            super().keyPressEvent(event)

    def _go_to(self, number: int | None) -> None:
        self.setCurrentIndex(QModelIndex() if number is None else self.rows.index(number))

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self.rows.row_at(index)
        if row is None or row.kind is RowKind.HEADING:
            return
        if row.kind is RowKind.FOLDER:
            self.folder_toggled.emit(row.key, not row.is_collapsed)
        else:
            self.chosen.emit(row)

    def _on_menu(self, position: QPoint) -> None:
        self.menu_requested.emit(self.rows.row_at(self.indexAt(position)), self._place(position))

    def _place(self, position: QPoint) -> QPoint:
        return self.viewport().mapToGlobal(position)

    def _on_editor_closed(self) -> None:
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self.show_rows(waiting)
        self.show_current()
        self.editing_ended.emit()

    def _on_theme_changed(self) -> None:
        self.setIconSize(QSize(icon_size_px(), icon_size_px()))
        self.doItemsLayout()

"""Owns the list of chats at the window's left, and the ways from there.

Does not know the history: it shows what it is given and emits what a person asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import groupby

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction, QFontMetrics, QIcon, QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.bridge.throttle import Throttle
from app.state.history import ChatSummary
from app.theme import current_theme, icon_size_px, theme_signals
from app.widgets.icons import icon, show_icon
from app.widgets.text_label import TextLabel

_SEARCH_INTERVAL_MS = 150
_MARGIN_PX = 8
_ROW_ROOM_PX = 10
_KEY_ROLE = Qt.ItemDataRole.UserRole
_ID_ROLE = Qt.ItemDataRole.UserRole + 1
_PINNED_ROLE = Qt.ItemDataRole.UserRole + 2
_ITEM_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


def group_name(summary: ChatSummary, today: date) -> str:
    """Under which heading a chat stands."""
    if summary.is_pinned:
        return "Pinned"
    day = date.fromtimestamp(summary.updated_at_s)
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    return "Last 7 days" if day > today - timedelta(days=7) else "Older"


class Sidebar(QWidget):
    """Search, new chat, the chats by day, models and settings."""

    chat_chosen = Signal(str)
    chat_renamed = Signal(str, str)
    chat_deleted = Signal(str)
    chat_pinned = Signal(str, bool)
    dialog_closed = Signal()
    """A question, a menu or an editor of the list is gone, and with it the focus."""
    search_changed = Signal(str)
    new_chat_requested = Signal()
    models_requested = Signal()
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._search_throttle = Throttle(
            _SEARCH_INTERVAL_MS, lambda: self.search_changed.emit(self.search_field.text()), self
        )
        self._summaries: list[ChatSummary] = []
        self._rows: dict[str, QListWidgetItem] = {}
        """By the chat's id, or by the heading's name."""
        self._current: str | None = None
        self._busy_ids: frozenset[str] = frozenset()
        self._build()
        theme_signals().theme_changed.connect(self._show_rows)

    def _build(self) -> None:
        self.search_field = QLineEdit()
        self.search_field.setPlaceholderText("Search")
        self.search_field.setAccessibleName("Search chats")
        self.search_field.setClearButtonEnabled(True)
        search_icon = QAction(self.search_field)
        show_icon(search_icon, "search", "muted")
        self.search_field.addAction(search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.search_field.textChanged.connect(lambda _: self._search_throttle.request())
        self.new_chat_button = QPushButton("New chat")
        self.new_chat_button.setToolTip("New chat (Ctrl+T)")
        show_icon(self.new_chat_button, "plus")
        self.new_chat_button.clicked.connect(self.new_chat_requested)
        self.list = _ChatList()
        self.list.itemClicked.connect(self._on_item_clicked)
        self.list.itemActivated.connect(self._on_item_clicked)
        self.list.itemChanged.connect(self._on_item_changed)
        self.list.delete_pressed.connect(self._on_delete_pressed)
        self.list.editing_ended.connect(self._on_editing_ended)
        self.list.customContextMenuRequested.connect(self._open_menu)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.setSpacing(_MARGIN_PX)
        column.addWidget(self.search_field)
        column.addWidget(self.new_chat_button)
        self._nothing_found = TextLabel("No chat has these words.", "muted")
        self._nothing_found.hide()
        column.addWidget(self._nothing_found)
        column.addWidget(self.list, 1)
        column.addWidget(self._entry("Models", "models", self.models_requested))
        column.addWidget(self._entry("Settings", "settings", self.settings_requested))

    def _entry(self, words: str, icon_name: str, signal: SignalInstance) -> QToolButton:
        entry = QToolButton()
        entry.setText(words)
        entry.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        show_icon(entry, icon_name)
        entry.clicked.connect(signal)
        return entry

    def show_chats(self, summaries: Iterable[ChatSummary]) -> None:
        """Shows these chats, newest first; rows that stay keep their place in view, their choice and their editor."""
        self._summaries = list(summaries)
        self._nothing_found.setVisible(not self._summaries and bool(self.search_field.text().strip()))
        self._show_rows()

    def show_busy(self, chat_ids: frozenset[str]) -> None:
        """Marks the chats that are answering."""
        self._busy_ids = chat_ids
        self._show_rows()

    def select(self, chat_id: str | None) -> None:
        """Marks the chat of the current tab."""
        self._current = chat_id
        item = self._rows.get(chat_id) if chat_id is not None else None
        if item is None:
            self.list.setCurrentRow(-1)
        else:
            self.list.setCurrentItem(item)

    def _show_rows(self) -> None:
        if self.list.is_editing:
            # Moving a row would take the editor away with what has been typed; `editing_ended` comes back here.
            return
        chosen = self.list.currentItem()
        chosen_key = None if chosen is None else chosen.data(_KEY_ROLE)
        top = self.list.verticalScrollBar().value()
        was_blocked = self.list.blockSignals(True)
        self._put_rows()
        self.list.setIconSize(QSize(icon_size_px(), icon_size_px()))
        kept = next((self._rows[key] for key in (chosen_key, self._current) if key in self._rows), None)
        if kept is None:
            self.list.setCurrentRow(-1)
        else:
            self.list.setCurrentItem(kept)
        # Making a row the current one brings it into view, where the person may not be looking.
        self.list.verticalScrollBar().setValue(top)
        self.list.blockSignals(was_blocked)

    def _put_rows(self) -> None:
        """Brings the rows in line with the summaries; only those that are new, gone or moved are touched."""
        today = date.today()
        by_group = sorted(self._summaries, key=lambda summary: not summary.is_pinned)
        wanted: dict[str, ChatSummary | None] = {}
        for name, group in groupby(by_group, key=lambda summary: group_name(summary, today)):
            wanted[name] = None
            wanted |= {summary.id: summary for summary in group}
        for gone in self._rows.keys() - wanted.keys():
            self.list.takeItem(self.list.row(self._rows.pop(gone)))
        for place, (key, summary) in enumerate(wanted.items()):
            item = self._put_row(place, key)
            if summary is None:
                item.setText(key)
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setForeground(current_theme().color("muted"))
            else:
                _fill(item, summary, summary.id in self._busy_ids)

    def _put_row(self, place: int, key: str) -> QListWidgetItem:
        """The row of a chat's id or a heading's name, made if need be, at its place."""
        item = self._rows.get(key)
        if item is None:
            item = self._rows[key] = QListWidgetItem()
            item.setData(_KEY_ROLE, key)
            self.list.insertItem(place, item)
        elif self.list.item(place).data(_KEY_ROLE) != key:
            self.list.takeItem(self.list.row(item))
            self.list.insertItem(place, item)
        return item

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        chat_id = item.data(_ID_ROLE)
        if chat_id is not None:
            self.chat_chosen.emit(chat_id)

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        chat_id = item.data(_ID_ROLE)
        if chat_id is not None:
            self.chat_renamed.emit(chat_id, item.text())

    def _on_editing_ended(self) -> None:
        self._show_rows()
        self.select(self._current)
        # Not if the editor was left for another field.
        if self.list.hasFocus():
            self.dialog_closed.emit()

    def _on_delete_pressed(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.data(_ID_ROLE) is not None:
            self.ask_to_delete(item.data(_ID_ROLE), item.text())

    def _open_menu(self, position: QPoint) -> None:
        item = self.list.itemAt(position)
        if item is None or item.data(_ID_ROLE) is None:
            return
        chat_id, is_pinned = item.data(_ID_ROLE), item.data(_PINNED_ROLE)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = item.text()
        # By id: the list may be another when an entry is chosen.
        menu.addAction("Rename", lambda: self._edit(chat_id))
        menu.addAction("Unpin" if is_pinned else "Pin", lambda: self.chat_pinned.emit(chat_id, not is_pinned))
        menu.addSeparator()
        menu.addAction("Delete…", lambda: self.ask_to_delete(chat_id, title))
        menu.popup(self.list.viewport().mapToGlobal(position))

    def _edit(self, chat_id: str) -> None:
        if (item := self._rows.get(chat_id)) is not None:
            self.list.editItem(item)

    def ask_to_delete(self, chat_id: str, title: str) -> QMessageBox:
        """Opens the question; the chat is deleted only after a yes."""
        question = QMessageBox(QMessageBox.Icon.Question, "Delete chat", f"Delete “{title}”?", parent=self)
        question.setInformativeText("Its messages cannot be brought back.")
        delete = question.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(QMessageBox.StandardButton.Cancel)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete.clicked.connect(lambda: self.chat_deleted.emit(chat_id))
        # Qt gives the focus back to where it was before; the reaction comes after that.
        question.finished.connect(lambda _: QTimer.singleShot(0, self, self.dialog_closed.emit))
        question.open()
        return question


def _fill(item: QListWidgetItem, summary: ChatSummary, is_busy: bool) -> None:
    item.setText(summary.title)
    words = f"{summary.title} · answering" if is_busy else summary.title
    item.setToolTip(words)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
    item.setFlags(_ITEM_FLAGS)
    item.setData(_ID_ROLE, summary.id)
    item.setData(_PINNED_ROLE, summary.is_pinned)
    if is_busy:
        item.setIcon(icon("dot", "accent"))
    else:
        item.setIcon(icon("pin", "muted") if summary.is_pinned else _no_icon())


def _no_icon() -> QIcon:
    """As wide as the others, so that titles do not move when a chat begins to answer."""
    blank = QPixmap(icon_size_px(), icon_size_px())
    blank.fill(Qt.GlobalColor.transparent)
    return QIcon(blank)


class _RowDelegate(QStyledItemDelegate):
    """Rows high enough for the editor of their title, which fills them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), QFontMetrics(option.font).height() + _ROW_ROOM_PX))

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        editor.setGeometry(option.rect)


class _ChatList(QListWidget):
    """Renames in place by F2 or double click."""

    delete_pressed = Signal()
    editing_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setEditTriggers(QListWidget.EditTrigger.EditKeyPressed | QListWidget.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName("Chats")
        self.setItemDelegate(_RowDelegate(self))
        # The view has taken its editor away by then: its own slot was connected before.
        self.itemDelegate().closeEditor.connect(lambda *_: self.editing_ended.emit())

    @property
    def is_editing(self) -> bool:
        return self.state() == QListWidget.State.EditingState

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # The menu names its chat itself; the mark stays on the current one.
        if event.button() != Qt.MouseButton.RightButton:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)

"""Owns the list of chats at the window's left, and the ways from there.

Does not know the history: it shows what it is given and emits what a person asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import groupby

from PySide6.QtCore import QPoint, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.bridge.throttle import Throttle
from app.state.history import ChatSummary
from app.theme import current_theme, icon_size_px, theme_signals
from app.widgets.icons import icon, show_icon

_SEARCH_INTERVAL_MS = 150
_MARGIN_PX = 8
_ID_ROLE = Qt.ItemDataRole.UserRole
_PINNED_ROLE = Qt.ItemDataRole.UserRole + 1
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
        self._current: str | None = None
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
        self.list.customContextMenuRequested.connect(self._open_menu)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.setSpacing(_MARGIN_PX)
        column.addWidget(self.search_field)
        column.addWidget(self.new_chat_button)
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
        """Shows these chats, newest first."""
        self._summaries = list(summaries)
        self._show_rows()

    def select(self, chat_id: str | None) -> None:
        """Marks the chat of the current tab."""
        self._current = chat_id
        for item in self._chat_items():
            if item.data(_ID_ROLE) == chat_id:
                self.list.setCurrentItem(item)
                return
        self.list.setCurrentRow(-1)

    def _show_rows(self) -> None:
        today = date.today()
        self.list.blockSignals(True)
        self.list.clear()
        by_group = sorted(self._summaries, key=lambda summary: not summary.is_pinned)
        for name, group in groupby(by_group, key=lambda summary: group_name(summary, today)):
            self.list.addItem(self._heading(name))
            for summary in group:
                self.list.addItem(self._row(summary))
        self.list.setIconSize(QSize(icon_size_px(), icon_size_px()))
        self.list.blockSignals(False)
        self.select(self._current)

    def _heading(self, name: str) -> QListWidgetItem:
        item = QListWidgetItem(name)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setForeground(current_theme().color("muted"))
        return item

    def _row(self, summary: ChatSummary) -> QListWidgetItem:
        item = QListWidgetItem(summary.title)
        item.setFlags(_ITEM_FLAGS)
        item.setData(_ID_ROLE, summary.id)
        item.setData(_PINNED_ROLE, summary.is_pinned)
        item.setToolTip(summary.title)
        if summary.is_pinned:
            item.setIcon(icon("pin", "muted"))
        return item

    def _chat_items(self) -> Iterator[QListWidgetItem]:
        for row in range(self.list.count()):
            item = self.list.item(row)
            if item.data(_ID_ROLE) is not None:
                yield item

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        chat_id = item.data(_ID_ROLE)
        if chat_id is not None:
            self.chat_chosen.emit(chat_id)

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        chat_id = item.data(_ID_ROLE)
        if chat_id is not None:
            self.chat_renamed.emit(chat_id, item.text())

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
        menu.addAction("Rename", lambda: self.list.editItem(item))
        menu.addAction("Unpin" if is_pinned else "Pin", lambda: self.chat_pinned.emit(chat_id, not is_pinned))
        menu.addSeparator()
        menu.addAction("Delete…", lambda: self.ask_to_delete(chat_id, item.text()))
        menu.popup(self.list.viewport().mapToGlobal(position))

    def ask_to_delete(self, chat_id: str, title: str) -> QMessageBox:
        """Opens the question; the chat is deleted only after a yes."""
        question = QMessageBox(QMessageBox.Icon.Question, "Delete chat", f"Delete “{title}”?", parent=self)
        question.setInformativeText("Its messages cannot be brought back.")
        delete = question.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(QMessageBox.StandardButton.Cancel)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete.clicked.connect(lambda: self.chat_deleted.emit(chat_id))
        question.open()
        return question


class _ChatList(QListWidget):
    """Renames in place by F2 or double click."""

    delete_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setEditTriggers(QListWidget.EditTrigger.EditKeyPressed | QListWidget.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName("Chats")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)

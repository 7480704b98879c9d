"""Owns the window's left side: search, new chat, the list of chats or the trash, and the ways from there.

Does not know the history: it shows what it is given and emits what a person asks for. What can be done beyond that is
added to its menus by those who do it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.bridge.throttle import Throttle
from app.history.chat_list import ChatList
from app.history.chat_rows import Row, RowKind, chat_rows, hit_rows
from app.history.row_changes import rows_after_change
from app.history.search_field import SearchField
from app.history.trash_panel import TrashPanel
from app.i18n import translate
from app.state.folders import Folder
from app.state.history import ChatSummary
from app.state.search import MAX_HITS, SearchHit
from app.state.search_words import words_of
from app.widgets.icons import show_icon
from app.widgets.menu_button import let_go_after_menu
from app.widgets.text_label import TextLabel
from app.widgets.undo_bar import UndoBar

_SEARCH_INTERVAL_MS = 120
_MARGIN_PX = 8


class Sidebar(QWidget):
    """Search, new chat, the chats by day and in folders, models and settings."""

    chat_chosen = Signal(str)
    hit_chosen = Signal(str, object)
    """A chat that was found, and the message (its id, or None) in which."""
    chat_renamed = Signal(str, str)
    chat_deleted = Signal(str)
    chat_pinned = Signal(str, bool)
    chat_moved = Signal(str, object)
    """A chat and the folder's id, or None."""
    folder_renamed = Signal(str, str)
    folder_removed = Signal(str)
    folder_toggled = Signal(str, bool)
    menu_opening = Signal(QMenu, object)
    """The menu of a chat's or folder's row, before it is shown."""
    dialog_closed = Signal()
    """An editor of the list or the offer to undo is gone, or the search was left, and with it the focus."""
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
        self._shown_on: date | None = None
        """The day by which the chats are grouped; None while something else is shown."""
        self._searched = ""
        """What the hits that are shown have."""
        self._is_awaited = False
        """Whether the first hit is to be opened as soon as it is found."""
        self._build()
        self._connect()

    def _build(self) -> None:
        self.search_field = SearchField()
        self.new_chat_button = QPushButton(translate("app", "New chat"))
        self.new_chat_button.setToolTip(translate("app", "New chat (Ctrl+T)"))
        show_icon(self.new_chat_button, "plus")
        self.more_button = QToolButton()
        self.more_button.setToolTip(translate("app", "More: folders, import, export, trash"))
        self.more_button.setAccessibleName(translate("app", "More"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more_menu = QMenu(self.more_button)
        self.more_button.setMenu(self.more_menu)
        let_go_after_menu(self.more_button)
        show_icon(self.more_button, "more")
        self.list = ChatList(translate("app", "Chats"))
        self.found_label = TextLabel("", "muted")
        # In line with the titles below.
        self.found_label.setContentsMargins(_MARGIN_PX, 0, 0, 0)
        self.found_label.hide()
        self.trash_panel = TrashPanel()
        self.undo_bar = UndoBar()
        self.lists = QStackedWidget()
        self.lists.addWidget(self.list)
        self.lists.addWidget(self.trash_panel)
        buttons = QHBoxLayout()
        buttons.setSpacing(_MARGIN_PX // 2)
        buttons.addWidget(self.new_chat_button, 1)
        buttons.addWidget(self.more_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.setSpacing(_MARGIN_PX)
        column.addWidget(self.search_field)
        column.addLayout(buttons)
        column.addWidget(self.found_label)
        column.addWidget(self.lists, 1)
        column.addWidget(self.undo_bar)
        self.models_entry = self._entry(translate("app", "Models"), "models", self.models_requested)
        self.settings_entry = self._entry(translate("app", "Settings"), "settings", self.settings_requested)
        column.addWidget(self.models_entry)
        column.addWidget(self.settings_entry)

    def _connect(self) -> None:
        self.search_field.textChanged.connect(lambda _: self._search_throttle.request())
        self.search_field.entered.connect(self._on_search_entered)
        self.search_field.went_down.connect(self._go_down)
        self.search_field.left.connect(self._on_search_left)
        self.new_chat_button.clicked.connect(self.new_chat_requested)
        self.list.chosen.connect(self._on_chosen)
        self.list.delete_pressed.connect(self._on_delete_pressed)
        self.list.menu_requested.connect(self._open_menu)
        self.list.folder_toggled.connect(self.folder_toggled)
        self.list.editing_ended.connect(self._on_editing_ended)
        self.list.rows.renamed.connect(self._on_renamed)
        self.list.moved.connect(self._on_moved)
        self.undo_bar.focus_freed.connect(self.dialog_closed)
        self.trash_panel.closed.connect(self.show_list)

    def _entry(self, words: str, icon_name: str, signal: SignalInstance) -> QToolButton:
        entry = QToolButton()
        entry.setText(words)
        entry.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        show_icon(entry, icon_name)
        entry.setCheckable(True)
        # Checked is the page in sight, not what was pressed; whoever shows the pages knows it.
        entry.clicked.connect(lambda is_checked: entry.setChecked(not is_checked))
        entry.clicked.connect(signal)
        return entry

    def show_chats(self, summaries: Iterable[ChatSummary], folders: Sequence[Folder] = ()) -> None:
        """Shows these chats, newest first; the view, what is chosen and an editor stay as they are."""
        self.list.delegate.searched = ()
        self.found_label.hide()
        self._shown_on = date.today()
        self.list.show_rows(chat_rows(summaries, folders, self._shown_on))

    def show_change(self, before: ChatSummary | None, after: ChatSummary | None) -> bool:
        """Brings the list in line with what became of one chat; False if all chats must be shown again."""
        today = date.today()
        if self._shown_on != today:
            return False
        self.list.show_rows(rows_after_change(self.list.newest_rows, before, after, today))
        return True

    def show_hits(self, hits: Sequence[SearchHit], searched: str) -> None:
        """Shows what was found of a text instead of the chats."""
        self._shown_on = None
        self._searched = searched
        self.list.delegate.searched = words_of(searched)
        if not hits:
            words = translate("app", "No chat has these words.")
        elif len(hits) == MAX_HITS:
            words = translate("app", "In more than %n chat(s)", None, len(hits))
        else:
            words = translate("app", "In %n chat(s)", None, len(hits))
        self.found_label.setText(words)
        self.found_label.show()
        self.list.show_rows(hit_rows(hits))
        self.list.viewport().update()
        if self._is_awaited and searched == self.search_field.text().strip():
            self._open_first()

    def show_has_models(self, has_models: bool) -> None:
        """Without a model the button for a new chat leads to where one comes from, and says so."""
        first = translate("app", "Get a model first: this leads to it")
        self.new_chat_button.setToolTip(translate("app", "New chat (Ctrl+T)") if has_models else first)

    def show_busy(self, chat_ids: frozenset[str]) -> None:
        """Marks the chats that are answering."""
        self.list.rows.show_busy(chat_ids)

    def select(self, chat_id: str | None) -> None:
        """Marks the chat of the current tab."""
        self.list.select(chat_id)

    def show_trash(self) -> None:
        self.lists.setCurrentWidget(self.trash_panel)
        self.trash_panel.list.setFocus()

    def show_list(self) -> None:
        self.lists.setCurrentWidget(self.list)

    def focus_search(self) -> None:
        """Puts the caret into the search field."""
        self.show_list()
        self.search_field.setFocus()
        self.search_field.selectAll()

    def _on_search_entered(self) -> None:
        self._search_throttle.flush()
        if self.search_field.text().strip() == self._searched and self._shown_on is None:
            self._open_first()
        elif self.search_field.text().strip():
            self._is_awaited = True
        else:
            self.list.setFocus()

    def _open_first(self) -> None:
        self._is_awaited = False
        if rows := self.list.newest_rows:
            self._on_chosen(rows[0])

    def _go_down(self) -> None:
        self._search_throttle.flush()
        self.list.setFocus()
        self.list.select_first()

    def _on_search_left(self) -> None:
        self._is_awaited = False
        self._search_throttle.flush()
        self.dialog_closed.emit()

    def _on_chosen(self, row: Row) -> None:
        if row.kind is RowKind.HIT:
            self.hit_chosen.emit(row.key, row.message_id)
        else:
            self.chat_chosen.emit(row.key)

    def _on_renamed(self, row: Row, text: str) -> None:
        (self.folder_renamed if row.kind is RowKind.FOLDER else self.chat_renamed).emit(row.key, text)

    def _on_moved(self, chat_id: str, folder_id: str | None) -> None:
        self.chat_moved.emit(chat_id, folder_id)
        # The row that was dragged is the chosen one by now, and not the chat that is open.
        self.list.show_current()

    def _on_editing_ended(self) -> None:
        # Not if the editor was left for another field.
        if self.list.hasFocus():
            self.dialog_closed.emit()

    def _on_delete_pressed(self, row: Row) -> None:
        (self.folder_removed if row.kind is RowKind.FOLDER else self.chat_deleted).emit(row.key)

    def _open_menu(self, row: Row | None, place: QPoint) -> None:
        if row is None or row.kind is RowKind.HEADING:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # By id: the list may be another when an entry is chosen.
        key = row.key
        if row.kind is not RowKind.HIT:
            # After the menu has given the focus back.
            menu.addAction(
                translate("app", "Rename"), lambda: QTimer.singleShot(0, self, lambda: self.list.edit_row(key))
            )
        if row.kind is RowKind.CHAT:
            words = translate("app", "Unpin") if row.is_pinned else translate("app", "Pin")
            menu.addAction(words, lambda: self.chat_pinned.emit(key, not row.is_pinned))
        self.menu_opening.emit(menu, row)
        menu.addSeparator()
        if row.kind is RowKind.FOLDER:
            menu.addAction(translate("app", "Delete folder, keep its chats"), lambda: self.folder_removed.emit(key))
        else:
            menu.addAction(translate("app", "Delete"), lambda: self.chat_deleted.emit(key))
        menu.popup(place)

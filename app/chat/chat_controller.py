"""Owns what happens to chats as a whole: opening, renaming, pinning, deleting, and the tabs of last time.

Does not know how a chat is shown or answered.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from app.chat.chat_tabs import ChatTabs
from app.chat.chat_words import title_words
from app.chat.tab import ChatTab
from app.history.chat_rows import Row, RowKind
from app.history.draft_keeper import DraftKeeper
from app.history.finder import finder_of, leave_finder, leave_search
from app.history.folder_controller import FolderController
from app.history.search_controller import SearchController
from app.history.sidebar import Sidebar
from app.history.transfer_controller import TransferController
from app.history.trash_controller import TrashController
from app.i18n import translate
from app.state.folders import Folder
from app.state.history import ChatSummary, History, HistoryError, TabPlace

T = TypeVar("T")


class ChatController(QObject):
    """Connects the history with the list of chats and the row of tabs."""

    failed = Signal(str)
    """The history could not be read or written."""
    chat_opened = Signal()
    # Not of `dict`: Qt would make a map of its own out of thousands of titles, and back.
    titles_changed = Signal(object)
    """chat id -> title, of the chats in the list and in the tabs"""

    def __init__(
        self,
        history: History,
        tabs: ChatTabs,
        sidebar: Sidebar,
        run: Callable[[Coroutine[Any, Any, None]], object],
        parent: QObject | None = None,
    ) -> None:
        """`run` starts a task on the window's loop."""
        super().__init__(parent)
        self._history = history
        self._tabs = tabs
        self._sidebar = sidebar
        self._closed_ids: list[str] = []
        self._known: dict[str, ChatSummary] = {}
        """All chats on disk as the list shows them, by id."""
        sidebar.chat_chosen.connect(self.open)
        sidebar.hit_chosen.connect(self._open_hit)
        sidebar.chat_renamed.connect(self.rename)
        sidebar.chat_pinned.connect(self.pin)
        sidebar.chat_deleted.connect(self.delete)
        sidebar.menu_opening.connect(self._extend_menu)
        tabs.chat_renamed.connect(self.rename)
        tabs.tab_closed.connect(self._closed_ids.append)
        tabs.tabs_changed.connect(self._on_tabs_changed)
        self.folders = FolderController(history, sidebar, self)
        self.folders.chat_moved.connect(self._on_moved)
        self.trash = TrashController(history, sidebar, self)
        self.trash.chat_changed.connect(self.show_change)
        self.trash.restored.connect(self.open)
        self.trash.messages_wanted.connect(self._restore_messages)
        self.trash.emptied.connect(self._on_trash_emptied)
        self._search = SearchController(history, sidebar, run, self)
        self._search.ended.connect(self._on_search_ended)
        self.transfer = TransferController(history, sidebar, run, self)
        self.transfer.leaving.connect(self._close_tabs)
        for part in (self.folders, self.trash, self._search, self.transfer):
            part.failed.connect(self.failed)
        for part in (self.folders, self.transfer):
            part.changed.connect(self.refresh)

    def restore(self) -> None:
        """Opens the tabs of last time, or one new chat."""
        nothing: tuple[list[str], str | None] = ([], None)
        chat_ids, current = self._guarded(self._history.load_tabs, nothing)
        no_places: dict[str, TabPlace] = {}
        places = self._guarded(self._history.load_places, no_places)
        for chat_id in chat_ids:
            # Not `open`: each would be laid out, marked in the list and saved among all those before it.
            session = self._guarded(partial(self._history.load, chat_id), None)
            if session is not None:
                self._go_to(self._tabs.add_chat(session), places.get(chat_id))
        if chat_ids:
            self.open(current or chat_ids[-1])
        if not self._tabs.count():
            self._tabs.new_chat()
        self.refresh()

    def _go_to(self, tab: ChatTab, place: TabPlace | None) -> None:
        """To where was read last time."""
        if place is not None:
            message = next((one for one in tab.session.messages if one.id == place.message_id), None)
            if message is not None:
                tab.transcript.stay_at(message, place.part)

    def keep_draft(self, tab: ChatTab) -> None:
        """Puts what was being written last time into the tab's composer, and keeps what is written now."""
        DraftKeeper(self._history, tab).failed.connect(self.failed)

    def refresh(self) -> None:
        """Shows the chats as they are on disk now."""
        nothing: list[ChatSummary] = []
        summaries = self._guarded(self._history.chats, nothing)
        self._known = {summary.id: summary for summary in summaries}
        if self._search.text:
            self._search.again()
        else:
            no_folders: list[Folder] = []
            self._sidebar.show_chats(summaries, self._guarded(self._history.folders.all, no_folders))
        self._tell_titles()

    def show_change(self, chat_id: str) -> None:
        """One chat was used, renamed, moved, deleted or restored: the list is brought in line with that alone."""
        before = self._known.pop(chat_id, None)
        after = self._guarded(lambda: self._history.chat(chat_id), None)
        if after is not None:
            self._known[chat_id] = after
        if before is None and self._tabs.tab_of(chat_id) is not None:
            # Only now that the chat is on disk its tab can be kept, also for one that is killed.
            self.save_tabs()
        if self._search.text:
            self._search.again()
        elif not self._sidebar.show_change(before, after):
            self.refresh()
            return
        self._tell_titles()

    def _tell_titles(self) -> None:
        titles = {chat_id: chat.title for chat_id, chat in self._known.items()}
        tabs = {tab.session.id: title_words(tab.session.title) for tab in self._tabs.tabs()}
        self.titles_changed.emit(titles | tabs)

    def new_chat(self) -> None:
        self._tabs.new_chat()
        self.chat_opened.emit()

    def open(self, chat_id: str) -> None:
        tab = self._tabs.tab_of(chat_id)
        session = tab.session if tab is not None else self._guarded(lambda: self._history.load(chat_id), None)
        if session is not None:
            self._tabs.open_chat(session)
            self.chat_opened.emit()

    def _extend_menu(self, menu: QMenu, row: Row) -> None:
        if row.kind is RowKind.CHAT:
            menu.addAction(translate("app", "Show beside"), lambda: self.show_beside(row.key))

    def show_beside(self, chat_id: str) -> None:
        """Shows a chat right of the one that is shown."""
        shown = self._tabs.current_tab()
        self.open(chat_id)
        tab = self._tabs.tab_of(chat_id)
        if tab is not None:
            if shown is not None:
                self._tabs.setCurrentWidget(shown)
            self._tabs.show_beside(tab)

    def find_in_chat(self) -> None:
        """Opens the field that finds texts in the current chat."""
        if (tab := self._tabs.current_tab()) is not None:
            finder_of(tab).open()

    def export_current(self) -> None:
        """Asks where to the current chat is to be exported."""
        if (tab := self._tabs.current_tab()) is not None:
            self.transfer.ask_for_export([tab.session.id], tab.session.title)

    def search_chats(self) -> None:
        """Puts the caret into the field that searches all chats."""
        self._sidebar.focus_search()

    def _open_hit(self, chat_id: str, message_id: str | None) -> None:
        self.open(chat_id)
        tab = self._tabs.tab_of(chat_id)
        if tab is not None and message_id is not None:
            is_shown = tab.message_actions.show_message(message_id)
            finder_of(tab).open(self._search.text, message_id if is_shown else None)
            if not is_shown:
                finder_of(tab).bar.show_elsewhere()

    def _on_search_ended(self) -> None:
        for tab in self._tabs.tabs():
            leave_search(tab)
        self.refresh()

    def reopen(self) -> None:
        """Opens the chat whose tab was closed last; those that are gone since, or never had a message, are passed."""
        while self._closed_ids:
            chat_id = self._closed_ids.pop()
            self.open(chat_id)
            if self._tabs.tab_of(chat_id) is not None:
                return

    def undo(self) -> None:
        """Takes the last deletion back: of a chat, or of messages in the one that is shown."""
        bars = [self._sidebar.undo_bar]
        if (tab := self._tabs.current_tab()) is not None and tab.isVisible():
            bars.append(tab.undo_bar)
        max(bars, key=lambda bar: bar.deleted_at_s).undo_deletion()

    def rename(self, chat_id: str, title: str) -> None:
        """An empty title leaves the old one."""
        title = " ".join(title.split())
        if not title:
            return
        self._guarded(lambda: self._history.rename(chat_id, title), None)
        if (tab := self._tabs.tab_of(chat_id)) is not None:
            tab.rename(title)
        self.show_change(chat_id)

    def pin(self, chat_id: str, is_pinned: bool) -> None:
        self._guarded(lambda: self._history.set_pinned(chat_id, is_pinned), None)
        if (tab := self._tabs.tab_of(chat_id)) is not None:
            tab.session.is_pinned = is_pinned
        self.show_change(chat_id)

    def delete(self, chat_id: str) -> None:
        """Puts the chat into the trash."""
        tab = self._tabs.tab_of(chat_id)
        session = tab.session if tab is not None else self._guarded(lambda: self._history.load(chat_id), None)
        place = None if tab is None else self._tabs.indexOf(tab)
        # The tab goes first: in leaving it would save the chat once more.
        if place is not None:
            self._tabs.close_tab(place)
        if session is not None:
            self.trash.put(chat_id, session.title, lambda: self._undelete(chat_id, place))

    def destroy(self, chat_id: str) -> None:
        """Deletes the chat for good, as those are that the program opened itself."""
        if (tab := self._tabs.tab_of(chat_id)) is not None:
            self._tabs.close_tab(self._tabs.indexOf(tab))
        self._guarded(lambda: self._history.delete(chat_id), None)
        self.show_change(chat_id)

    def _undelete(self, chat_id: str, place: int | None) -> None:
        """`place`: where in the row its tab was."""
        self._guarded(lambda: self._history.trash.restore_chat(chat_id), None)
        self.show_change(chat_id)
        if place is not None:
            self.open(chat_id)
            self._tabs.move_to(chat_id, place)

    def _restore_messages(self, chat_id: str, message_id: str) -> None:
        self.open(chat_id)
        if (tab := self._tabs.tab_of(chat_id)) is not None:
            tab.message_actions.restore_deleted(message_id)

    def _close_tabs(self, chat_ids: frozenset[str]) -> None:
        for tab in self._tabs.tabs():
            if tab.session.id in chat_ids:
                self._tabs.close_tab(self._tabs.indexOf(tab))

    def _on_moved(self, chat_id: str, folder_id: str | None) -> None:
        if (tab := self._tabs.tab_of(chat_id)) is not None:
            tab.session.folder_id = folder_id
        self.show_change(chat_id)

    def _on_trash_emptied(self) -> None:
        for tab in self._tabs.tabs():
            tab.session.tree.forget_deleted()
            tab.undo_bar.forget()

    def save_tabs(self) -> None:
        current = self._tabs.current_tab()
        chat_ids = [tab.session.id for tab in self._tabs.tabs()]
        places = {}
        for tab in self._tabs.tabs():
            if (place := tab.transcript.place()) is not None:
                places[tab.session.id] = TabPlace(place[0].id, place[1])
        current_id = current.session.id if current else None
        self._guarded(lambda: self._history.save_tabs(chat_ids, current_id, places), None)

    def close(self) -> None:
        """Ends all answers and keeps them."""
        self._tabs.tabs_changed.disconnect(self._on_tabs_changed)
        with self._history.patient():
            for tab in self._tabs.tabs():
                tab.leave()
            # Behind them: only a chat that is on disk is kept as a tab.
            self.save_tabs()

    def _on_tabs_changed(self) -> None:
        self.save_tabs()
        current = self._tabs.current_tab()
        self._sidebar.select(None if current is None else current.session.id)
        for tab in self._tabs.tabs():
            if tab not in (current, self._tabs.currentWidget(), self._tabs.beside.tab):
                leave_finder(tab)

    def _guarded(self, call: Callable[[], T], fallback: T) -> T:
        try:
            return call()
        except HistoryError as error:
            self.failed.emit(str(error))
            return fallback

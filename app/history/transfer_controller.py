"""Owns exporting and importing chats as a person does it: the menus, the files' dialogs, and what is said afterwards.

Does not know the formats. Files and database are worked on beside the window.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMenu

from app.history.chat_rows import Row, RowKind
from app.history.off_thread import off_thread
from app.history.sidebar import Sidebar
from app.i18n import translate
from app.state.archive import ChatCopy
from app.state.history import History, HistoryError
from app.state.session import marked_title
from app.transfer.errors import TransferError
from app.transfer.files import WRITERS, read_chats, write_chats
from app.widgets.file_dialog import begin_in
from engine.api import is_safe_name

_MAX_NAME_LENGTH = 60


class TransferController(QObject):
    """Connects files of chats with the history."""

    failed = Signal(str)
    settled = Signal(str)
    """What failed before, in the words of `failed`, is done with: something else has come about."""
    changed = Signal()
    """The list of chats is another now."""
    leaving = Signal(object)
    """The ids (a frozenset) of the chats of an import that is about to be taken back."""

    def __init__(
        self,
        history: History,
        sidebar: Sidebar,
        run: Callable[[Coroutine[Any, Any, None]], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._history = history
        self._sidebar = sidebar
        self._run = run
        self._failure = ""
        sidebar.more_menu.addSeparator()
        sidebar.more_menu.addAction(translate("app", "Import chats…"), self.ask_for_import)
        sidebar.more_menu.addAction(translate("app", "Export all chats…"), self.ask_for_all)
        sidebar.menu_opening.connect(self._extend_menu)

    def ask_for_import(self) -> QFileDialog:
        """Opens the dialog; what is chosen is imported."""
        kinds = " ".join(f"*{suffix}" for suffix in (*WRITERS, ".htm", ".markdown", ".zip"))
        dialog = self._dialog(translate("app", "Import chats"), [f"{translate('app', 'Exports of chats')} ({kinds})"])
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.import_from([Path(name) for name in names]))
        dialog.open()
        return dialog

    def ask_for_all(self) -> QFileDialog:
        return self.ask_for_export(None, translate("app", "Chats"))

    def ask_for_export(self, chat_ids: Sequence[str] | None, title: str) -> QFileDialog:
        """Opens the dialog; these chats, or all, are exported to what is chosen."""
        words = {
            ".json": translate("app", "JSON, whole with all versions (*.json)"),
            ".md": translate("app", "Markdown, what is shown (*.md)"),
            ".html": translate("app", "Web page, what is shown (*.html)"),
        }
        dialog = self._dialog(translate("app", "Export chats"), list(words.values()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        name = _file_name(title)
        suffixes = dict(zip(words.values(), words, strict=True))

        def propose(suffix: str) -> None:
            dialog.setDefaultSuffix(suffix)
            dialog.selectFile(f"{name}{suffix}")

        dialog.filterSelected.connect(lambda chosen: propose(suffixes[chosen]))
        propose(".json")
        dialog.fileSelected.connect(lambda path: self.export_to(Path(path), chat_ids))
        dialog.open()
        return dialog

    def import_from(self, paths: Sequence[Path]) -> None:
        self._run(self._guarded(self._import(paths)))

    def export_to(self, path: Path, chat_ids: Sequence[str] | None) -> None:
        if path.suffix.lower() not in WRITERS:
            path = path.with_name(f"{path.name}.json")
        self._run(self._guarded(self._export(path, chat_ids)))

    async def _import(self, paths: Sequence[Path]) -> None:
        read = [await asyncio.to_thread(read_chats, path) for path in paths]
        copies = self._named_apart([copy for chats in read for copy in chats])
        bar = self._sidebar.undo_bar
        loop = asyncio.get_running_loop()

        def show_progress(num_chats: int) -> None:
            words = translate("app", "Importing, {done} of {all}").format(done=num_chats, all=len(copies))
            loop.call_soon_threadsafe(bar.show_progress, words)

        chat_ids = await off_thread(self._history, partial(self._history.archive.add, copies, show_progress))
        self.changed.emit()
        # Not the trash, if that is open: the new chats are to be seen.
        self._sidebar.show_list()
        num_messages = sum(len(copy.session.messages) + len(copy.session.aside) for copy in copies)
        chats = translate("app", "%n chat(s) imported", None, len(chat_ids))
        imported = {chat_id: copy.updated_at_s for chat_id, copy in zip(chat_ids, copies, strict=True)}
        bar.show_offer(chats, translate("app", "%n message(s)", None, num_messages), partial(self._take_back, imported))

    def _named_apart(self, copies: Sequence[ChatCopy]) -> list[ChatCopy]:
        """The chats, with other titles where there are chats of theirs already."""
        there = {chat.title for chat in self._history.chats()}
        taken = set(there)
        named = []
        for copy in copies:
            title = copy.session.title
            if title in there:
                title = marked_title(title, translate("app", "imported"), taken)
                taken.add(title)
            named.append(replace(copy, session=replace(copy.session, title=title)))
        return named

    async def _export(self, path: Path, chat_ids: Sequence[str] | None) -> None:
        copies = await off_thread(self._history, partial(self._history.archive.read, chat_ids))
        await asyncio.to_thread(write_chats, path, copies)
        words = translate("app", "Exported to {name}").format(name=path.name)
        self._sidebar.undo_bar.show_note(words, str(path))

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (TransferError, HistoryError) as error:
            self._sidebar.undo_bar.hide()
            self._failure = str(error)
            self.failed.emit(self._failure)
        else:
            self.settled.emit(self._failure)

    def _take_back(self, imported: Mapping[str, float]) -> None:
        """Destroys chats, by id with the time of their last use; what was written in since goes into the trash."""
        # First of all: the tabs of these chats save them once more in leaving.
        self.leaving.emit(frozenset(imported))
        used: list[str] = []
        try:
            there = [chat for chat in self._history.chats() if chat.id in imported]
            used = [chat.id for chat in there if chat.updated_at_s != imported[chat.id]]
            for chat_id in used:
                self._history.trash.put_chat(chat_id)
            self._history.trash.destroy([chat.id for chat in there if chat.id not in used])
        except HistoryError as error:
            self.failed.emit(str(error))
        self.changed.emit()
        if used:
            words = translate("app", "%n chat(s) written in since lie in the trash", None, len(used))
            self._sidebar.undo_bar.show_note(words, "")

    def _extend_menu(self, menu: QMenu, row: Row) -> None:
        if row.kind in (RowKind.CHAT, RowKind.HIT):
            menu.addAction(translate("app", "Export…"), lambda: self.ask_for_export([row.key], row.text))

    def _dialog(self, title: str, filters: Sequence[str]) -> QFileDialog:
        dialog = begin_in(QFileDialog(self._sidebar.window(), title))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilters(list(filters))
        return dialog


def _file_name(title: str) -> str:
    """What a file can be called after a chat, without its suffix."""
    # A long title was cut, and an ellipsis looks like one more dot before the suffix.
    title = title.replace("…", " ")
    plain = " ".join("".join(letter if is_safe_name(f"a{letter}a") else " " for letter in title).split())
    name = plain[:_MAX_NAME_LENGTH].rstrip(" .") or "chat"
    return name if is_safe_name(name) else f"chat {name}"

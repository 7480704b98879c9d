"""Clicks through the history of the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.history_driver HOME`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import Qt

from app.history.finder import finder_of
from app.state import options
from app.state.session import Session
from tests.app.transfer.test_other_programs import chatgpt, lm_studio, open_webui
from tests.e2e.history_user import HistoryUser
from tests.e2e.window_user import use_window

CHINESE = "请介绍一下灯塔。"
QUESTIONS = ("What is a lighthouse?", "What is a harbour?", CHINESE)
FOREIGN = {
    "ChatGPT": [chatgpt()[0] | {"title": "ChatGPT"}],
    "LM Studio": lm_studio() | {"name": "LM Studio"},
    "Open WebUI": [open_webui()[0] | {"title": "Open WebUI"}],
}
"""What each program exports, by the title of its chat."""
FORMATS = ("chats.json", "chats.md", "chats.html")


class Clicker(HistoryUser):
    async def _use(self) -> None:
        await self._model()
        self._window.change_setting(options.MAX_TOKENS, 24)
        for question in QUESTIONS:
            await self._click(self._sidebar.new_chat_button)
            tab = self._window.tabs.current_tab()
            assert tab is not None, "no tab is open"
            await self._paste(tab.composer, question)
            await self._key(tab.composer, Qt.Key.Key_Return)
            await self._wait("an answer", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]
        await self._search_and_find()
        await self._delete_and_bring_back()
        await self._sort()
        await self._rename_and_unsort()
        await self._export_and_import()
        await self._import_foreign()
        await self._delete_for_good()

    async def _search_and_find(self) -> None:
        field = self._sidebar.search_field
        await self._paste(field, "灯塔")
        await self._wait("a hit in Chinese", lambda: self._texts() == [CHINESE])
        await self._key(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        await self._type(field, "LIGHTHOUSE?")
        await self._wait("a hit", lambda: self._texts() == [QUESTIONS[0]])
        await self._click_chat(self._list, QUESTIONS[0])
        tab = self._window.tabs.current_tab()
        assert tab is not None, "no tab is open"
        finder = finder_of(tab)
        await self._wait("the place of the hit", lambda: finder.bar.count_label.text().startswith("1 of"))
        self.report["found_in"] = tab.session.title
        await self._key(finder.bar.field, Qt.Key.Key_Escape)
        self.report["find_is_open"] = finder.bar.isVisible()
        await self._key(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        await self._key(field, Qt.Key.Key_Backspace)
        await self._wait("all chats", lambda: len(self._texts()) == 1 + len(QUESTIONS))

    async def _delete_and_bring_back(self) -> None:
        await self._key(self._list, Qt.Key.Key_Delete)
        await self._wait("one chat fewer", lambda: QUESTIONS[0] not in self._texts())
        await self._click(self._sidebar.undo_bar.undo_button)
        self.report["after_undo"] = sorted(self._texts()[1:])
        await self._key(self._list, Qt.Key.Key_Delete)
        await self._more_menu("Trash")
        panel = self._sidebar.trash_panel
        await self._click_chat(panel.list, QUESTIONS[0])
        await self._click(panel.close_button)
        self.report["after_trash"] = sorted(self._texts()[1:])

    async def _sort(self) -> None:
        await self._row_menu(QUESTIONS[1], "Pin")
        self.report["pinned"] = self._texts()[:2]
        await self._row_menu(QUESTIONS[0], "Move to", "New folder")
        self.report["in_folder"] = self._texts()[2:5]
        await self._name_row("Sea")
        await self._click_chat(self._list, "Sea")
        self.report["folded"] = QUESTIONS[0] not in self._texts()
        await self._click_chat(self._list, "Sea")
        await self._wait("what is in the folder", lambda: QUESTIONS[0] in self._texts())
        await self._drag_into_folder(CHINESE, "Sea")

    async def _drag_into_folder(self, text: str, folder: str) -> None:
        rows = self._list.rows
        data = rows.mimeData([self._index(self._list, text)])
        place = self._place(self._list, folder)
        await self._drop(self._list.viewport(), data, place, Qt.DropAction.MoveAction)
        await self._wait("the folder", lambda: self._texts().index(text) > self._texts().index(folder))
        folder_id = rows.rows[self._texts().index(folder)].key
        chats = self._window._history.chats()
        self.report["dragged"] = sorted(chat.title for chat in chats if chat.folder_id == folder_id)

    async def _rename_and_unsort(self) -> None:
        await self._row_menu(QUESTIONS[1], "Unpin")
        await self._row_menu(QUESTIONS[1], "Move to", "Sea")
        await self._row_menu(QUESTIONS[0], "Move to", "No folder")
        folder = self._texts().index("Sea")
        self.report["moved"] = self._texts()[folder + 1 : folder + 3]
        await self._row_menu("Sea", "Delete folder")
        await self._wait("the folder's end", lambda: "Sea" not in self._texts())
        self.report["unsorted"] = sorted(self._texts()[1:])
        await self._row_menu(QUESTIONS[0], "Rename")
        await self._name_row("Lights")
        await self._click_chat(self._list, "Lights")
        await self._key(self._list, Qt.Key.Key_F2)
        await self._name_row(QUESTIONS[0])
        self.report["renamed"] = [tab.session.title for tab in self._window.tabs.tabs()]

    async def _export_and_import(self) -> None:
        """All chats and a single one come back as they were."""
        bar, before = self._sidebar.undo_bar, self._chats()
        for name in FORMATS:
            await self._more_menu("Export all chats")
            await self._choose_files(self._home / name)
            await self._wait(name, (self._home / name).is_file)
            await self._more_menu("Import chats")
            await self._choose_files(self._home / name)
            await self._wait("the import", lambda: "imported" in bar.label.text() and bar.undo_button.isVisible())
            chats = self._chats()
            self.report[name] = sorted(chats[key] for key in chats.keys() - before.keys()) == sorted(before.values())
            await self._click(bar.undo_button)
        await self._row_menu(QUESTIONS[1], "Export")
        await self._choose_files(self._home / "one.json")
        await self._wait("one", (self._home / "one.json").is_file)
        (chat,) = json.loads((self._home / "one.json").read_text(encoding="utf-8"))["chats"]
        self.report["one"] = chat["title"]

    async def _import_foreign(self) -> None:
        bar = self._sidebar.undo_bar
        paths = [self._home / f"{title}.json" for title in FOREIGN]
        for path, data in zip(paths, FOREIGN.values(), strict=True):
            path.write_text(json.dumps(data), encoding="utf-8")
        await self._more_menu("Import chats")
        await self._choose_files(*paths)
        await self._wait("the import", lambda: bar.label.text().startswith("3 chats imported"))
        self.report["foreign"] = []
        for title in FOREIGN:
            await self._click_chat(self._list, title)
            tab = self._window.tabs.current_tab()
            assert tab is not None, "no tab is open"
            self.report["foreign"].append([view.message.text for view in tab.transcript.views])

    async def _delete_for_good(self) -> None:
        for question in QUESTIONS[:2]:
            await self._row_menu(question, "Delete")
        await self._more_menu("Trash")
        panel = self._sidebar.trash_panel
        trash = panel.list
        self.report["in_trash"] = sorted(row.text for row in trash.rows.rows)
        trash.customContextMenuRequested.emit(self._place(trash, QUESTIONS[0]))
        menu = self._open_menu()
        await self._choose_entry(menu, "Delete for good")
        await self._say_yes()
        await self._wait("one fewer", lambda: [row.text for row in trash.rows.rows] == [QUESTIONS[1]])
        await self._click(panel.empty_button)
        await self._say_yes()
        await self._wait("none", lambda: not trash.rows.rows)
        await self._key(trash, Qt.Key.Key_Escape)
        self.report["list_is_back"] = self._list.isVisible()
        self.report["left"] = sorted(chat.title for chat in self._window._history.chats())

    def _chats(self) -> dict[str, list[tuple[str, str]]]:
        """Texts and roles of all chats on disk, by their ids."""
        history = self._window._history
        sessions = [history.load(chat.id) for chat in history.chats()]
        return {one.id: _said(one) for one in sessions if one is not None}


def _said(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session.messages]


if __name__ == "__main__":
    data_folder = Path(sys.argv[1])
    sys.exit(use_window(data_folder, lambda window: Clicker(window, data_folder)))

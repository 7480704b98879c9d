"""Owns the folders of the chat list, and which chat lies in which.

Does not know the chats themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.state.database import Database
from app.state.message import new_id


@dataclass(frozen=True, slots=True)
class Folder:
    id: str
    name: str
    is_collapsed: bool = False


class Folders:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Folder]:
        """In the order in which they stand."""
        with self._database.reading() as db:
            rows = db.execute("SELECT id, name, is_collapsed FROM folders ORDER BY position, name").fetchall()
        return [Folder(folder_id, name, bool(is_collapsed)) for folder_id, name, is_collapsed in rows]

    def add(self, name: str) -> Folder:
        """A new folder, behind the others."""
        folder = Folder(new_id(), name)
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO folders SELECT ?, ?, coalesce(max(position) + 1, 0), 0 FROM folders", (folder.id, name)
            )
        return folder

    def rename(self, folder_id: str, name: str) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE folders SET name = ? WHERE id = ?", (name, folder_id))

    def set_collapsed(self, folder_id: str, is_collapsed: bool) -> None:
        with self._database.writing() as db:
            db.execute("UPDATE folders SET is_collapsed = ? WHERE id = ?", (is_collapsed, folder_id))

    def remove(self, folder_id: str) -> None:
        """Its chats stay, in no folder."""
        with self._database.writing() as db:
            db.execute("DELETE FROM folders WHERE id = ?", (folder_id,))

    def move(self, chat_id: str, folder_id: str | None) -> None:
        """Puts a chat into the folder, or with None out of any."""
        with self._database.writing() as db:
            db.execute("UPDATE chats SET folder_id = ? WHERE id = ?", (folder_id, chat_id))

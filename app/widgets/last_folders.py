"""Owns in which folder files were chosen last, for each place where such files usually lie.

Does not know where this is kept for the next start; whoever keeps it listens.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QApplication

Place = QStandardPaths.StandardLocation


class LastFolders(QObject):
    """One of an application: all its dialogs for files that usually lie in one place share a folder."""

    changed = Signal(str)
    """All of it as text, for `restore` of a later start."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folders: dict[str, str] = {}

    def of(self, usual: Place) -> Path:
        """Where to begin: the last folder, else the usual one, else the home folder."""
        for folder in (self._folders.get(usual.name, ""), QStandardPaths.writableLocation(usual)):
            # A folder that may not be looked at is none to begin in either.
            if folder and os.path.isdir(folder):
                return Path(folder)
        return Path.home()

    def keep(self, usual: Place, chosen: str) -> None:
        """A file or folder was chosen."""
        path = Path(chosen)
        folder = str(path if path.is_dir() else path.parent)
        if self._folders.get(usual.name) != folder:
            self._folders[usual.name] = folder
            self.changed.emit(json.dumps(self._folders))

    def restore(self, text: str) -> None:
        """What an earlier start has kept; what is none is passed over."""
        try:
            told = json.loads(text)
        except ValueError:
            told = None
        known = told.items() if isinstance(told, dict) else ()
        self._folders = {name: folder for name, folder in known if isinstance(folder, str)}


def last_folders() -> LastFolders:
    """The application's."""
    app = QApplication.instance()
    assert app is not None, "dialogs need an application"
    return app.findChild(LastFolders) or LastFolders(app)

"""Owns where the system's dialogs for files begin: in the folder that was used last, else where such files usually lie.

Does not know what is chosen for.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog

Place = QStandardPaths.StandardLocation
_LAST_FOLDER = "last_folder"
"""A property of the application: all dialogs of a process share it."""


def begin_in(dialog: QFileDialog, usual: Place = Place.DocumentsLocation) -> QFileDialog:
    """Let a dialog begin in the folder that was used last, `usual` before the first time; it keeps what is chosen."""
    app = QApplication.instance()
    assert app is not None, "dialogs need an application"
    last = app.property(_LAST_FOLDER)
    folder = Path(last) if last else Path(QStandardPaths.writableLocation(usual))
    dialog.setDirectory(str(folder if folder.is_dir() else Path.home()))
    dialog.filesSelected.connect(lambda paths: app.setProperty(_LAST_FOLDER, str(_folder_of(paths[0]))))
    return dialog


def _folder_of(path: str) -> Path:
    chosen = Path(path)
    return chosen if chosen.is_dir() else chosen.parent

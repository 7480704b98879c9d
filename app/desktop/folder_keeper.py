"""Owns that the folders in which files were chosen are known at the next start.

Does not know the dialogs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from app.state import options
from app.state.setting import Setting
from app.state.settings import Settings
from app.widgets.last_folders import last_folders


class FolderKeeper(QObject):
    """As long-lived as the window that it is a child of. `change` keeps a setting, and says so where it cannot."""

    def __init__(self, settings: Settings, change: Callable[[Setting[Any], Any], None], parent: QObject) -> None:
        super().__init__(parent)
        self._change = change
        folders = last_folders()
        folders.restore(settings.get(options.LAST_FOLDERS))
        folders.changed.connect(self._keep)

    def _keep(self, text: str) -> None:
        self._change(options.LAST_FOLDERS, text)

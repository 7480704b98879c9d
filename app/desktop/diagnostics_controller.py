"""Owns the way to a diagnostics file: asking where, having it written, saying how it went.

Does not know what is in the file.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.bridge.engine_client import EngineClient
from app.desktop.diagnostics import write_diagnostics
from app.i18n import translate
from app.state.advice import file_advice
from app.widgets.file_dialog import begin_in


class DiagnosticsController(QObject):
    """The file is written beside the window's loop."""

    def __init__(self, home: Path, client: EngineClient, tell: Callable[[str], None], window: QWidget) -> None:
        super().__init__(window)
        self._home = home
        self._client = client
        self._tell = tell
        self._window = window

    def ask(self) -> None:
        """Asks for the file's place; the writing begins when one is chosen."""
        name = time.strftime("deepinfer-diagnostics-%Y-%m-%d.zip")
        dialog = begin_in(QFileDialog(self._window, translate("app", "Save diagnostics"), filter="Zip (*.zip)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda path: self._client.run(self.write(Path(path))))
        dialog.open()

    async def write(self, path: Path) -> None:
        try:
            await asyncio.to_thread(write_diagnostics, self._home, path)
        except OSError as error:
            cause = f"{error.strerror} ({path})"
            words = translate("app", "The diagnostics cannot be saved: {cause}. {advice}")
            self._tell(words.format(cause=cause, advice=file_advice(error)))
        else:
            self._tell(translate("app", "The diagnostics were saved as {path}. No chat is in them.").format(path=path))
